"""Work that must go in order per key.

A transport is a queue partitioned into groups: in order within a group, one message of a group in
flight, in parallel and by turns across groups. ::

    import fairlane

    transport = fairlane.InMemoryTransport()
    transport.publish("order-1", {"do": "pay"})
    transport.publish("order-1", {"do": "ship"})
    transport.publish("order-2", {"do": "pay"})

    def handle(lease):
        print(lease.group_id, lease.event["do"])

    worker = fairlane.Worker(transport, handle)
    while worker.step():      # or worker.run(stop), on threads, until stopped
        pass

Where to begin:

    InMemoryTransport         publish, claim, ack, nack and the control plane
    Lease                     what a claim returns
    Worker, Outcome           claim, handle and settle in a loop
    AsyncInMemoryTransport, AsyncWorker
                              the same for asyncio
    testing.ManualClock       a clock that moves only when a test says so
"""

import os as _os

from . import testing
from ._async import AsyncInMemoryTransport, AsyncStop
from ._async_worker import AsyncWorker
from ._core import Lease, forked as _forked
from ._errors import TransportError
from ._outcome import Backoff, Observer, Outcome, Seconds
from ._stop import Stop
from ._transport import InMemoryTransport
from ._types import (
    Cancelled,
    DeadLetter,
    GroupInfo,
    QueuedMessage,
    Rotation,
    Stats,
    WhenExhausted,
)
from ._worker import Worker

__all__ = [
    "AsyncInMemoryTransport",
    "AsyncStop",
    "AsyncWorker",
    "Backoff",
    "Cancelled",
    "DeadLetter",
    "GroupInfo",
    "InMemoryTransport",
    "Lease",
    "Observer",
    "Outcome",
    "QueuedMessage",
    "Rotation",
    "Seconds",
    "Stats",
    "Stop",
    "TransportError",
    "WhenExhausted",
    "Worker",
    "testing",
]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_forked)
