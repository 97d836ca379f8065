"""`_messages` and `_groups`, for code that looks into list-based transports."""

import fairlane


def test_the_shape_of_messages_and_groups(transport):
    first, second = object(), object()
    transport.publish("a", first, priority=3)
    transport.publish("b", second)
    transport.publish("a", first)
    transport.claim("w", 30, min_priority=1)
    free = {"locked_by": None, "lock_expiry": 0.0}
    assert transport._messages == [
        {"seq": 1, "group_id": "a", "event": first, "locked_by": "w", "lock_expiry": 1030.0},
        {"seq": 2, "group_id": "b", "event": second, **free},
        {"seq": 3, "group_id": "a", "event": first, **free},
    ]
    assert transport._messages[0]["event"] is first
    assert transport._groups == {
        "a": {"last_claimed_at": 1000.0, "priority": 3},
        "b": {"last_claimed_at": 0.0, "priority": 0},
    }


def test_a_parked_message(transport):
    transport.publish("a", None)
    transport.nack(transport.claim("w", 30), delay=5)
    (message,) = transport._messages
    assert (message["locked_by"], message["lock_expiry"]) == ("__parked__", 1005.0)


def test_what_ran_out_is_free(transport, clock):
    transport.publish("a", None)
    transport.claim("w", 5)
    clock.advance(5)
    assert transport._messages[0]["locked_by"] == "w"
    clock.advance(0.001)
    assert transport._messages[0]["locked_by"] is None


def test_drained_groups_are_gone(transport):
    transport.publish("a", None)
    transport.ack(transport.claim("w", 5))
    assert transport._messages == [] and transport._groups == {}


def test_group_ids_are_those_that_were_given(transport):
    for group in ("a", b"b", b"\xff"):
        transport.publish(group, None)
    assert [message["group_id"] for message in transport._messages] == ["a", b"b", b"\xff"]
    assert list(transport._groups) == ["a", b"b", b"\xff"]


def test_they_cannot_be_replaced(transport):
    for name in ("_messages", "_groups"):
        try:
            setattr(transport, name, [])
        except AttributeError:
            continue
        raise AssertionError(f"{name} was replaced")


def test_more_groups_than_one_page_of_a_listing(clock):
    transport = fairlane.InMemoryTransport(clock)
    for number in range(2500):
        transport.publish(f"g{number}", number)
    assert [message["event"] for message in transport._messages] == list(range(2500))
    assert len(transport._groups) == 2500
