"""What ends waiting."""

from __future__ import annotations

import threading

from . import _core


class Stop(threading.Event):
    """A ``threading.Event`` that also ends a ``claim_wait`` or ``publish_wait`` at once."""

    def __init__(self) -> None:
        super().__init__()
        self._source = _core.StopSource()

    def set(self) -> None:
        super().set()
        self._source.request_stop()

    def clear(self) -> None:
        raise RuntimeError("a stop is for good: make a new one")
