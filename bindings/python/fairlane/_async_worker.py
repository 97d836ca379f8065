"""Claim, handle, settle: the loop on top of a transport, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from . import _core
from ._async import AsyncInMemoryTransport, AsyncStop
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


class AsyncWorker:
    """A ``Worker`` for asyncio: ``concurrency`` messages are handled at once, on one loop.

    ::

        async def handle(lease):
            await post(lease.event)

        await fairlane.AsyncWorker(transport, handle, concurrency=100).run(stop)

    The handler is a coroutine function, called as ``handler(lease)``, or ``handler(lease, stop)``
    if it takes two arguments; ``stop`` is an ``asyncio.Event`` that is set when the lease is lost.
    When the grace after a stop is over, handlers that still run are cancelled and their messages
    handed back. Everything else is as in ``Worker``.

    :param transport: an ``AsyncInMemoryTransport``, or whatever has its verbs.
    :param concurrency: how many handlers run at once.
    """

    def __init__(
        self,
        transport: AsyncInMemoryTransport,
        handler: Callable[..., Awaitable[Outcome | None]],
        *,
        worker_id: str = "worker",
        concurrency: int = 1,
        visibility: Seconds = 30.0,
        min_priority: int = 0,
        high_ratio: float = 0.0,
        priority_threshold: int = 0,
        backoff: Backoff = Backoff(),
        grace: Seconds = 10.0,
        seed: int = 0,
        observer: Observer | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency is less than 1: {concurrency!r}")
        self._transport = transport
        self._handler = handler
        self._wants_stop = wants_stop(handler)
        self._worker_id = worker_id
        self._concurrency = concurrency
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
        self._running: asyncio.Event | None = None

    async def step(self) -> bool:
        """One claim, handle and settle; False if there was nothing to claim. No heartbeat."""
        lease = await self._claim_now(self._worker_id)
        if lease is None:
            return False
        self._options.tell("claimed", lease)
        await self._settle(lease, await self._handle(lease, asyncio.Event()))
        return True

    async def run(self, stop: AsyncStop | None = None) -> None:
        """Work until ``stop`` is set, or ``stop()`` is called, or the task is cancelled.

        Then no more is claimed; handlers have ``grace`` seconds to finish, and what is not finished
        is cancelled and handed back.
        """
        self._running = ending = asyncio.Event()
        tasks = [
            asyncio.create_task(self._work(index, ending))
            for index in range(1, self._concurrency + 1)
        ]
        waits = [asyncio.create_task(_wait(ending))]
        if stop is not None:
            waits.append(asyncio.create_task(_wait(stop)))
        try:
            # A task that ends before it is told to has failed.
            await asyncio.wait([*waits, *tasks], return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.set()
            for wait in waits:
                wait.cancel()
            await self._finish(tasks)
            self._running = None
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    def stop(self) -> None:
        """End ``run``; from the loop's thread, a handler too."""
        if self._running is not None:
            self._running.set()

    async def _finish(self, tasks: list[asyncio.Task[None]]) -> None:
        _, late = await asyncio.wait(tasks, timeout=seconds(self._options.grace))
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _work(self, index: int, ending: asyncio.Event) -> None:
        name = self._worker_id if self._concurrency == 1 else f"{self._worker_id}-{index}"
        while not ending.is_set():
            try:
                lease = await self._claim_waiting(name, ending)
            except TransportError as error:
                self._options.tell("failed", error)
                await _wait_for(ending, self._options.backoff.delay(1, 0, self._options.seed))
                continue
            if lease is None:
                # Closed: nobody waits any more, and yet work may come.
                await _wait_for(ending, 0.05)
            elif ending.is_set():
                await self._settle(lease, Outcome.released())
            else:
                await self._work_on(lease)

    async def _work_on(self, lease: _core.Lease) -> None:
        self._options.tell("claimed", lease)
        lost = asyncio.Event()
        heart = asyncio.create_task(self._beat(lease, lost))
        try:
            outcome = await self._handle(lease, lost)
        except BaseException:  # Cancelled, or the program is to end.
            await self._settle(lease, Outcome.released())
            raise
        finally:
            heart.cancel()
        await self._settle(lease, outcome)

    async def _beat(self, lease: _core.Lease, lost: asyncio.Event) -> None:
        every = beat_every(self._options.visibility)
        while every is not None:
            await asyncio.sleep(every)
            try:
                if await self._transport.extend(lease, self._options.visibility):
                    continue
            except TransportError as error:
                self._options.tell("failed", error)
                continue
            lost.set()
            self._options.tell("lost", lease)
            return

    async def _claim_now(self, name: str) -> Any:
        options = self._options
        lease = None
        if self._turns.is_high():
            lease = await self._transport.claim(
                name, options.visibility, options.priority_threshold
            )
        if lease is None:
            lease = await self._transport.claim(name, options.visibility, options.min_priority)
        return lease

    async def _claim_waiting(self, name: str, ending: asyncio.Event) -> Any:
        lease = await self._claim_now(name)
        if lease is not None:
            # Each message lets the others have a turn: what is claimed at once never waits.
            await _yield_with(self._transport, lease)
            return lease
        return await self._transport.claim_wait(
            name, self._options.visibility, self._options.min_priority, stop=ending
        )

    async def _handle(self, lease: _core.Lease, lost: asyncio.Event) -> Outcome:
        try:
            if self._wants_stop:
                return outcome_of(await self._handler(lease, lost))
            return outcome_of(await self._handler(lease))
        except Exception as error:
            return outcome_of_exception(error)

    async def _settle(self, lease: _core.Lease, outcome: Outcome) -> None:
        verb, arguments = self._options.settle(lease, outcome)
        try:
            current = await getattr(self._transport, verb)(lease, *arguments)
        except TransportError as error:
            self._options.tell("failed", error)
            return
        self._options.tell_settled(lease, outcome, arguments, current)


async def _wait(stop: AsyncStop) -> None:
    await stop.wait()


async def _wait_for(event: asyncio.Event, timeout: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), timeout)
    except asyncio.TimeoutError:
        pass


async def _yield_with(transport: AsyncInMemoryTransport, lease: _core.Lease) -> None:
    """One turn of the loop; if that is where the task is cancelled, the lease goes back."""
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        await transport.release(lease)
        raise
