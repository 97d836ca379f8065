"""What a handler says shall become of its message, and how workers act on it."""

from __future__ import annotations

import enum
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from . import _core

Seconds = float | int | timedelta


class Kind(enum.Enum):
    DONE = enum.auto()
    RETRY = enum.auto()
    FAILED = enum.auto()
    DEAD = enum.auto()
    RELEASED = enum.auto()


@dataclass(frozen=True)
class Outcome:
    """What shall become of a message that was handled. Returning None is ``Outcome.done()``."""

    kind: Kind
    delay: Seconds = 0.0
    why: str = ""

    def __post_init__(self) -> None:
        check_seconds("delay", self.delay)

    @staticmethod
    def done() -> Outcome:
        """It is acked."""
        return Outcome(Kind.DONE)

    @staticmethod
    def retry(delay: Seconds) -> Outcome:
        """It is put back, parked for ``delay``."""
        return Outcome(Kind.RETRY, delay=delay)

    @staticmethod
    def failed(why: str = "") -> Outcome:
        """It is put back, parked for the back-off of its attempt, as after an exception."""
        return Outcome(Kind.FAILED, why=why)

    @staticmethod
    def dead(reason: str = "") -> Outcome:
        """It moves to the dead letters."""
        return Outcome(Kind.DEAD, why=reason)

    @staticmethod
    def released() -> Outcome:
        """It is handed back at once, and this claim is not counted as an attempt."""
        return Outcome(Kind.RELEASED)


@dataclass(frozen=True)
class Backoff:
    """How long a failed message is parked: ``min * 2 ** (attempt - 1)``, at most ``max``, less a
    random share of up to ``jitter``, so that what failed together does not come back together."""

    min: Seconds = 0.1
    max: Seconds = 30.0
    jitter: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"jitter is not in 0..1: {self.jitter!r}")
        self.delay(1, 1, 0)

    def delay(self, attempt: int, seq: int, seed: int) -> float:
        """Seconds before the attempt that follows ``attempt``; the same for the same arguments."""
        return _core.backoff_delay(self.min, self.max, self.jitter, attempt, seq, seed)


class Observer:
    """Told what becomes of each message, for logs and metrics; override what you want.

    Called on the worker's threads, several at once. What it raises is swallowed.
    """

    def claimed(self, lease: _core.Lease) -> None:
        """A lease was given; its handler comes next."""

    def done(self, lease: _core.Lease) -> None:
        """It was acked."""

    def retried(self, lease: _core.Lease, delay: Seconds, why: str) -> None:
        """Put back; on its last attempt the queue's rules decide instead."""

    def dead(self, lease: _core.Lease, reason: str) -> None:
        """Rejected, by the handler's own word."""

    def released(self, lease: _core.Lease) -> None:
        """Handed back unhandled."""

    def stale(self, lease: _core.Lease) -> None:
        """The settle came too late: somebody else may have the message."""

    def lost(self, lease: _core.Lease) -> None:
        """A heartbeat found the lease lost while the handler ran."""

    def failed(self, error: Exception) -> None:
        """The transport failed; the worker goes on after the back-off."""


@dataclass(frozen=True)
class Options:
    """What both workers are told."""

    visibility: Seconds
    min_priority: int
    high_ratio: float
    priority_threshold: int
    backoff: Backoff
    grace: Seconds
    seed: int
    observer: Observer

    def __post_init__(self) -> None:
        if not 0 <= self.high_ratio <= 1:
            raise ValueError(f"high_ratio is not in 0..1: {self.high_ratio!r}")
        check_seconds("visibility", self.visibility)
        check_seconds("grace", self.grace)

    def tell(self, what: str, *arguments: Any) -> None:
        try:
            getattr(self.observer, what)(*arguments)
        except Exception:
            pass

    def settle(self, lease: _core.Lease, outcome: Outcome) -> tuple[str, tuple[Any, ...]]:
        """The verb for an outcome, and its arguments behind the lease."""
        if outcome.kind is Kind.DONE:
            return "ack", ()
        if outcome.kind is Kind.RETRY:
            return "nack", (outcome.delay,)
        if outcome.kind is Kind.FAILED:
            return "nack", (self.backoff.delay(lease.attempt, lease.seq, self.seed),)
        if outcome.kind is Kind.DEAD:
            return "reject", (outcome.why,)
        return "release", ()

    def tell_settled(
        self, lease: _core.Lease, outcome: Outcome, arguments: tuple[Any, ...], current: bool
    ) -> None:
        if not current:
            self.tell("stale", lease)
        elif outcome.kind is Kind.DONE:
            self.tell("done", lease)
        elif outcome.kind is Kind.DEAD:
            self.tell("dead", lease, outcome.why)
        elif outcome.kind is Kind.RELEASED:
            self.tell("released", lease)
        else:
            self.tell("retried", lease, *arguments, outcome.why)


class Turns:
    """Which claims look at the high priorities first: a share of them, evenly spread."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._share = 0.0

    def is_high(self) -> bool:
        self._share += self._options.high_ratio
        if self._share < 1:
            return False
        self._share -= 1
        return True


def seconds(duration: Seconds) -> float:
    return duration.total_seconds() if isinstance(duration, timedelta) else float(duration)


def check_seconds(name: str, duration: Seconds) -> None:
    value = seconds(duration)
    if value < 0:
        raise ValueError(f"{name} is negative: {duration!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} is not finite: {duration!r}")


def beat_every(visibility: Seconds) -> float | None:
    """Seconds between heartbeats; None: no lease that short is kept alive."""
    third = seconds(visibility) / 3
    return max(third, 0.001) if third > 0 else None


def outcome_of(result: object) -> Outcome:
    if result is None:
        return Outcome.done()
    if isinstance(result, Outcome):
        return result
    return Outcome.failed(f"the handler returned {result!r}, which is no fairlane.Outcome")


def outcome_of_exception(error: BaseException) -> Outcome:
    return Outcome.failed(f"{type(error).__name__}: {error}")


def wants_stop(handler: Callable[..., Any]) -> bool:
    """Whether a handler takes a second argument."""
    try:
        inspect.signature(handler).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # It does not say.
        return False
    return True
