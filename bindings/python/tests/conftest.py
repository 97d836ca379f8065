import os
import random
import time

import fairlane
import pytest


@pytest.fixture
def clock():
    return fairlane.testing.ManualClock(start=1000.0)


@pytest.fixture
def transport(clock):
    return fairlane.InMemoryTransport(clock)


@pytest.fixture
def rng():
    """A source of chance; its seed is printed, and repeated with FAIRLANE_SEED."""
    seed = int(os.environ.get("FAIRLANE_SEED") or random.SystemRandom().getrandbits(32))
    print(f"FAIRLANE_SEED={seed}")
    return random.Random(seed)


# No case needs a tenth of this; it turns what hangs into a failure.
DEADLINE_SECONDS = 30


def until(condition, what="that it comes true"):
    """Waits for another thread, which is on its way."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.001)
