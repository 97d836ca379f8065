"""Section 11 of the contract: `run`, on threads."""

import os
import signal
import threading
import time

import fairlane
import pytest
from conftest import until
from fairlane import Outcome
from notes import Notes


def running(worker, stop):
    thread = threading.Thread(target=worker.run, args=(stop,), daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("make_stop", [threading.Event, fairlane.Stop])
def test_run_works_until_stopped(make_stop):
    transport = fairlane.InMemoryTransport()
    seen, names = [], set()

    def handle(lease):
        names.add(lease.worker_id)
        seen.append(lease.event)
        time.sleep(0.001)

    stop = make_stop()
    thread = running(fairlane.Worker(transport, handle, threads=3, worker_id="me"), stop)
    for number in range(60):
        transport.publish(f"g{number % 6}", number)
    until(lambda: transport.stats().acked == 60)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    for group in range(6):
        assert [n for n in seen if n % 6 == group] == list(range(group, 60, 6))
    assert names == {"me-1", "me-2", "me-3"}


def test_groups_are_handled_in_parallel_and_one_group_is_not():
    transport = fairlane.InMemoryTransport()
    barrier = threading.Barrier(2, timeout=10)
    busy, overlaps = set(), []

    def handle(lease):
        if lease.group_id in busy:
            overlaps.append(lease)
        busy.add(lease.group_id)
        barrier.wait()
        busy.discard(lease.group_id)

    for group in "ab":
        for _ in range(5):
            transport.publish(group, None)
    stop = threading.Event()
    thread = running(fairlane.Worker(transport, handle, threads=2), stop)
    until(lambda: transport.stats().acked == 10)
    stop.set()
    thread.join(10)
    assert not overlaps


def test_a_handler_may_stop_its_worker():
    transport = fairlane.InMemoryTransport()
    worker = fairlane.Worker(transport, lambda lease: worker.stop())
    transport.publish("a", 1)
    transport.publish("a", 2)
    thread = running(worker, None)
    thread.join(10)
    assert not thread.is_alive()
    assert (transport.stats().acked, transport.stats().ready) == (1, 1)


def test_heartbeats_keep_a_lease():
    transport = fairlane.InMemoryTransport()
    notes = Notes()
    transport.publish("a", 1)
    worker = fairlane.Worker(
        transport, lambda lease: time.sleep(1.3), visibility=0.6, observer=notes
    )
    stop = threading.Event()
    thread = running(worker, stop)
    until(lambda: transport.stats().acked == 1)
    stop.set()
    thread.join(10)
    assert notes.words == ["claimed 1", "done 1"]
    assert transport.stats().claims == 1


def test_a_lost_lease_is_told_to_the_handler():
    transport = fairlane.InMemoryTransport()
    notes = Notes()

    def handle(lease, stop):
        transport.terminate("a")
        assert stop.wait(10)

    transport.publish("a", 1)
    stop = threading.Event()
    thread = running(fairlane.Worker(transport, handle, visibility=0.06, observer=notes), stop)
    until(lambda: "stale 1" in notes.words)
    stop.set()
    thread.join(10)
    assert notes.words == ["claimed 1", "lost 1", "stale 1"]


def test_stopping_lets_handlers_finish_within_the_grace():
    transport = fairlane.InMemoryTransport()
    begun = threading.Event()

    def handle(lease, stop):
        begun.set()
        time.sleep(0.1)
        assert not stop.is_set()

    transport.publish("a", 1)
    stop = threading.Event()
    thread = running(fairlane.Worker(transport, handle, grace=20), stop)
    assert begun.wait(10)
    stop.set()
    thread.join(10)
    assert transport.stats().acked == 1


def test_what_is_not_finished_after_the_grace_is_handed_back():
    transport = fairlane.InMemoryTransport()
    begun, handed_back = threading.Event(), []

    def handle(lease, stop):
        begun.set()
        assert stop.wait(10)
        handed_back.append(transport.stats().released)

    notes = Notes()
    transport.publish("a", 1)
    stop = threading.Event()
    thread = running(fairlane.Worker(transport, handle, grace=0.02, observer=notes), stop)
    assert begun.wait(10)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    until(lambda: "stale 1" in notes.words)
    assert transport.claim("w", 30).attempt == 1


def test_a_failing_transport_does_not_end_the_run():
    class Failing(fairlane.InMemoryTransport):
        failures = 3

        def claim_wait(self, *args, **kwargs):
            if self.failures:
                self.failures -= 1
                raise fairlane.TransportError("gone", "unavailable")
            return super().claim_wait(*args, **kwargs)

    notes = Notes()
    transport = Failing()
    stop = threading.Event()
    backoff = fairlane.Backoff(min=0.001, max=0.001)
    worker = fairlane.Worker(transport, lambda lease: None, backoff=backoff, observer=notes)
    thread = running(worker, stop)
    until(lambda: len(notes.words) == 3)
    transport.publish("a", 1)
    until(lambda: transport.stats().acked == 1)
    stop.set()
    thread.join(10)
    assert notes.words[:3] == ["failed gone"] * 3


def test_a_wrong_argument_ends_the_run_and_is_raised():
    worker = fairlane.Worker(fairlane.InMemoryTransport(), print, min_priority=2**40)
    with pytest.raises(ValueError, match="min_priority"):
        worker.run(threading.Event())


def test_a_handler_that_ends_the_program_ends_the_run_and_loses_nothing():
    def handle(lease):
        raise SystemExit(3)

    transport = fairlane.InMemoryTransport()
    transport.publish("a", 1)
    with pytest.raises(SystemExit):
        fairlane.Worker(transport, handle, threads=2).run()
    assert transport.claim("w", 30).attempt == 1


def test_ctrl_c_stops_the_run_and_is_raised():
    transport = fairlane.InMemoryTransport()
    transport.publish("a", 1)
    worker = fairlane.Worker(
        transport, lambda lease: os.kill(os.getpid(), signal.SIGINT), threads=2
    )
    for stop in (None, threading.Event()):
        with pytest.raises(KeyboardInterrupt):
            worker.run(stop)
        transport.publish("a", 1)
    assert transport.stats().leased == 0


def test_a_transport_with_only_the_five_verbs_does_for_step():
    class Five:
        def __init__(self):
            self.beneath = fairlane.InMemoryTransport()
            for verb in ("publish", "claim", "ack", "nack", "close"):
                setattr(self, verb, getattr(self.beneath, verb))

    transport = Five()
    transport.publish("a", 1)
    worker = fairlane.Worker(transport, lambda lease: None)
    assert worker.step() and not worker.step()


def test_random_handlers_lose_nothing_and_keep_order(rng):
    transport = fairlane.InMemoryTransport()
    done = {f"g{number}": [] for number in range(12)}
    lock = threading.Lock()

    def handle(lease):
        with lock:
            chance = rng.random()
        if chance < 0.2:
            raise ValueError("by chance")
        if chance < 0.3:
            return Outcome.retry(0.001)
        if chance < 0.4:
            return Outcome.released()
        done[lease.group_id].append(lease.event)
        return None

    for number in range(600):
        transport.publish(f"g{number % 12}", number)
    stop = threading.Event()
    backoff = fairlane.Backoff(min=0.0005, max=0.002)
    thread = running(fairlane.Worker(transport, handle, threads=4, backoff=backoff), stop)
    until(lambda: transport.stats().acked == 600)
    stop.set()
    thread.join(10)
    for group in range(12):
        assert done[f"g{group}"] == list(range(group, 600, 12))
