"""Claim, handle, settle: the loop on top of a transport, on threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from . import _core
from ._errors import TransportError
from ._outcome import (
    Backoff,
    Observer,
    Options,
    Outcome,
    Seconds,
    Turns,
    beat_every,
    outcome_of,
    outcome_of_exception,
    seconds,
    wants_stop,
)
from ._stop import Stop


class _Task:
    """A message in a handler's hands."""

    def __init__(self, lease: _core.Lease) -> None:
        self.lease = lease
        self.stop = threading.Event()
        self.beat_at = 0.0


class _Heart:
    """Keeps the leases of running handlers alive, on one thread."""

    def __init__(self, transport: Any, options: Options) -> None:
        self._transport = transport
        self._options = options
        self._every = beat_every(options.visibility)
        self._changed = threading.Condition()
        self._tasks: dict[_core.Lease, _Task] = {}
        self._closed = False
        self._over = False
        self._thread = threading.Thread(target=self._beat, name="fairlane-heartbeat", daemon=True)
        self._thread.start()

    def hold(self, task: _Task) -> bool:
        """False: no more, the worker is stopping."""
        with self._changed:
            if self._closed:
                return False
            if self._every is not None:
                task.beat_at = time.monotonic() + self._every
            self._tasks[task.lease] = task
            if len(self._tasks) == 1:
                self._changed.notify_all()
            return True

    def drop(self, task: _Task) -> None:
        with self._changed:
            self._tasks.pop(task.lease, None)
            if not self._tasks:
                self._changed.notify_all()

    def close(self, grace: float) -> None:
        """Takes no more, and waits until nothing is being handled, or the grace is over."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._tasks, min(grace, threading.TIMEOUT_MAX))

    def take_all(self) -> list[_Task]:
        """What is still being handled; it is kept alive no more."""
        with self._changed:
            tasks = list(self._tasks.values())
            self._tasks.clear()
        return tasks

    def end(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._thread.join()

    def _beat(self) -> None:
        while True:
            with self._changed:
                if self._over:
                    return
                if self._every is None or not self._tasks:
                    self._changed.wait()
                    continue
                first = min(task.beat_at for task in self._tasks.values())
                if (delay := first - time.monotonic()) > 0:
                    self._changed.wait(min(delay, threading.TIMEOUT_MAX))
                    continue
                due = [task for task in self._tasks.values() if task.beat_at <= first]
            for task in due:
                self._extend(task)

    def _extend(self, task: _Task) -> None:
        try:
            kept = self._transport.extend(task.lease, self._options.visibility)
        except TransportError as error:
            self._options.tell("failed", error)
            kept = True
        with self._changed:
            still_held = self._tasks.get(task.lease) is task
            if still_held and kept and self._every is not None:
                task.beat_at = time.monotonic() + self._every
            elif still_held:
                del self._tasks[task.lease]
                if not self._tasks:
                    self._changed.notify_all()
        if still_held and not kept:
            task.stop.set()
            self._options.tell("lost", task.lease)


class Worker:
    """Claims messages of a transport, hands each to a handler and settles it by the answer.

    ::

        def handle(lease):
            print(lease.group_id, lease.event)

        worker = fairlane.Worker(transport, handle, threads=4)
        worker.run(stop)         # or, in a test: while worker.step(): pass

    The handler is called as ``handler(lease)``, or ``handler(lease, stop)`` if it takes two
    arguments, and returns an ``Outcome``, or None, which is ``Outcome.done()``. An exception is
    ``Outcome.failed``. ``stop`` is a ``threading.Event`` that is set when the lease is lost or the
    grace after a stop is over. Messages of one group never run side by side as long as their
    leases are kept; delivery is at least once.

    :param transport: an ``InMemoryTransport``, or whatever has its verbs.
    :param handler: called from ``threads`` threads at once.
    :param worker_id: for people to read; the threads of ``run``, if several, add "-1", "-2", ..
    :param threads: of ``run``.
    :param visibility: seconds of each claim. ``run`` extends it every third of it while the handler
        runs; 0 is never extended.
    :param min_priority: the worker's floor.
    :param high_ratio: 0..1: the share of claims that look at groups at or above
        ``priority_threshold`` first.
    :param backoff: how long a failed message is parked.
    :param grace: seconds that ``run`` lets handlers go on when it is stopped.
    :param seed: of the back-off's jitter.
    :param observer: told what becomes of each message.
    """

    def __init__(
        self,
        transport: Any,
        handler: Callable[..., Outcome | None],
        *,
        worker_id: str = "worker",
        threads: int = 1,
        visibility: Seconds = 30.0,
        min_priority: int = 0,
        high_ratio: float = 0.0,
        priority_threshold: int = 0,
        backoff: Backoff = Backoff(),
        grace: Seconds = 10.0,
        seed: int = 0,
        observer: Observer | None = None,
    ) -> None:
        if threads < 1:
            raise ValueError(f"threads is less than 1: {threads!r}")
        self._transport = transport
        self._handler = handler
        self._wants_stop = wants_stop(handler)
        self._worker_id = worker_id
        self._threads = threads
        self._options = Options(
            visibility,
            min_priority,
            high_ratio,
            priority_threshold,
            backoff,
            grace,
            seed,
            observer or Observer(),
        )
        self._turns = Turns(self._options)
        self._running: Stop | None = None

    def step(self) -> bool:
        """One claim, handle and settle on this thread; False if there was nothing to claim.

        There is no second thread, and so no heartbeat.
        """
        lease = self._claim_now(self._worker_id, self._turns)
        if lease is None:
            return False
        self._options.tell("claimed", lease)
        self._settle(lease, self._handle(_Task(lease)))
        return True

    def run(self, stop: threading.Event | None = None) -> None:
        """Work until ``stop`` is set, or ``stop()`` is called, or Ctrl-C comes.

        Then no more is claimed; handlers have ``grace`` seconds to finish, and what is not finished
        is handed back. Returns once all handlers have returned.
        """
        self._running = ending = Stop()
        failures: list[BaseException] = []
        heart = _Heart(self._transport, self._options)
        threads = [
            threading.Thread(target=self._work, args=(index, ending, heart, failures), daemon=True)
            for index in range(1, self._threads + 1)
        ]
        try:
            for thread in threads:
                thread.start()
            if stop is None:
                ending.wait()
            else:
                while not ending.is_set() and not stop.wait(0.1):
                    pass
        finally:
            ending.set()
            heart.close(seconds(self._options.grace))
            for task in heart.take_all():
                task.stop.set()
                self._settle(task.lease, Outcome.released())
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            heart.end()
            self._running = None
        if failures:
            raise failures[0]

    def stop(self) -> None:
        """End ``run``; from any thread, a handler too."""
        if (running := self._running) is not None:
            running.set()

    def _work(
        self,
        index: int,
        ending: Stop,
        heart: _Heart,
        failures: list[BaseException],
    ) -> None:
        name = self._worker_id if self._threads == 1 else f"{self._worker_id}-{index}"
        turns = Turns(self._options)
        try:
            while not ending.is_set():
                self._work_once(name, turns, ending, heart)
        except BaseException as error:
            failures.append(error)
            ending.set()

    def _work_once(self, name: str, turns: Turns, ending: Stop, heart: _Heart) -> None:
        try:
            lease = self._claim_waiting(name, turns, ending)
        except TransportError as error:
            self._options.tell("failed", error)
            ending.wait(self._options.backoff.delay(1, 0, self._options.seed))
            return
        if lease is None:
            if not ending.is_set():
                ending.wait(0.05)  # Closed: nobody waits any more, and yet work may come.
            return
        task = _Task(lease)
        if not heart.hold(task):
            self._settle(lease, Outcome.released())
            return
        self._options.tell("claimed", lease)
        try:
            outcome = self._handle(task)
        except BaseException:  # The program is to end.
            self._settle(lease, Outcome.released())
            raise
        finally:
            heart.drop(task)
        self._settle(lease, outcome)

    def _claim_now(self, name: str, turns: Turns) -> Any:
        options = self._options
        lease = None
        if turns.is_high():
            lease = self._transport.claim(name, options.visibility, options.priority_threshold)
        if lease is None:
            lease = self._transport.claim(name, options.visibility, options.min_priority)
        return lease

    def _claim_waiting(self, name: str, turns: Turns, ending: Stop) -> Any:
        lease = self._claim_now(name, turns)
        if lease is not None:
            return lease
        return self._transport.claim_wait(
            name,
            self._options.visibility,
            self._options.min_priority,
            stop=ending,
        )

    def _handle(self, task: _Task) -> Outcome:
        try:
            if self._wants_stop:
                return outcome_of(self._handler(task.lease, task.stop))
            return outcome_of(self._handler(task.lease))
        except Exception as error:
            return outcome_of_exception(error)

    def _settle(self, lease: _core.Lease, outcome: Outcome) -> None:
        verb, arguments = self._options.settle(lease, outcome)
        try:
            current = getattr(self._transport, verb)(lease, *arguments)
        except TransportError as error:
            self._options.tell("failed", error)
            return
        self._options.tell_settled(lease, outcome, arguments, current)
