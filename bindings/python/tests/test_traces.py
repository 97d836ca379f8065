"""The recorded traces, driven through the Python face."""

import json
import os
import pathlib

import fairlane
import pytest

TRACES = pathlib.Path(os.environ["FAIRLANE_TRACES"])
MS = 1_000_000


class Clock:
    """Counts whole nanoseconds. A float holds the seconds since 1970 to some hundreds of them only,
    so a trace that begins that late is played earlier."""

    nanoseconds = 0
    earlier = 0

    def __call__(self):
        return self.nanoseconds / 1e9

    def advance(self, ms):
        if self.nanoseconds == 0 and ms > 10**12:
            self.earlier = ms - 10**6
        self.nanoseconds += (ms if self.nanoseconds else ms - self.earlier) * MS
        return self.nanoseconds // MS + self.earlier

    def millis(self, seconds):
        return round(seconds * 1e9) // MS + (self.earlier if seconds else 0)


class Replay:
    """One trace; each method is one operation and returns its result."""

    def __init__(self):
        self.clock = Clock()
        self.leases = {}
        self.config()

    def do(self, line):
        line = dict(line)
        line.pop("expect", None)
        try:
            return getattr(self, line.pop("op"))(**line)
        except fairlane.TransportError as error:
            return {"error": error.code}
        except ValueError:
            return {"error": "invalid_argument"}

    def config(self, **options):
        def size(event):
            text = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
            return len(text.encode())

        self.transport = fairlane.InMemoryTransport(self.clock, event_bytes=size, **options)
        return {}

    def advance(self, ms):
        return {"now_ms": self.clock.advance(ms)}

    def publish(self, group, event=None, priority=0):
        return {"seq": self.transport.publish(group, event, priority)}

    def publish_batch(self, messages):
        batch = [(m["group"], m.get("event"), m.get("priority", 0)) for m in messages]
        return {"seqs": self.transport.publish_batch(batch)}

    def shown(self, lease, name):
        if name is not None:
            self.leases[name] = lease
        return lease and {
            "seq": lease.seq,
            "group": lease.group_id,
            "event": lease.event,
            "attempt": lease.attempt,
            "expires_at_ms": self.clock.millis(lease.expires_at),
        }

    def claim(self, worker="w", visibility_ms=30000, min_priority=0, **name):
        lease = self.transport.claim(worker, visibility_ms / 1000, min_priority)
        return {"lease": self.shown(lease, name.get("as"))}

    def claim_batch(self, n, worker="w", visibility_ms=30000, min_priority=0, **name):
        leases = self.transport.claim_batch(n, worker, visibility_ms / 1000, min_priority)
        prefix = name.get("as")
        names = [prefix and f"{prefix}.{i}" for i in range(n)]
        for each in names[len(leases) :]:
            self.leases[each] = None
        return {"leases": [self.shown(*both) for both in zip(leases, names)]}

    def ack_claim(self, lease, worker="w", visibility_ms=30000, min_priority=0, **name):
        done, claimed = self.transport.ack_claim(
            self.leases[lease], worker, visibility_ms / 1000, min_priority
        )
        return {**self.settled(done), "lease": self.shown(claimed, name.get("as"))}

    def settled(self, done):
        return {"settled": "done" if done else "stale"}

    def ack(self, lease):
        return self.settled(self.transport.ack(self.leases[lease]))

    def nack(self, lease, delay_ms=0):
        return self.settled(self.transport.nack(self.leases[lease], delay_ms / 1000))

    def extend(self, lease, visibility_ms):
        return self.settled(self.transport.extend(self.leases[lease], visibility_ms / 1000))

    def release(self, lease):
        return self.settled(self.transport.release(self.leases[lease]))

    def reject(self, lease, reason=""):
        return self.settled(self.transport.reject(self.leases[lease], reason))

    def suspend(self, group):
        self.transport.suspend(group)
        return {}

    def resume(self, group):
        self.transport.resume(group)
        return {}

    def terminate(self, group):
        return {"dropped": self.transport.terminate(group)}

    def cancel(self, group, event=None):
        return self.transport.cancel(group, event)._asdict()

    def inspect(self, group):
        info = self.transport.inspect(group)
        shown = {"state": info.state, "suspended": info.suspended, "messages": info.messages}
        if info.state != "absent":
            shown["priority"] = info.priority
            shown["last_claimed_at_ms"] = self.clock.millis(info.last_claimed_at)
        if info.until is not None:
            shown["until_ms"] = self.clock.millis(info.until)
        if info.state == "leased":
            shown["worker"], shown["attempt"] = info.worker_id, info.attempt
        return shown

    def peek(self, group, limit=10):
        messages = self.transport.peek(group, limit)
        return {"messages": [message._asdict() for message in messages]}

    def groups(self, suspended=False, limit=100, after=None):
        return {"groups": self.transport.groups(suspended, limit, after)}

    def stats(self):
        stats = vars(self.transport.stats()).copy()
        del stats["oldest_age"]
        return stats

    def dead_letters(self, limit=100):
        return {
            "dead": [
                {
                    "seq": letter.seq,
                    "group": letter.group_id,
                    "event": letter.event,
                    "attempts": letter.attempts,
                    "worker": letter.worker_id,
                    "reason": letter.reason,
                }
                for letter in self.transport.dead_letters(limit)
            ]
        }

    def redrive(self, seq):
        return {"seq": self.transport.redrive(seq)}

    def drop_dead(self, seq):
        self.transport.drop_dead(seq)
        return {}

    def close(self):
        self.transport.close()
        return {}

    def reopen(self):
        self.transport._reopen()
        return {}


def agrees(result, expected):
    """Every key that is expected is there; lists compare whole."""
    if isinstance(expected, dict):
        return isinstance(result, dict) and all(
            key in result and agrees(result[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(result, list)
            and len(result) == len(expected)
            and all(map(agrees, result, expected))
        )
    return result == expected and type(result) is type(expected)


def test_there_are_traces():
    assert list(TRACES.glob("*.jsonl"))


@pytest.mark.parametrize("trace", sorted(TRACES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_trace(trace):
    replay = Replay()
    expectations = 0
    for number, text in enumerate(trace.read_text().splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        line = json.loads(text)
        result = replay.do(line)
        if "expect" in line:
            expectations += 1
            assert agrees(result, line["expect"]), f"{trace.name}:{number}: {result} for {text}"
    assert expectations
