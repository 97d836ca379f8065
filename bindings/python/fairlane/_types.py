"""Options and records."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple


class Rotation(str, enum.Enum):
    """In which order groups take turns. Their texts do as well: ``rotation="ready_order"``."""

    #: Groups never claimed since they became active come first, by age; then whoever was claimed
    #: longest ago. Groups that come and go can overtake one with a backlog for ever.
    OLDEST_CLAIM_FIRST = "oldest_claim_first"
    #: One line: groups join its end when they become active, and again when they are claimed.
    READY_ORDER = "ready_order"


class WhenExhausted(str, enum.Enum):
    """What becomes of a message that was claimed ``max_attempts`` times and not acked."""

    #: It moves to the dead letters; its group goes on.
    DEAD_LETTER = "dead_letter"
    #: It stays the head and its group is suspended: order is worth more than progress.
    SUSPEND_GROUP = "suspend_group"


@dataclass(frozen=True)
class GroupInfo:
    """What ``inspect`` tells of one group."""

    #: Why it is, or is not, delivered.
    state: Literal["absent", "ready", "leased", "parked", "suspended"]
    #: Also while a live lease runs on, and while it holds nothing.
    suspended: bool
    #: The one in flight included.
    messages: int
    #: Meaningful unless absent.
    priority: int
    #: Seconds of the transport's clock; 0.0: never since it became active.
    last_claimed_at: float
    #: Leased or parked: its last instant, in seconds of the transport's clock.
    until: float | None
    #: Leased: by whom.
    worker_id: str | None
    #: Leased: which delivery.
    attempt: int | None


@dataclass(frozen=True)
class Stats:
    """What a transport holds, and from ``published`` on, what it did."""

    #: Active groups.
    groups: int
    #: Messages that a claim could take now, whatever its floor.
    ready: int
    #: Messages behind their head.
    waiting: int
    leased: int
    parked: int
    #: Messages of suspended groups, neither leased nor parked.
    suspended: int
    #: Dead letters.
    dead: int
    #: Seconds since the oldest queued message was published; 0.0: there is none.
    oldest_age: float

    #: Messages stored, redrives and cancels included.
    published: int
    #: Leases given.
    claims: int
    #: Leases with ``attempt > 1``.
    redelivered: int
    acked: int
    nacks: int
    released: int
    #: Answers of any kind that were stale.
    stale: int
    #: By ``terminate``, ``cancel`` and ``drop_dead``.
    dropped: int
    #: Rejects included.
    dead_lettered: int
    #: Dead letters published again.
    redriven: int


@dataclass(frozen=True)
class DeadLetter:
    """A message that was given up."""

    seq: int
    #: As it was given when the message was published.
    group_id: str | bytes
    event: Any
    attempts: int
    #: Of its group when it died.
    priority: int
    #: Who claimed it last.
    worker_id: str
    #: Of the reject; empty otherwise.
    reason: str


class QueuedMessage(NamedTuple):
    """A queued message as ``peek`` shows it."""

    seq: int
    event: Any
    #: Claims so far.
    attempts: int


class Cancelled(NamedTuple):
    """What ``cancel`` did."""

    #: Messages.
    dropped: int
    #: Of the event published instead.
    seq: int
