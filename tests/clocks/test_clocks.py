"""Two clients whose hosts' clocks are ten minutes apart take turns on one server by its clock."""

import json
import os
import subprocess
import time
import uuid

import pytest

FAIRLANE = os.environ["FAIRLANE"]
SLOW, FAST = "-5m", "+5m"
VISIBILITY = 1.5  # seconds


def fairlane(clock, url, *arguments, **options):
    # Without this a wait for an instant of the monotonic clock would take minutes longer.
    environment = {**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAIRLANE_TRANSPORT": url}
    command = ["faketime", "-f", clock, FAIRLANE, *arguments, "--transport", url]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, **options)


def server(name):
    url = os.environ.get(name)
    assert url, f"{name} names no server: run the tests by scripts/with-servers"
    return f"{url}?queue=clocks-{uuid.uuid4()}"


def claim(clock, url, *arguments):
    """The lease, or None."""
    claimed = fairlane(clock, url, "claim", "--visibility", f"{VISIBILITY}s", "--json", *arguments)
    assert claimed.returncode in (0, 1), claimed.stderr
    return json.loads(claimed.stdout) if claimed.returncode == 0 else None


def takes_over_in_time(url, first, second):
    published = fairlane(first, url, "publish", input='{"group":"g","event":"e"}\n')
    assert published.returncode == 0, published.stderr
    before = time.monotonic()
    lease = claim(first, url)
    after = time.monotonic()
    assert lease["attempt"] == 1
    assert claim(second, url) is None, "taken over at once"
    taken = claim(second, url, "--wait", "30s")
    assert taken["attempt"] == 2
    assert time.monotonic() - before >= VISIBILITY, "taken over early"
    assert time.monotonic() - after < VISIBILITY + 10, "taken over late"
    assert fairlane(first, url, "ack", lease["token"]).returncode == 1, "a superseded lease acked"
    assert fairlane(second, url, "ack", taken["token"]).returncode == 0


def parks_as_long_as_asked(url, first, second):
    fairlane(first, url, "publish", input='{"group":"g","event":"e"}\n')
    lease = claim(first, url)
    before = time.monotonic()
    assert fairlane(first, url, "nack", lease["token"], "--delay", f"{VISIBILITY}s").returncode == 0
    after = time.monotonic()
    taken = claim(second, url, "--wait", "30s")
    assert taken["attempt"] == 2
    assert time.monotonic() - before >= VISIBILITY, "free early"
    assert time.monotonic() - after < VISIBILITY + 10, "free late"
    assert fairlane(second, url, "ack", taken["token"]).returncode == 0


@pytest.mark.parametrize("first,second", [(SLOW, FAST), (FAST, SLOW)])
def test_leases_and_parks_end_by_the_servers_clock(first, second):
    url = server(os.environ["SERVER"])
    takes_over_in_time(url, first, second)
    parks_as_long_as_asked(url, first, second)


def test_the_hosts_clocks_are_ten_minutes_apart():
    seen = [
        float(subprocess.run(["faketime", "-f", clock, "date", "+%s"], capture_output=True, text=True).stdout)
        for clock in (SLOW, FAST)
    ]
    assert abs(seen[1] - seen[0] - 600) < 10
