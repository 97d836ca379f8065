"""What is refused, and in which words."""

import datetime
import fractions
import math

import fairlane
import pytest


@pytest.fixture
def lease(transport):
    transport.publish("a", None)
    return transport.claim("w", 30)


@pytest.mark.parametrize("value", [5, 1.5, None, ["a"], bytearray(b"a")])
def test_a_group_that_is_neither_text_nor_bytes(transport, value):
    for call in (
        lambda: transport.publish(value, None),
        lambda: transport.publish_wait(value, None),
        lambda: transport.suspend(value),
        lambda: transport.inspect(value),
        lambda: transport.cancel(value, None),
    ):
        with pytest.raises(TypeError) as failure:
            call()
        assert "group_id must be str or bytes" in str(failure.value)
        assert repr(value) in str(failure.value)


@pytest.mark.parametrize("value", ["x" * 1025, "ü" * 513, b"x" * 1025, "\ud800"])
def test_a_group_that_is_too_long_or_no_text(transport, value):
    with pytest.raises(ValueError):
        transport.publish(value, None)
    assert transport.stats().published == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1, -0.001, -(10**30)])
@pytest.mark.parametrize("name", ["visibility", "timeout", "delay"])
def test_durations_that_are_none(transport, lease, name, value):
    calls = {
        "visibility": lambda: transport.claim("w", value),
        "timeout": lambda: transport.claim_wait("w", 1, timeout=value),
        "delay": lambda: transport.nack(lease, value),
    }
    with pytest.raises(ValueError) as failure:
        calls[name]()
    assert name in str(failure.value) and repr(value) in str(failure.value)


@pytest.mark.parametrize("value", ["1", None, [1], 1j])
def test_durations_of_another_type(transport, value):
    with pytest.raises(TypeError) as failure:
        transport.claim("w", value)
    assert "visibility must be seconds or a datetime.timedelta" in str(failure.value)
    assert repr(value) in str(failure.value)


@pytest.mark.parametrize(
    "value, nanoseconds",
    [
        (0, 0),
        (1e-9, 1),
        (0.4e-9, 0),
        (0.6e-9, 1),
        (0.1, 100_000_000),
        (2, 2_000_000_000),
        (True, 1_000_000_000),
        (fractions.Fraction(1, 3), 333_333_333),
        (datetime.timedelta(days=1, microseconds=1), 86_400_000_001_000),
        (2**31 / 1000, 2_147_483_648_000_000),
    ],
)
def test_durations_count_to_the_nearest_nanosecond(value, nanoseconds):
    transport = fairlane.InMemoryTransport(lambda: 0)
    transport.publish("a", None)
    assert transport.claim("w", value).expires_at == nanoseconds / 1e9


@pytest.mark.parametrize("value", [1e300, 10**30, datetime.timedelta.max, 10 * 365 * 86400])
def test_huge_durations_saturate(clock, value):
    transport = fairlane.InMemoryTransport(clock)
    transport.publish("a", None)
    transport.claim("w", value)
    clock.advance(9 * 365 * 86400)
    assert transport.claim("w", 1) is None


def test_boundaries_are_those_of_float_arithmetic():
    now = [0.1]
    transport = fairlane.InMemoryTransport(lambda: now[0])
    transport.publish("a", None)
    transport.claim("w", 0.2)
    now[0] = 0.1 + 0.2  # 0.30000000000000004
    assert transport.claim("w", 1) is None
    now[0] = 0.300000001
    assert transport.claim("w", 1) is not None


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 10**30])
def test_priorities_past_32_bits(transport, value):
    with pytest.raises(ValueError, match=str(value)):
        transport.publish("a", None, value)
    with pytest.raises(ValueError, match=str(value)):
        transport.claim("w", 1, value)


def test_the_outermost_priorities(transport):
    transport.publish("a", None, 2**31 - 1)
    transport.publish("b", None, -(2**31))
    assert transport.claim("w", 1, 2**31 - 1).group_id == "a"
    assert transport.claim("w", 1, -(2**31)).group_id == "b"


@pytest.mark.parametrize("value", [1.0, "1", None])
def test_priorities_of_another_type(transport, value):
    with pytest.raises(TypeError, match="priority must be int"):
        transport.publish("a", None, value)


@pytest.mark.parametrize("value", [5, b"w", None])
def test_a_worker_that_is_no_text(transport, value):
    with pytest.raises(TypeError, match="worker_id must be str"):
        transport.claim(value, 1)


@pytest.mark.parametrize("value", [5, None, "lease", object()])
def test_what_is_no_lease(transport, value):
    for settle in (transport.ack, transport.nack, transport.release, transport.reject):
        with pytest.raises(TypeError) as failure:
            settle(value)
        assert repr(value) in str(failure.value)


def test_a_lease_of_another_transport(lease):
    other = fairlane.InMemoryTransport()
    for settle in (other.ack, other.nack, other.release, other.reject):
        with pytest.raises(ValueError, match="another store"):
            settle(lease)


@pytest.mark.parametrize(
    "options",
    [
        {"rotation": "by_chance"},
        {"when_exhausted": "give_up"},
        {"max_attempts": -1},
        {"max_attempts": 2**32},
        {"max_messages": -1},
    ],
)
def test_options_that_are_none(options):
    with pytest.raises(ValueError) as failure:
        fairlane.InMemoryTransport(**options)
    assert str(*options.values()) in str(failure.value)


def test_a_clock_that_cannot_be_called():
    with pytest.raises(TypeError, match="clock must be callable"):
        fairlane.InMemoryTransport(clock=5)


@pytest.mark.parametrize("reading", [math.nan, math.inf, "now", None])
def test_a_clock_that_returns_no_seconds(reading):
    transport = fairlane.InMemoryTransport(lambda: reading)
    with pytest.raises((TypeError, ValueError), match="what the clock returned"):
        transport.claim("w", 1)


def test_a_clock_that_fails():
    transport = fairlane.InMemoryTransport(lambda: 1 // 0)
    for call in (
        lambda: transport.claim("w", 1),
        lambda: transport.claim_wait("w", 1),
        lambda: transport.stats(),
    ):
        with pytest.raises(ZeroDivisionError):
            call()


def test_a_stop_of_another_type(transport):
    with pytest.raises(TypeError, match="stop must be a fairlane.Stop"):
        transport.claim_wait("w", 1, stop=5)


def test_a_failed_publish_keeps_no_reference(transport):
    import sys

    event = object()
    before = sys.getrefcount(event)
    for _ in range(10):
        with pytest.raises(ValueError):
            transport.publish("x" * 1025, event)
        with pytest.raises(ValueError):
            transport.publish("a", event, 2**40)
    assert sys.getrefcount(event) == before
