"""References, cycles and finalizers: what a transport holds, and for how long."""

import gc
import sys
import threading
import weakref

import fairlane
import pytest


class Event:
    """Can be referred to weakly, and refer to anything."""


@pytest.fixture(autouse=True)
def collected():
    gc.collect()
    yield
    gc.collect()


def test_an_event_is_destroyed_when_it_is_acked_and_its_lease_gone(transport):
    event = Event()
    alive = weakref.ref(event)
    transport.publish("a", event)
    del event
    lease = transport.claim("w", 30)
    transport.ack(lease)
    assert alive() is not None
    del lease
    assert alive() is None


def test_dropped_events_are_destroyed(transport):
    events = [Event() for _ in range(3)]
    alive = [weakref.ref(event) for event in events]
    for event in events:
        transport.publish("a", event)
    del events, event
    transport.cancel("a", None)
    assert [ref() for ref in alive] == [None] * 3


def test_reference_counts_are_exact_after_a_million_cycles():
    transport = fairlane.InMemoryTransport()
    event, group, worker = Event(), "the group", "the worker"
    counts = [sys.getrefcount(object) for object in (event, group, worker)]
    for _ in range(1_000_000):
        transport.publish(group, event)
        transport.ack(transport.claim(worker, 30.0))
    assert [sys.getrefcount(object) for object in (event, group, worker)] == counts


def test_reference_counts_are_exact_after_every_verb(clock):
    transport = fairlane.InMemoryTransport(clock, max_attempts=3, max_messages=100)
    event, group, worker = Event(), "the group", "the worker"

    def everything():
        transport.publish(group, event)
        transport.publish_batch([(group, event)] * 3)
        transport.publish_wait(group, event)
        transport.nack(transport.claim(worker, 30.0))
        transport.release(transport.claim_batch(5, worker, 30.0)[0])
        lease = transport.claim_wait(worker, 30.0)
        transport.extend(lease, 5)
        _, lease = transport.ack_claim(lease, worker, 30.0)
        transport.reject(lease)
        transport.redrive(lease.seq)
        transport.reject(transport.claim(worker, 30.0))
        transport.dead_letters()
        transport.drop_dead(transport.dead_letters()[0].seq)
        transport.peek(group, 10)
        transport._messages, transport._groups
        transport.cancel(group, event)
        transport.ack_batch([transport.claim(worker, 30.0)])
        transport.terminate(group)
        with pytest.raises(fairlane.TransportError):
            transport.publish_batch([(group, event)] * 101)

    everything()
    counts = [sys.getrefcount(object) for object in (event, group, worker)]
    for _ in range(100):
        everything()
    assert [sys.getrefcount(object) for object in (event, group, worker)] == counts


@pytest.mark.parametrize("state", ["waiting", "leased", "parked", "dead", "acked"])
def test_an_event_that_refers_to_its_transport_is_collected(state):
    transport = fairlane.InMemoryTransport()
    event = Event()
    event.transport = transport
    transport.publish("a", event)
    if state != "waiting":
        event.lease = transport.claim("w", 30)
    if state == "parked":
        transport.nack(event.lease, 30)
    if state == "dead":
        transport.reject(event.lease)
    if state == "acked":
        transport.ack(event.lease)
    alive = [weakref.ref(event), weakref.ref(transport)]
    del event, transport
    gc.collect()
    assert [ref() for ref in alive] == [None, None]


def test_a_clock_that_refers_to_its_transport_is_collected():
    class Clock:
        def __call__(self):
            return 0.0

    clock = Clock()
    clock.transport = transport = fairlane.InMemoryTransport(clock, event_bytes=lambda _: 1)
    alive = weakref.ref(transport)
    del clock, transport
    gc.collect()
    assert alive() is None


def test_a_lease_that_refers_to_itself_is_collected(transport):
    event = Event()
    transport.publish("a", event)
    event.lease = transport.claim("w", 30)
    transport.ack(event.lease)
    alive = weakref.ref(event)
    del event
    gc.collect()
    assert alive() is None


def test_what_is_in_use_is_not_collected(transport):
    for number in range(100):
        event = Event()
        event.number, event.transport = number, transport
        transport.publish(f"g{number}", event)
    del event
    gc.collect()
    for number in range(100):
        assert transport.claim("w", 30).event.number == number


def test_a_finalizer_may_publish(transport):
    class Last:
        def __del__(self):
            transport.publish("last words", "goodbye")

    transport.publish("a", Last())
    transport.ack(transport.claim("w", 30))
    assert transport.claim("w", 30).event == "goodbye"
    transport.publish("b", Last())
    assert transport.terminate("b") == 1
    assert transport.stats().published == 4


def test_a_finalizer_may_use_the_transport_that_is_being_destroyed():
    said = []

    class Last:
        def __init__(self, transport):
            self.transport = weakref.ref(transport)

        def __del__(self):
            said.append(self.transport())

    transport = fairlane.InMemoryTransport()
    for _ in range(3):
        transport.publish("a", Last(transport))
    del transport
    assert said == [None] * 3


def test_threads_and_finalizers_do_not_deadlock():
    transport = fairlane.InMemoryTransport()
    cycles, threads = 3_000, 4
    finalized = []

    class Noisy:
        def __init__(self):
            self.self = self  # Only the collector ends it, at any moment.

        def __del__(self):
            finalized.append(transport.publish("finalized", None))
            transport.stats()

    def work(name):
        for number in range(cycles):
            transport.publish(f"{name}-{number % 7}", Noisy())
            if lease := transport.claim(name, 30.0):
                transport.ack(lease)
            if number % 500 == 0:
                gc.collect()

    def wait():
        while (lease := transport.claim_wait("waiter", 30.0, timeout=5)) is not None:
            transport.ack(lease)

    waiters = [threading.Thread(target=wait) for _ in range(2)]
    workers = [threading.Thread(target=work, args=(f"w{i}",)) for i in range(threads)]
    for thread in waiters + workers:
        thread.start()
    for thread in workers:
        thread.join(60)
        assert not thread.is_alive()
    transport.close()
    for thread in waiters:
        thread.join(60)
        assert not thread.is_alive()
    gc.collect()
    assert finalized
