"""The verbs as Python sees them; the contract itself is proved by traces and histories."""

import fairlane
import pytest


def test_the_very_object_that_was_published_is_claimed(transport):
    event = object()
    transport.publish("a", event)
    lease = transport.claim("w", 30)
    assert lease.event is event


def test_publish_returns_a_seq_that_grows_from_1(transport):
    assert [transport.publish("a", None), transport.publish("b", None)] == [1, 2]


def test_a_lease_says_what_it_is(transport):
    transport.publish("a", "event")
    lease = transport.claim("worker", 30)
    assert (lease.seq, lease.group_id, lease.event, lease.attempt) == (1, "a", "event", 1)
    assert (lease.expires_at, lease.worker_id) == (1030.0, "worker")


@pytest.mark.parametrize("group_id", ["a", "", "grün", "x" * 1024, b"a", b"", b"\xff\x00", b"x" * 1024])
def test_a_group_is_named_as_it_was_given(transport, group_id):
    transport.publish(group_id, None)
    lease = transport.claim("w", 30)
    assert lease.group_id is group_id


def test_text_and_its_utf_8_name_the_same_group(transport):
    transport.publish("grün", 1)
    transport.publish("grün".encode(), 2)
    first = transport.claim("w", 30)
    assert transport.claim("w", 30) is None
    assert transport.ack(first)
    assert transport.claim("w", 30).group_id == "grün".encode()


def test_settles_answer_true_once_and_then_false(transport):
    for settle in (transport.ack, transport.nack, transport.release, transport.reject):
        transport.publish("a", None)
        lease = transport.claim("w", 30)
        assert settle(lease) is True
        assert settle(lease) is False
        while (lease := transport.claim("w", 30)) is not None:
            transport.ack(lease)


def test_a_nack_parks_for_its_delay(transport, clock):
    transport.publish("a", None)
    assert transport.nack(transport.claim("w", 30), delay=2.5)
    clock.advance(2.5)
    assert transport.claim("w", 30) is None
    clock.advance(1e-6)
    assert transport.claim("w", 30).attempt == 2


def test_extend_keeps_a_lease(transport, clock):
    transport.publish("a", None)
    lease = transport.claim("w", 10)
    clock.advance(9)
    assert transport.extend(lease, 10)
    clock.advance(10)
    assert transport.claim("w", 10) is None
    assert transport.ack(lease)


def test_release_spends_no_attempt(transport):
    transport.publish("a", None)
    transport.release(transport.claim("w", 30))
    assert transport.claim("w", 30).attempt == 1


def test_batches(transport):
    assert transport.publish_batch([("a", 1), ["b", 2, 5], (b"c", 3)]) == [1, 2, 3]
    leases = transport.claim_batch(10, "w", 30)
    assert [lease.event for lease in leases] == [1, 2, 3]
    assert transport.ack_batch(leases[:2]) == [True, True]
    assert transport.ack_batch(iter(leases)) == [False, False, True]


def test_a_batch_is_published_whole_or_not_at_all(transport):
    with pytest.raises(TypeError):
        transport.publish_batch([("a", 1), (5, 2)])
    with pytest.raises(ValueError):
        transport.publish_batch([("a", 1), ("b",)])
    assert transport.stats().published == 0


def test_ack_claim_does_both(transport):
    transport.publish("a", 1)
    transport.publish("a", 2)
    done, second = transport.ack_claim(transport.claim("w", 30), "w", 30)
    assert done and second.event == 2
    assert transport.ack_claim(second, "w", 30) == (True, None)
    assert transport.ack_claim(second, "w", 30) == (False, None)


def test_a_floor_hides_low_groups(transport):
    transport.publish("low", None, priority=-5)
    assert transport.claim("w", 30) is None
    assert transport.claim("w", 30, min_priority=-5).group_id == "low"


def test_limits_are_refused_with_their_code(clock):
    transport = fairlane.InMemoryTransport(clock, max_messages=1, max_event_bytes=3)
    with pytest.raises(fairlane.TransportError, match="4") as failure:
        transport.publish("a", b"four")
    assert (failure.value.code, failure.value.may_be_stored) == ("too_large", False)
    transport.publish("a", b"one")
    with pytest.raises(fairlane.TransportError) as failure:
        transport.publish("b", b"two")
    assert failure.value.code == "full"


def test_event_bytes_measures_what_has_no_length():
    transport = fairlane.InMemoryTransport(max_event_bytes=3, event_bytes=lambda event: event)
    transport.publish("a", 3)
    for publish in (transport.publish, transport.publish_wait):
        with pytest.raises(fairlane.TransportError):
            publish("a", 4)
    with pytest.raises(fairlane.TransportError):
        transport.publish_batch([("a", 3), ("a", 4)])
    with pytest.raises(TypeError):
        fairlane.InMemoryTransport(max_event_bytes=3).publish("a", 4)
    with pytest.raises(ZeroDivisionError):
        fairlane.InMemoryTransport(max_event_bytes=3, event_bytes=lambda _: 1 // 0).publish("a", 4)


def test_attempts_end_in_dead_letters_that_can_be_redriven(clock):
    transport = fairlane.InMemoryTransport(clock, max_attempts=1)
    event = object()
    transport.publish(b"a", event, priority=7)
    transport.nack(transport.claim("w", 30))
    (letter,) = transport.dead_letters()
    assert letter == fairlane.DeadLetter(1, b"a", event, 1, 7, "w", "")
    assert transport.redrive(1) == 2
    transport.reject(transport.claim("w", 30), "no good")
    assert transport.dead_letters()[0].reason == "no good"
    transport.drop_dead(2)
    with pytest.raises(fairlane.TransportError) as failure:
        transport.drop_dead(2)
    assert failure.value.code == "not_found"


def test_exhausted_groups_are_suspended_where_that_is_the_rule(clock):
    transport = fairlane.InMemoryTransport(
        clock, max_attempts=1, when_exhausted=fairlane.WhenExhausted.SUSPEND_GROUP
    )
    transport.publish("a", None)
    transport.nack(transport.claim("w", 30))
    assert transport.inspect("a").state == "suspended"
    transport.resume("a")
    assert transport.claim("w", 30).attempt == 2


def test_ready_order(clock):
    transport = fairlane.InMemoryTransport(clock, rotation="ready_order")
    for group in "aab":
        transport.publish(group, None)
    transport.ack(transport.claim("w", 30))
    assert transport.claim("w", 30).group_id == "b"


def test_the_control_plane(transport):
    for number in range(3):
        transport.publish("a", number)
    transport.suspend("a")
    transport.suspend("b")
    assert transport.claim("w", 30) is None
    assert transport.groups(suspended=True) == ["a", "b"]
    assert transport.groups(suspended=True, limit=1) == ["a"]
    assert transport.groups(suspended=True, after="a") == ["b"]
    transport.resume("a")
    lease = transport.claim("w", 30)
    assert transport.inspect("a") == fairlane.GroupInfo(
        "leased", False, 3, 0, 1000.0, 1030.0, "w", 1
    )
    assert transport.inspect("x").state == "absent"
    assert transport.peek("a", 2) == [(1, 0, 1), (2, 1, 0)]
    assert transport.cancel("a", "instead") == fairlane.Cancelled(dropped=2, seq=4)
    assert transport.terminate("a") == 2
    assert transport.ack(lease) is False
    stats = transport.stats()
    assert (stats.published, stats.dropped, stats.stale, stats.groups) == (4, 4, 1, 0)


def test_groups_are_text_where_their_bytes_are(transport):
    for group in ("b", b"a", b"\xff"):
        transport.publish(group, None)
    assert transport.groups() == ["a", "b", b"\xff"]


def test_close_ends_waiting_and_verbs_go_on(transport):
    with transport:
        transport.publish("a", None)
    transport.close()
    lease = transport.claim_wait("w", 30)
    assert transport.ack(lease)
    assert transport.claim_wait("w", 30) is None


def test_publish_wait_after_close_without_room(clock):
    transport = fairlane.InMemoryTransport(clock, max_messages=1)
    assert transport.publish_wait("a", 1) == 1
    assert transport.publish_wait("a", 2, timeout=0) is None
    transport.close()
    with pytest.raises(fairlane.TransportError) as failure:
        transport.publish_wait("a", 2)
    assert failure.value.code == "closed"


def test_the_default_clock_is_monotonic():
    transport = fairlane.InMemoryTransport()
    before = transport.now()
    transport.publish("a", None)
    lease = transport.claim("w", 5)
    assert before + 5 <= lease.expires_at <= transport.now() + 5
