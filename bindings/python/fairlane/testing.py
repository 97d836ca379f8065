"""For tests of programs that use a transport."""

from __future__ import annotations

import threading
import weakref
from typing import Any


class ManualClock:
    """Stands still until advanced; then everyone who waits on its transports looks again.

    ::

        clock = fairlane.testing.ManualClock()
        transport = fairlane.InMemoryTransport(clock)
        transport.publish("a", "event")
        transport.claim("dies", visibility=10)
        clock.advance(10.001)
        assert transport.claim("next", visibility=10).attempt == 2

    All methods may be called from any thread.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._lock = threading.Lock()
        self._now = start
        self._transports: weakref.WeakSet[Any] = weakref.WeakSet()

    def __call__(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on; a negative step is one back, as a broken host's clock may take."""
        with self._lock:
            self._now += seconds
            transports = list(self._transports)
        for transport in transports:
            transport._wake_waiters()

    def _attach(self, transport: Any) -> None:
        with self._lock:
            self._transports.add(transport)
