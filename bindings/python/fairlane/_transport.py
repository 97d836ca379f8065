"""The transport in this process's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._types import Cancelled, DeadLetter, GroupInfo, QueuedMessage, Rotation, Stats, WhenExhausted
from .testing import ManualClock

_PAGE = 1000
_ALL = 2**63


class InMemoryTransport(_core.Queue):
    """A queue partitioned into groups: in order within a group, by turns across groups.

    Events are any objects; the very object that was published is what a lease holds. At most one
    message of a group is in flight, under a lease that runs out if its worker dies.

    Seconds are numbers or ``datetime.timedelta``, never negative, NaN or infinite; they count to
    the nearest nanosecond. ``group_id`` is a ``str`` or ``bytes`` of at most 1,024 bytes; text and
    its UTF-8 name the same group. All methods may be called from any thread; events are destroyed
    with no lock held, so their finalizers may call back. After ``os.fork`` a child has to make its
    own. Leaving a ``with`` block closes.

    :param clock: a callable that returns seconds; None: the system's monotonic clock.
    :param rotation: in which order groups take turns: a ``Rotation`` or its text.
    :param max_attempts: claims of one message before it is exhausted; 0: no limit.
    :param when_exhausted: what becomes of it then: a ``WhenExhausted`` or its text.
    :param max_messages: queued messages in all; 0: no limit.
    :param max_group_messages: queued messages of one group; 0: no limit.
    :param max_event_bytes: size of one event; 0: no limit.
    :param event_bytes: measures an event for ``max_event_bytes``; None: ``len``.
    """

    def __init__(
        self,
        clock: Callable[[], float] | None = None,
        *,
        rotation: Rotation | str = Rotation.OLDEST_CLAIM_FIRST,
        max_attempts: int = 0,
        when_exhausted: WhenExhausted | str = WhenExhausted.DEAD_LETTER,
        max_messages: int = 0,
        max_group_messages: int = 0,
        max_event_bytes: int = 0,
        event_bytes: Callable[[Any], int] | None = None,
    ) -> None:
        super().__init__(
            clock,
            Rotation(rotation).value,
            max_attempts,
            WhenExhausted(when_exhausted).value,
            max_messages,
            max_group_messages,
            max_event_bytes,
            event_bytes,
        )
        if isinstance(clock, ManualClock):
            clock._attach(self)

    def __enter__(self) -> InMemoryTransport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        stats = self.stats()
        messages = stats.ready + stats.waiting + stats.leased + stats.parked + stats.suspended
        return f"<fairlane.InMemoryTransport of {messages} messages in {stats.groups} groups>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a transport in memory cannot be pickled: it lives in this process alone")

    def inspect(self, group_id: str | bytes) -> GroupInfo:
        """Why a group is, or is not, delivered."""
        return GroupInfo(**self._inspect(group_id))

    def peek(self, group_id: str | bytes, limit: int = 1) -> list[QueuedMessage]:
        """The first messages of a group, head first."""
        return [QueuedMessage(*message[:3]) for message in self._peek(group_id, limit)]

    def cancel(self, group_id: str | bytes, event: Any) -> Cancelled:
        """Drop every message but a head that is leased now, and publish the event behind it."""
        return Cancelled(*self._cancel(group_id, event))

    def stats(self) -> Stats:
        """What the transport holds, and what it did. May scan the groups."""
        return Stats(**self._stats())

    def dead_letters(self, limit: int = 100, after_seq: int = 0) -> list[DeadLetter]:
        """A page of the dead letters with ``seq > after_seq``, in order of seq."""
        return [DeadLetter(*letter) for letter in self._dead_letters(limit, after_seq)]

    def _each_group(self) -> Any:
        """``(messages, info)`` of each active group."""
        after: str | bytes | None = None
        while names := self.groups(limit=_PAGE, after=after):
            for name in names:
                if messages := self._peek(name, _ALL):
                    yield messages, self.inspect(name)
            after = names[-1]

    @property
    def _messages(self) -> list[dict[str, Any]]:
        """A snapshot in the shape of list-based transports, for code that looks into those."""
        snapshot: list[dict[str, Any]] = []
        for messages, info in self._each_group():
            locked_by = "__parked__" if info.state == "parked" else info.worker_id
            for seq, event, _, group_id in messages:
                snapshot.append(
                    {
                        "seq": seq,
                        "group_id": group_id,
                        "event": event,
                        "locked_by": locked_by,
                        "lock_expiry": 0.0 if locked_by is None else info.until,
                    }
                )
                locked_by = None  # Only a head is ever in flight.
        return sorted(snapshot, key=lambda message: int(message["seq"]))

    @property
    def _groups(self) -> dict[str | bytes, dict[str, Any]]:
        """A snapshot in the shape of list-based transports, as ``_messages``."""
        return {
            messages[0][3]: {"last_claimed_at": info.last_claimed_at, "priority": info.priority}
            for messages, info in self._each_group()
        }
