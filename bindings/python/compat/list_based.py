"""The list-and-lock transport that programs carry about: what ours stands in for.

Written from its description in the contract: the default rotation, no fences. A reference to test
and to measure against, not for use.
"""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

PARKED = "__parked__"


class Lease(NamedTuple):
    seq: int
    group_id: str
    event: Any


class InMemoryTransport:
    def __init__(self, clock=time.time):
        self._clock = clock
        self._lock = threading.Lock()
        self._seq = 0
        self._messages: list[dict[str, Any]] = []
        self._groups: dict[str, dict[str, Any]] = {}

    def publish(self, group_id, event, priority=0):
        with self._lock:
            self._seq += 1
            self._messages.append(
                {
                    "seq": self._seq,
                    "group_id": group_id,
                    "event": event,
                    "locked_by": None,
                    "lock_expiry": 0.0,
                }
            )
            self._groups.setdefault(group_id, {"last_claimed_at": 0.0, "priority": priority})
            return self._seq

    def claim(self, worker_id, visibility, min_priority=0):
        with self._lock:
            now = self._clock()
            busy = {
                message["group_id"]
                for message in self._messages
                if message["locked_by"] is not None and message["lock_expiry"] >= now
            }
            in_turn = sorted(
                self._messages,
                key=lambda m: (self._groups[m["group_id"]]["last_claimed_at"], m["seq"]),
            )
            for message in in_turn:
                group = self._groups[message["group_id"]]
                if message["group_id"] in busy or group["priority"] < min_priority:
                    continue
                message["locked_by"] = worker_id
                message["lock_expiry"] = now + visibility
                group["last_claimed_at"] = now
                return Lease(message["seq"], message["group_id"], message["event"])
            return None

    def ack(self, lease):
        with self._lock:
            self._messages = [m for m in self._messages if m["seq"] != lease.seq]
            if all(m["group_id"] != lease.group_id for m in self._messages):
                self._groups.pop(lease.group_id, None)

    def nack(self, lease, delay=0.0):
        with self._lock:
            for message in self._messages:
                if message["seq"] == lease.seq:
                    message["locked_by"] = PARKED if delay > 0 else None
                    message["lock_expiry"] = self._clock() + delay if delay > 0 else 0.0

    def close(self):
        pass
