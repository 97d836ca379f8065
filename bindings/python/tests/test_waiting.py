"""Waiting: who runs meanwhile, what ends it, and that nothing is lost by that."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import fairlane
import pytest
from conftest import until


def in_thread(call):
    """Runs it elsewhere; the result is in `.result` once joined."""

    class Call(threading.Thread):
        def run(self):
            self.result = call()

    thread = Call(daemon=True)
    thread.start()
    return thread


def waiters_of(transport, count=1):
    """Gives threads that were just started the time to begin to wait."""
    time.sleep(0.02 * count)


def test_a_publish_wakes_who_waits():
    transport = fairlane.InMemoryTransport()
    waiting = in_thread(lambda: transport.claim_wait("w", 30))
    waiters_of(transport)
    event = object()
    transport.publish("a", event)
    waiting.join(10)
    assert waiting.result.event is event


def test_other_threads_run_meanwhile():
    transport = fairlane.InMemoryTransport()
    waiting = [in_thread(lambda: transport.claim_wait("w", 30)) for _ in range(8)]
    count = 0
    began = time.monotonic()
    while time.monotonic() - began < 0.2:
        count += 1
    assert count > 10_000
    for number in range(8):
        transport.publish(f"g{number}", number)
    for thread in waiting:
        thread.join(10)
    assert sorted(thread.result.event for thread in waiting) == list(range(8))


def test_waiting_takes_no_processor_time():
    transport = fairlane.InMemoryTransport()
    waiting = [in_thread(lambda: transport.claim_wait("w", 30)) for _ in range(20)]
    waiters_of(transport, 5)

    def spent():
        before = time.process_time()
        time.sleep(0.3)
        return time.process_time() - before

    assert any(spent() < 0.1 for _ in range(3))
    transport.close()
    for thread in waiting:
        thread.join(10)
        assert thread.result is None


def test_a_lease_that_runs_out_wakes_who_waits():
    transport = fairlane.InMemoryTransport()
    transport.publish("a", None)
    transport.claim("dies", 0.05)
    lease = transport.claim_wait("w", 30, timeout=10)
    assert lease.attempt == 2


def test_a_timeout(transport):
    assert fairlane.InMemoryTransport().claim_wait("w", 30, timeout=0.01) is None
    assert transport.claim_wait("w", 30, timeout=0) is None


def test_a_stop_ends_it_at_once():
    transport = fairlane.InMemoryTransport()
    stop = fairlane.Stop()
    waiting = in_thread(lambda: transport.claim_wait("w", 30, stop=stop))
    waiters_of(transport)
    assert not stop.is_set()
    stop.set()
    waiting.join(10)
    assert waiting.result is None and stop.is_set()
    with pytest.raises(RuntimeError):
        stop.clear()


def test_a_claim_with_a_stop_that_was_set_still_takes_what_is_ready(transport):
    stop = fairlane.Stop()
    stop.set()
    assert transport.claim_wait("w", 30, stop=stop) is None
    transport.publish("a", None)
    assert transport.claim_wait("w", 30, stop=stop) is not None


def test_a_manual_clock_wakes_who_waits(transport, clock):
    transport.publish("a", None)
    transport.claim("dies", 10)
    late = in_thread(lambda: transport.claim_wait("late", 30, timeout=5))
    waiting = in_thread(lambda: transport.claim_wait("w", 30))
    waiters_of(transport, 2)
    clock.advance(5)
    late.join(10)
    assert late.result is None
    clock.advance(5.001)
    waiting.join(10)
    assert waiting.result.attempt == 2


def test_publish_wait_gets_the_room_that_an_ack_makes():
    transport = fairlane.InMemoryTransport(max_messages=1)
    transport.publish("a", 1)
    waiting = in_thread(lambda: transport.publish_wait("b", 2))
    waiters_of(transport)
    transport.ack(transport.claim("w", 30))
    waiting.join(10)
    assert waiting.result == 2
    assert transport.claim("w", 30).event == 2


def test_an_event_whose_publish_wait_gave_up_is_not_kept():
    transport = fairlane.InMemoryTransport(max_messages=1)
    transport.publish("a", 1)
    event = object()
    before = sys.getrefcount(event)
    assert transport.publish_wait("b", event, timeout=0.01) is None
    assert sys.getrefcount(event) == before


def interrupt_after(delay):
    def interrupt():
        time.sleep(delay)
        os.kill(os.getpid(), signal.SIGINT)

    return in_thread(interrupt)


def test_ctrl_c_raises_within_a_fifth_of_a_second():
    transport = fairlane.InMemoryTransport()

    def took():
        sent = interrupt_after(0.1)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            transport.claim_wait("w", 30)
        delay = time.monotonic() - began - 0.1
        sent.join(10)
        return delay

    # A busy machine may be late now and then, but not each time.
    assert any(took() < 0.2 for _ in range(5))


def test_ctrl_c_ends_a_publish_wait():
    transport = fairlane.InMemoryTransport(max_messages=1)
    transport.publish("a", 1)
    sent = interrupt_after(0.05)
    with pytest.raises(KeyboardInterrupt):
        transport.publish_wait("a", 2)
    sent.join(10)


def test_ctrl_c_under_a_clock_that_stands_still(transport):
    sent = interrupt_after(0.05)
    with pytest.raises(KeyboardInterrupt):
        transport.claim_wait("w", 30, timeout=5)
    sent.join(10)


def test_a_signal_handler_that_raises_nothing_does_not_end_it():
    transport = fairlane.InMemoryTransport()
    seen = []

    def handle(*_):
        seen.append(True)
        transport.publish("a", "from the handler")

    previous = signal.signal(signal.SIGUSR1, handle)
    try:
        sent = in_thread(lambda: (time.sleep(0.05), os.kill(os.getpid(), signal.SIGUSR1)))
        assert transport.claim_wait("w", 30, timeout=10).event == "from the handler"
        sent.join(10)
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert seen


def test_a_message_claimed_when_ctrl_c_comes_is_not_lost():
    transport = fairlane.InMemoryTransport()
    taken = 0
    for number in range(20):
        def publish_and_interrupt():
            time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.001 * (number % 5) * 12)
            transport.publish("a", number)

        sent = in_thread(publish_and_interrupt)
        try:
            lease = transport.claim_wait("w", 30)
            taken += 1
            assert transport.ack(lease)
            sent.join(10)
            time.sleep(0.05)  # The signal that is still to come.
        except KeyboardInterrupt:
            pass
        sent.join(10)
        if (lease := transport.claim("w", 30)) is not None:
            assert lease.attempt == 1, "it was handed back, not left to run out"
            transport.ack(lease)
    stats = transport.stats()
    assert stats.published == stats.acked == 20
    assert stats.leased == stats.ready == 0


def test_ctrl_c_ends_a_program_that_waits():
    program = textwrap.dedent(
        """
        import fairlane
        transport = fairlane.InMemoryTransport()
        print("waits", flush=True)
        transport.claim_wait("w", 30)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "waits\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert "KeyboardInterrupt" in err and process.returncode == -signal.SIGINT


def test_a_clock_that_fails_ends_the_wait_and_leaves_nobody_behind():
    failing = threading.Event()

    def clock():
        if failing.is_set():
            raise ZeroDivisionError
        return time.monotonic()

    transport = fairlane.InMemoryTransport(clock)
    transport.publish("a", None)
    held = transport.claim("dies", 0.2)
    failed = []

    def wait():
        try:
            transport.claim_wait("w", 30)
        except ZeroDivisionError:
            failed.append(True)

    waiting = in_thread(wait)
    waiters_of(transport)
    failing.set()
    waiting.join(10)
    failing.clear()
    assert failed
    assert transport.ack(held)
    transport.publish("b", "for nobody who waits")
    assert transport.stats().ready == 1


def test_many_threads_share_one_transport(rng):
    transport = fairlane.InMemoryTransport()
    groups, each = 16, 400
    seen = {f"g{number}": [] for number in range(groups)}
    stop = fairlane.Stop()

    def work(name):
        while (lease := transport.claim_wait(name, 30.0, stop=stop)) is not None:
            seen[lease.group_id].append(lease.event)
            transport.ack(lease) if lease.event % 3 else transport.ack_batch([lease])
            if transport.stats().acked == groups * each:
                stop.set()

    def publish(mine):
        for number in range(each):
            for group in mine:
                transport.publish(f"g{group}", number)

    threads = [in_thread(lambda i=i: work(f"w{i}")) for i in range(6)]
    publishers = [in_thread(lambda i=i: publish(range(i, groups, 2))) for i in range(2)]
    for thread in publishers + threads:
        thread.join(60)
        assert not thread.is_alive()
    assert all(events == list(range(each)) for events in seen.values())


def test_waiters_are_told_apart_by_their_floor():
    transport = fairlane.InMemoryTransport()
    high = in_thread(lambda: transport.claim_wait("high", 30, min_priority=5))
    low = in_thread(lambda: transport.claim_wait("low", 30, min_priority=-5))
    waiters_of(transport, 2)
    transport.publish("low", None, priority=-1)
    low.join(10)
    assert low.result.group_id == "low"
    assert high.is_alive()
    transport.publish("high", None, priority=5)
    high.join(10)
    until(lambda: not high.is_alive())
    assert high.result.group_id == "high"
