"""The same transport for event loops: asyncio, and trio by way of anyio."""

from __future__ import annotations

import asyncio
import functools
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from . import _core
from ._outcome import Seconds
from ._stop import Stop
from ._transport import InMemoryTransport

P = ParamSpec("P")
R = TypeVar("R")


class AsyncStop(Protocol):
    """What ends ``leases``: an ``asyncio.Event``, ``anyio.Event`` or ``trio.Event``."""

    def is_set(self) -> bool: ...

    async def wait(self) -> Any: ...


class _AsyncioParker:
    """Puts the calling task to sleep until it is woken, from any thread, or a delay is over."""

    __slots__ = ("_loop", "_sleeper", "_thread", "_watcher", "_woken")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._sleeper: asyncio.Future[None] | None = None
        self._woken = False
        self._watcher: asyncio.Task[None] | None = None

    def wake(self) -> None:
        if threading.get_ident() == self._thread:
            self._wake_here()
            return
        try:
            self._loop.call_soon_threadsafe(self._wake_here)
        except RuntimeError:
            pass  # The loop is closed, and nobody sleeps in it.

    def _wake_here(self) -> None:
        self._woken = True
        if self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)

    async def park(self, delay: float | None) -> None:
        if not self._woken:
            self._sleeper = self._loop.create_future()
            timer = None if delay is None else self._loop.call_later(delay, self._wake_here)
            try:
                await self._sleeper
            finally:
                if timer is not None:
                    timer.cancel()
        self._woken = False

    def watch(self, stop: AsyncStop) -> None:
        async def watch() -> None:
            await stop.wait()
            self._wake_here()

        self._watcher = self._loop.create_task(watch())

    def unwatch(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()


class _TrioParker:
    """The same for trio."""

    def __init__(self) -> None:
        import trio  # type: ignore[import]

        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()
        self._thread = threading.get_ident()
        self._event = trio.Event()
        self._watching = trio.CancelScope()

    def wake(self) -> None:
        if threading.get_ident() == self._thread:
            self._wake_here()
            return
        try:
            self._token.run_sync_soon(self._wake_here)
        except self._trio.RunFinishedError:
            pass

    def _wake_here(self) -> None:
        self._event.set()

    async def park(self, delay: float | None) -> None:
        with self._trio.move_on_after(float("inf") if delay is None else delay):
            await self._event.wait()
        self._event = self._trio.Event()

    def watch(self, stop: AsyncStop) -> None:
        async def watch() -> None:
            with self._watching:
                await stop.wait()
                self._wake_here()

        self._trio.lowlevel.spawn_system_task(watch)

    def unwatch(self) -> None:
        self._watching.cancel()


def _runs_trio() -> bool:
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_trio_token()
    except RuntimeError:  # Imported, but it is not trio that runs.
        return False
    return True


def _parker() -> _AsyncioParker | _TrioParker:
    return _TrioParker() if _runs_trio() else _AsyncioParker()


async def _in_thread(call: Callable[[], R], stop: Stop) -> R:
    """Runs what `stop` ends at once; if this is cancelled, it has ended."""
    parker = _parker()
    outcome: list[tuple[R | None, BaseException | None]] = []

    def work() -> None:
        try:
            outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))
        parker.wake()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while not outcome:
            await parker.park(None)
    finally:
        stop.set()
        thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return cast(R, result)


def _coroutine(
    method: Callable[Concatenate[InMemoryTransport, P], R],
) -> Callable[Concatenate[AsyncInMemoryTransport, P], Coroutine[Any, Any, R]]:
    """The verb of the transport beneath, which never blocks."""

    @functools.wraps(method)
    async def call(self: AsyncInMemoryTransport, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(self.transport, *args, **kwargs)

    return call


class AsyncInMemoryTransport:
    """An ``InMemoryTransport`` whose verbs are coroutines, for asyncio and for anyio.

    Waiting takes no thread, and may be cancelled: no message is lost by that. The transport beneath
    is ``transport``; other threads may use it at the same time.

    :param transport: the transport to use; None: a new one, made with the other arguments, which
        are those of ``InMemoryTransport``.
    """

    def __init__(self, *args: Any, transport: InMemoryTransport | None = None, **kwargs: Any):
        if transport is not None and (args or kwargs):
            raise TypeError("a transport that exists already takes no other arguments")
        self.transport = InMemoryTransport(*args, **kwargs) if transport is None else transport

    publish_batch = _coroutine(InMemoryTransport.publish_batch)
    claim = _coroutine(InMemoryTransport.claim)
    claim_batch = _coroutine(InMemoryTransport.claim_batch)
    ack = _coroutine(InMemoryTransport.ack)
    ack_batch = _coroutine(InMemoryTransport.ack_batch)
    ack_claim = _coroutine(InMemoryTransport.ack_claim)
    nack = _coroutine(InMemoryTransport.nack)
    extend = _coroutine(InMemoryTransport.extend)
    release = _coroutine(InMemoryTransport.release)
    reject = _coroutine(InMemoryTransport.reject)
    close = _coroutine(InMemoryTransport.close)

    suspend = _coroutine(InMemoryTransport.suspend)
    resume = _coroutine(InMemoryTransport.resume)
    terminate = _coroutine(InMemoryTransport.terminate)
    cancel = _coroutine(InMemoryTransport.cancel)
    inspect = _coroutine(InMemoryTransport.inspect)
    groups = _coroutine(InMemoryTransport.groups)
    peek = _coroutine(InMemoryTransport.peek)
    stats = _coroutine(InMemoryTransport.stats)
    dead_letters = _coroutine(InMemoryTransport.dead_letters)
    redrive = _coroutine(InMemoryTransport.redrive)
    drop_dead = _coroutine(InMemoryTransport.drop_dead)

    async def publish(self, group_id: str | bytes, event: Any, priority: int = 0) -> int:
        """Append an event to its group's FIFO; return the message's seq."""
        return self.transport.publish(group_id, event, priority)

    async def __aenter__(self) -> AsyncInMemoryTransport:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.transport.close()

    async def claim_wait(
        self,
        worker_id: str,
        visibility: Seconds,
        min_priority: int = 0,
        timeout: Seconds | None = None,
        stop: AsyncStop | None = None,
    ) -> _core.Lease | None:
        """Like ``claim``, but wait up to ``timeout`` seconds (None: for ever) or until ``stop``."""
        if stop is not None and stop.is_set():
            return self.transport.claim(worker_id, visibility, min_priority)
        parker = _parker()
        claim = self.transport.start_claim(
            worker_id, visibility, min_priority, timeout, parker.wake
        )
        if not isinstance(claim, _core.PendingLease):
            return claim
        try:
            if stop is not None:
                parker.watch(stop)
            while True:
                await parker.park(claim.delay())
                lease = claim.look()
                if lease is not None or not claim.is_waiting:
                    return lease
                if stop is not None and stop.is_set():
                    return None
        finally:
            # What was given at the moment of a cancellation goes back to the others.
            claim.cancel()
            if stop is not None:
                parker.unwatch()

    async def publish_wait(
        self,
        group_id: str | bytes,
        event: Any,
        priority: int = 0,
        timeout: Seconds | None = None,
    ) -> int | None:
        """Like ``publish``, but wait for room up to ``timeout`` seconds (None: for ever).

        Return the seq, or None if there was no room. Waiting takes a thread; if it is cancelled at
        the moment room appears, the event may have been published.
        """
        stop = Stop()
        return await _in_thread(
            lambda: self.transport.publish_wait(group_id, event, priority, timeout, stop), stop
        )

    async def leases(
        self,
        worker_id: str,
        visibility: Seconds,
        min_priority: int = 0,
        stop: AsyncStop | None = None,
    ) -> AsyncIterator[_core.Lease]:
        """Lease after lease, until ``stop`` is set or the transport is closed and empty.

        ::

            async for lease in transport.leases("me", visibility=30):
                await handle(lease.event)
                await transport.ack(lease)
        """
        while stop is None or not stop.is_set():
            lease = await self.claim_wait(worker_id, visibility, min_priority, stop=stop)
            if lease is None:
                return
            yield lease
