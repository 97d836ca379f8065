"""The contract's sections 1 to 6, as slowly and plainly as they read: a list, scanned each time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Message:
    seq: int
    group: str
    event: Any
    attempts: int = 0
    fence: int = 0  # 0: no current lease
    worker: str = ""
    state: str = "free"  # or leased, parked
    expiry: int = 0


@dataclass
class Group:
    priority: int
    last_claimed_at: int = 0
    line: int = 0


@dataclass
class Model:
    rotation: str = "oldest_claim_first"
    max_attempts: int = 0
    when_exhausted: str = "dead_letter"
    max_messages: int = 0
    max_group_messages: int = 0
    now: int = 0
    seq: int = 0
    fence: int = 0
    line: int = 0
    messages: list[Message] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)
    suspended: set[str] = field(default_factory=set)
    dead: dict[int, tuple[Message, int, str]] = field(default_factory=dict)

    # What the clock alone does.

    def advance(self, nanoseconds):
        """In steps, for what ran out first dies first."""
        end = self.now + nanoseconds
        while expiries := [m.expiry for m in self.messages if m.state != "free" and m.expiry < end]:
            self.now = min(expiries) + 1
            for message in sorted(self.messages, key=lambda m: m.expiry):
                if message.state == "free" or message.expiry >= self.now:
                    continue
                leased = message.state == "leased"
                message.state = "free"
                if leased and self.is_exhausted(message):
                    self.exhaust(message)
        self.now = end

    def is_exhausted(self, message):
        return self.max_attempts != 0 and message.attempts >= self.max_attempts

    def exhaust(self, message):
        message.fence = 0
        message.state = "free"
        if self.when_exhausted == "suspend_group":
            self.suspended.add(message.group)
        else:
            self.bury(message, "")

    def bury(self, message, reason):
        self.dead[message.seq] = (message, self.groups[message.group].priority, reason)
        self.remove(message)

    def remove(self, message):
        message.fence = 0
        self.messages.remove(message)
        if all(other.group != message.group for other in self.messages):
            del self.groups[message.group]

    # The verbs.

    def of(self, group):
        return [message for message in self.messages if message.group == group]

    def has_room(self, group):
        if self.max_messages and len(self.messages) >= self.max_messages:
            return False
        return not (self.max_group_messages and len(self.of(group)) >= self.max_group_messages)

    def publish(self, group, event, priority=0):
        if not self.has_room(group):
            return "full"
        self.seq += 1
        if group not in self.groups:
            self.line += 1
            self.groups[group] = Group(priority, line=self.line)
        self.messages.append(Message(self.seq, group, event))
        return self.seq

    def turn(self, message):
        group = self.groups[message.group]
        if self.rotation == "ready_order":
            return group.line
        return (group.last_claimed_at, message.seq)

    def claim(self, worker, visibility, floor):
        heads = {}
        for message in self.messages:
            heads.setdefault(message.group, message)
        able = [
            head
            for head in heads.values()
            if head.state == "free"
            and head.group not in self.suspended
            and self.groups[head.group].priority >= floor
        ]
        if not able:
            return None
        head = min(able, key=self.turn)
        self.fence += 1
        self.line += 1
        head.attempts += 1
        head.fence, head.worker, head.state = self.fence, worker, "leased"
        head.expiry = self.now + visibility
        self.groups[head.group].last_claimed_at = self.now
        self.groups[head.group].line = self.line
        return head.fence, head.seq, head.group, head.event, head.attempts, head.expiry

    def current(self, fence):
        return next((m for m in self.messages if fence != 0 and m.fence == fence), None)

    def ack(self, fence):
        if (message := self.current(fence)) is None:
            return False
        self.remove(message)
        return True

    def nack(self, fence, delay):
        if (message := self.current(fence)) is None:
            return False
        if self.is_exhausted(message):
            self.exhaust(message)
            return True
        message.fence = 0
        message.state = "parked" if delay > 0 else "free"
        message.expiry = self.now + delay
        return True

    def extend(self, fence, visibility):
        if (message := self.current(fence)) is None:
            return False
        message.state = "leased"
        message.expiry = self.now + visibility
        return True

    def release(self, fence):
        if (message := self.current(fence)) is None:
            return False
        message.attempts -= 1
        message.fence = 0
        message.state = "free"
        return True

    def reject(self, fence, reason):
        if (message := self.current(fence)) is None:
            return False
        self.bury(message, reason)
        return True

    # The control plane.

    def terminate(self, group):
        mine = self.of(group)
        for message in mine:
            self.remove(message)
        return len(mine)

    def cancel(self, group, event):
        mine = self.of(group)
        kept = mine[:1] if mine and mine[0].state == "leased" else []
        dropped = [message for message in mine if message not in kept]
        left = len(self.messages) - len(dropped)
        if self.max_messages and left >= self.max_messages:
            return "full"
        if self.max_group_messages and len(kept) >= self.max_group_messages:
            return "full"
        record = self.groups.get(group)
        for message in dropped:
            self.remove(message)
        if record is not None:
            self.groups[group] = record
        return len(dropped), self.publish(group, event)

    def redrive(self, seq):
        if seq not in self.dead:
            return "not_found"
        message, priority, _ = self.dead[seq]
        published = self.publish(message.group, message.event, priority)
        if published != "full":
            del self.dead[seq]
        return published

    def inspect(self, group):
        mine = self.of(group)
        if not mine:
            return "absent", group in self.suspended, 0
        state = mine[0].state
        if state == "free":
            state = "suspended" if group in self.suspended else "ready"
        return state, group in self.suspended, len(mine)
