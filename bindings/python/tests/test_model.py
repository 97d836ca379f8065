"""Random histories against a slow model of the contract, and against the list-based algorithm."""

import os
import pathlib
import sys

import fairlane
import pytest
from slow_model import Model

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "compat"))
import list_based  # noqa: E402

OPERATIONS = int(os.environ.get("FAIRLANE_OPERATIONS", "20000"))
GROUPS = ["a", "b", "c", "dd", "ü", ""]
MS = 1_000_000


class Nanoseconds:
    """A clock that stands on whole nanoseconds, so that floats hide nothing."""

    now = 0

    def __call__(self):
        return self.now / 1e9


def attempt(call):
    try:
        return call()
    except fairlane.TransportError as error:
        return error.code


def seconds(nanoseconds):
    return nanoseconds / 1e9


class History:
    """One random history, told to both sides."""

    def __init__(self, rng, options):
        self.rng = rng
        self.clock = Nanoseconds()
        self.ours = fairlane.InMemoryTransport(self.clock, **options)
        self.model = Model(**options)
        self.leases = []  # (ours, the model's fence), old ones too

    def step(self):
        names = ["publish"] * 6 + ["claim"] * 6 + ["settle"] * 6 + ["advance"] * 2 + ["control"]
        getattr(self, self.rng.choice(names))()

    def same(self, ours, model, what):
        agree = ours == model
        assert agree, f"{what}: ours {ours!r}, the model {model!r}"

    def publish(self):
        group, priority = self.rng.choice(GROUPS), self.rng.choice([0, 0, 0, 5, -5])
        event = object()
        self.same(
            attempt(lambda: self.ours.publish(group, event, priority)),
            self.model.publish(group, event, priority),
            f"publish {group!r}",
        )

    def claim(self):
        worker = self.rng.choice(["w1", "w2"])
        visibility = self.rng.choice([0, 1, 3 * MS, 30 * MS])
        floor = self.rng.choice([0, 0, 5, -(2**31)])
        lease = self.ours.claim(worker, seconds(visibility), floor)
        model = self.model.claim(worker, visibility, floor)
        ours = lease and (
            lease.seq, lease.group_id, lease.event, lease.attempt, lease.expires_at
        )
        expected = model and (*model[1:5], seconds(model[5]))
        self.same(ours, expected, "claim")
        if lease is not None:
            self.leases.append((lease, model[0]))
            del self.leases[:-20]

    def settle(self):
        if not self.leases:
            return
        lease, fence = self.rng.choice(self.leases)
        verb = self.rng.choice(["ack", "ack", "ack", "nack", "nack", "extend", "release", "reject"])
        duration = self.rng.choice([0, 1, 5 * MS, 40 * MS])
        arguments = {"nack": (duration,), "extend": (duration,), "reject": ("why",)}.get(verb, ())
        ours = tuple(seconds(a) if isinstance(a, int) else a for a in arguments)
        self.same(
            getattr(self.ours, verb)(lease, *ours),
            getattr(self.model, verb)(fence, *arguments),
            f"{verb} {lease!r}",
        )

    def advance(self):
        by = self.rng.choice([0, 1, 2, MS, 3 * MS, 5 * MS + 1, 50 * MS])
        self.clock.now += by
        self.model.advance(by)

    def control(self):
        group = self.rng.choice(GROUPS)
        verb = self.rng.choice(["suspend", "resume", "resume", "terminate", "cancel", "dead"])
        if verb == "suspend":
            self.ours.suspend(group)
            self.model.suspended.add(group)
        elif verb == "resume":
            self.ours.resume(group)
            self.model.suspended.discard(group)
        elif verb == "terminate":
            self.same(self.ours.terminate(group), self.model.terminate(group), "terminate")
        elif verb == "cancel":
            event = object()
            self.same(
                attempt(lambda: tuple(self.ours.cancel(group, event))),
                self.model.cancel(group, event),
                "cancel",
            )
        else:
            self.redrive()
        self.look()

    def redrive(self):
        letters = [
            (letter.seq, letter.group_id, letter.event, letter.attempts, letter.priority,
             letter.worker_id, letter.reason)
            for letter in self.ours.dead_letters(limit=2**40)
        ]
        expected = [
            (seq, m.group, m.event, m.attempts, priority, m.worker, reason)
            for seq, (m, priority, reason) in sorted(self.model.dead.items())
        ]
        self.same(letters, expected, "dead_letters")
        for seq, *_ in letters[:-20]:
            self.ours.drop_dead(seq)
            del self.model.dead[seq]
        seq = self.rng.choice(letters)[0] if letters else 1
        self.same(attempt(lambda: self.ours.redrive(seq)), self.model.redrive(seq), "redrive")

    def look(self):
        for group in GROUPS:
            info = self.ours.inspect(group)
            ours = (info.state, info.suspended, info.messages)
            self.same(ours, self.model.inspect(group), f"inspect {group!r}")
        model = self.model
        heads = {}
        for message in model.messages:
            heads.setdefault(message.group, message)
        stats = self.ours.stats()
        flying = [m for m in heads.values() if m.state != "free"]
        stuck = [m for m in model.messages if m.group in model.suspended and m not in flying]
        ready = [m for m in heads.values() if m.state == "free" and m not in stuck]
        self.same(
            (stats.groups, stats.ready, stats.leased, stats.parked, stats.suspended, stats.dead),
            (
                len(model.groups),
                len(ready),
                sum(m.state == "leased" for m in flying),
                sum(m.state == "parked" for m in flying),
                len(stuck),
                len(model.dead),
            ),
            "stats",
        )
        queued = stats.ready + stats.waiting + stats.leased + stats.parked + stats.suspended
        assert queued == len(model.messages)
        assert stats.published == queued + stats.acked + stats.dead + stats.dropped + stats.redriven
        order = [(m["seq"], m["group_id"], m["event"]) for m in self.ours._messages]
        self.same(order, [(m.seq, m.group, m.event) for m in model.messages], "_messages")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rotation": "ready_order"},
        {"max_attempts": 1},
        {"max_attempts": 3},
        {"max_attempts": 2, "when_exhausted": "suspend_group"},
        {"max_messages": 6, "max_group_messages": 3},
        {"max_messages": 6, "max_attempts": 1, "rotation": "ready_order"},
    ],
    ids=str,
)
def test_random_histories_agree_with_the_contract(rng, options):
    history = History(rng, options)
    for _ in range(OPERATIONS):
        history.step()


def test_the_model_would_notice(rng):
    history = History(rng, {})
    history.model.turn = lambda message: -message.seq
    with pytest.raises(AssertionError):
        for _ in range(OPERATIONS):
            history.step()


def test_the_list_based_algorithm_agrees_on_every_answer(rng):
    """For well-behaved clients: who settles in time, once, and sees the lease as it is."""
    now = [0.0]
    ours = fairlane.InMemoryTransport(lambda: now[0])
    theirs = list_based.InMemoryTransport(lambda: now[0])
    held = []
    for number in range(OPERATIONS):
        choice = rng.random()
        if choice < 0.4:
            group, priority = rng.choice(GROUPS), rng.choice([0, 0, 3])
            event = object()
            assert ours.publish(group, event, priority) == theirs.publish(group, event, priority)
        elif choice < 0.7:
            floor = rng.choice([0, 0, 3])
            mine = ours.claim(f"w{number % 3}", 30.0, floor)
            other = theirs.claim(f"w{number % 3}", 30.0, floor)
            assert (mine is None) == (other is None)
            if mine is not None:
                assert (mine.seq, mine.group_id, mine.event) == other
                held.append((mine, other))
        elif choice < 0.95 and held:
            mine, other = held.pop(rng.randrange(len(held)))
            if rng.random() < 0.6:
                assert ours.ack(mine)
                theirs.ack(other)
            else:
                delay = rng.choice([0.0, 2.5])
                assert ours.nack(mine, delay)
                theirs.nack(other, delay)
        else:
            now[0] += rng.choice([0.0, 0.5, 1.0])
            if any(mine.expires_at < now[0] for mine, _ in held):
                held.clear()
                now[0] += 100  # They have died: their leases run out.
        if number % 50 == 0:
            assert ours._groups == theirs._groups
            mine = ours._messages
            for message, other in zip(mine, theirs._messages, strict=True):
                if other["locked_by"] is not None and other["lock_expiry"] < now[0]:
                    other = {**other, "locked_by": None, "lock_expiry": 0.0}
                assert message == other
