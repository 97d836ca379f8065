"""Section 11 of the contract: `step`, outcomes and options."""

import fairlane
import pytest
from fairlane import Outcome
from notes import Notes, settled


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
