"""Section 11 of the contract: step and run, on threads."""

import os
import signal
import threading
import time

import fairlane
import pytest
from conftest import until
from fairlane import Outcome


class Notes(fairlane.Observer):
    """What a worker told, as words."""

    def __init__(self):
        self.words = []

    def claimed(self, lease):
        self.words.append(f"claimed {lease.event}")

    def done(self, lease):
        self.words.append(f"done {lease.event}")

    def retried(self, lease, delay, why):
        self.words.append(f"retried {lease.event} {delay} {why}".strip())

    def dead(self, lease, reason):
        self.words.append(f"dead {lease.event} {reason}")

    def released(self, lease):
        self.words.append(f"released {lease.event}")

    def stale(self, lease):
        self.words.append(f"stale {lease.event}")

    def lost(self, lease):
        self.words.append(f"lost {lease.event}")

    def failed(self, error):
        self.words.append(f"failed {error}")


def settled(notes):
    return [word for word in notes.words if not word.startswith("claimed")]


def test_step_does_exactly_one(transport):
    seen = []
    worker = fairlane.Worker(transport, lambda lease: seen.append(lease.event))
    assert worker.step() is False
    transport.publish("a", 1)
    transport.publish("a", 2)
    assert worker.step() is True
    assert seen == [1]
    assert worker.step() and not worker.step()
    assert transport.stats().acked == 2


@pytest.mark.parametrize(
    "outcome, word, state",
    [
        (None, "done 1", "absent"),
        (Outcome.done(), "done 1", "absent"),
        (Outcome.retry(5), "retried 1 5", "parked"),
        (Outcome.dead("no good"), "dead 1 no good", "absent"),
        (Outcome.released(), "released 1", "ready"),
    ],
)
def test_outcomes(transport, outcome, word, state):
    notes = Notes()
    transport.publish("a", 1)
    fairlane.Worker(transport, lambda lease: outcome, observer=notes).step()
    assert notes.words == ["claimed 1", word]
    assert transport.inspect("a").state == state


def test_an_exception_is_a_retry_with_the_back_off(transport, clock):
    notes = Notes()
    backoff = fairlane.Backoff(min=1, max=5, jitter=0)
    worker = fairlane.Worker(transport, lambda lease: 1 // 0, backoff=backoff, observer=notes)
    transport.publish("a", 1)
    for _ in range(4):
        assert worker.step()
        assert not worker.step()
        clock.advance(5.001)
    why = "ZeroDivisionError: integer division or modulo by zero"
    assert settled(notes) == [f"retried 1 {delay} {why}" for delay in (1.0, 2.0, 4.0, 5.0)]


def test_a_handler_that_returns_something_else_has_failed(transport):
    notes = Notes()
    transport.publish("a", 1)
    fairlane.Worker(transport, lambda lease: "done", observer=notes).step()
    assert "returned 'done', which is no fairlane.Outcome" in settled(notes)[0]


def test_the_back_off_is_deterministic_under_a_seed():
    backoff = fairlane.Backoff()
    one = [backoff.delay(attempt, 7, 1) for attempt in range(1, 12)]
    assert one == [backoff.delay(attempt, 7, 1) for attempt in range(1, 12)]
    assert one != [backoff.delay(attempt, 7, 2) for attempt in range(1, 12)]
    assert 0.05 <= one[0] <= 0.1 and 15 <= one[-1] <= 30


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: fairlane.Backoff(min=-1),
        lambda: fairlane.Backoff(jitter=1.5),
        lambda: fairlane.Worker(None, print, threads=0),
        lambda: fairlane.Worker(None, print, visibility=-1),
        lambda: fairlane.Worker(None, print, grace=float("nan")),
        lambda: fairlane.Worker(None, print, high_ratio=1.5),
        lambda: Outcome.retry(-1),
        lambda: Outcome.retry(float("inf")),
    ],
)
def test_options_out_of_range(wrong):
    with pytest.raises(ValueError):
        wrong()


def test_a_share_of_the_claims_looks_at_high_priorities_first(transport):
    for number in range(10):
        transport.publish(f"low-{number}", "low", priority=0)
    for number in range(10):
        transport.publish(f"high-{number}", "high", priority=9)
    seen = []
    worker = fairlane.Worker(
        transport, lambda lease: seen.append(lease.event), high_ratio=0.5, priority_threshold=5
    )
    while worker.step():
        pass
    assert seen[:12] == ["low", "high"] * 6


def test_the_floor_holds(transport):
    transport.publish("low", None, priority=2)
    assert not fairlane.Worker(transport, lambda lease: None, min_priority=3).step()


def test_a_late_settle_is_stale(transport):
    notes = Notes()
    transport.publish("a", 1)
    worker = fairlane.Worker(
        transport, lambda lease: transport.terminate("a") and None, observer=notes
    )
    worker.step()
    assert settled(notes) == ["stale 1"]


def test_what_an_observer_raises_is_swallowed(transport):
    class Broken(fairlane.Observer):
        def done(self, lease):
            raise RuntimeError

    transport.publish("a", 1)
    assert fairlane.Worker(transport, lambda lease: None, observer=Broken()).step()
    assert transport.stats().acked == 1


def test_a_handler_gets_a_stop_if_it_takes_two_arguments(transport):
    seen = []

    class Handler:
        def __call__(self, lease, stop):
            seen.append(stop.is_set())

        def method(self, lease):
            seen.append("none")

    for handler in (Handler(), lambda lease, stop=None: seen.append(stop.is_set()), Handler().method):
        transport.publish("a", 1)
        fairlane.Worker(transport, handler).step()
    assert seen == [False, False, "none"]


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
        transport, lambda lease: time.sleep(0.4), visibility=0.15, observer=notes
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
