"""A transport that was made before a fork is refused in the child."""

import os
import threading

import fairlane
import pytest


def in_child(call):
    """What `call` returned or raised in a forked child, as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(call())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


def test_every_call_says_so(transport):
    transport.publish("a", None)
    lease = transport.claim("w", 30)
    for call in (
        lambda: transport.publish("a", None),
        lambda: transport.claim("w", 30),
        lambda: transport.claim_wait("w", 30),
        lambda: transport.ack(lease),
        lambda: transport.stats(),
        lambda: transport.close(),
    ):
        assert in_child(call).startswith("RuntimeError: this transport was made before a fork")
    assert transport.ack(lease), "the parent goes on"


def test_a_child_may_make_its_own(transport):
    def work():
        mine = fairlane.InMemoryTransport()
        mine.publish("a", 5)
        return mine.claim_wait("w", 30).event

    assert in_child(work) == "5"


def test_a_child_may_let_go_of_it_while_threads_wait_in_the_parent():
    transport = fairlane.InMemoryTransport()
    transport.publish("a", transport)
    waiting = [
        threading.Thread(target=lambda: transport.claim_wait("w", 30, min_priority=1))
        for _ in range(3)
    ]
    for thread in waiting:
        thread.start()
    holder = [transport]

    def let_go():
        import gc

        holder.clear()
        gc.collect()
        return "alive"

    for _ in range(20):
        assert in_child(let_go) == "'alive'"
    transport.close()
    for thread in waiting:
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing_works_beside_it(method):
    import multiprocessing

    transport = fairlane.InMemoryTransport()
    transport.publish("a", None)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(abs, (-5,)) == 5
    assert transport.claim("w", 30) is not None
