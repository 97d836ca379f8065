"""`fairlane claim` and what its tokens are good for."""

import base64

import pytest
from conftest import bytes_of, closed_pipe, full


def test_a_claim_and_an_ack(fairlane):
    fairlane.publish("g", "a", "b")
    lease = fairlane.ok("claim", "--worker", "me", "--visibility", "1h").row
    assert (lease["group"], lease["seq"], lease["attempt"], lease["event"]) == ("g", 1, 1, "a")
    shown = fairlane.ok("inspect", "g").row
    assert (shown["state"], shown["worker"], shown["attempt"]) == ("leased", "me", 1)
    assert shown["until_ms"] == lease["expires_at_ms"]
    assert fairlane.ok("ack", lease["token"]).row == {"seq": 1, "group": "g", "settled": "done"}
    assert fairlane.events("g") == [b"b"]


def test_nothing_to_claim_is_status_1_and_no_output(fairlane):
    ended = fairlane("claim")
    assert (ended.status, ended.out, ended.err) == (1, b"", "")


def test_a_second_ack_is_stale(fairlane):
    fairlane.publish("g", "a")
    token = fairlane.ok("claim").row["token"]
    fairlane.ok("ack", token)
    ended = fairlane("ack", token)
    assert ended.status == 1
    assert ended.row["settled"] == "stale"
    assert "stale" in ended.err


def test_several_are_claimed_of_different_groups_and_acked_at_once(fairlane):
    for group in "abc":
        fairlane.publish(group, "1", "2")
    leases = fairlane.ok("claim", "-n", 5).rows
    assert [lease["group"] for lease in leases] == ["a", "b", "c"]
    ended = fairlane.ok("ack", *(lease["token"] for lease in leases))
    assert [row["settled"] for row in ended.rows] == ["done"] * 3
    assert fairlane.stats()["ready"] == 3


def test_some_stale_among_the_acked_is_status_1(fairlane):
    fairlane.publish("a", "1")
    fairlane.publish("b", "1")
    first, second = (lease["token"] for lease in fairlane.ok("claim", "-n", 2).rows)
    fairlane.ok("ack", first)
    ended = fairlane("ack", first, second)
    assert ended.status == 1
    assert [row["settled"] for row in ended.rows] == ["stale", "done"]


def test_groups_below_the_floor_are_left_alone(fairlane):
    fairlane.publish("low", "a", priority=-1)
    assert fairlane("claim").status == 1
    assert fairlane.ok("claim", "--min-priority", -1).row["group"] == "low"


def test_a_claim_that_waits(fairlane):
    assert fairlane("claim", "--wait", "20ms").status == 1
    waiting = fairlane.start("claim", "--wait", "1h", "-n", 3)
    fairlane.publish("g", "a")
    assert waiting.wait(timeout=60) == 0
    assert b'"event":"a"' in fairlane.read("out")


def test_nack_frees_or_parks(fairlane):
    fairlane.publish("g", "a")
    fairlane.ok("nack", fairlane.ok("claim").row["token"])
    lease = fairlane.ok("claim").row
    assert lease["attempt"] == 2
    fairlane.ok("nack", "--delay", "1h", lease["token"])
    assert fairlane.ok("inspect", "g").row["state"] == "parked"
    assert fairlane("claim").status == 1


def test_release_does_not_count_the_attempt(fairlane):
    fairlane.publish("g", "a")
    fairlane.ok("release", fairlane.ok("claim").row["token"])
    assert fairlane.ok("claim").row["attempt"] == 1


def test_extend_lets_the_lease_run_on(fairlane):
    fairlane.publish("g", "a")
    token = fairlane.ok("claim", "--visibility", "0").row["token"]
    fairlane.ok("extend", "--visibility", "1h", token)
    assert fairlane("claim").status == 1
    fairlane.ok("ack", token)


def test_reject_keeps_the_reason(fairlane):
    fairlane.publish("g", "a")
    fairlane.ok("reject", "--reason", "no such order", fairlane.ok("claim", "--worker", "w").row["token"])
    letter = fairlane.ok("dead", "list").row
    assert (letter["reason"], letter["worker"], letter["attempts"]) == ("no such order", "w", 1)


def test_a_group_that_is_no_text_comes_through_a_token(fairlane):
    fairlane.publish(b"\xff\x00\n", b"\x80")
    lease = fairlane.ok("claim").row
    assert (bytes_of(lease, "group"), bytes_of(lease, "event")) == (b"\xff\x00\n", b"\x80")
    assert bytes_of(fairlane.ok("ack", lease["token"]).row, "group") == b"\xff\x00\n"


@pytest.mark.parametrize("settle", ["ack", "nack", "extend", "release", "reject"])
def test_hostile_tokens_are_refused(fairlane, settle):
    fairlane.publish("g", "a")
    token = fairlane.ok("claim").row["token"]
    mistyped = token[:-1] + ("A" if token[-1] != "A" else "B")
    noise = base64.urlsafe_b64encode(bytes(range(60))).decode()
    for bad in ["", "x", mistyped, token[:-3], token + "AAAA", noise, "A" * 100_000, "\x1b[2J", "ü"]:
        ended = fairlane(settle, "--", bad)
        assert ended.status == 2, bad
        assert "no token" in ended.err or "TOKEN" in ended.err
        assert "\x1b" not in ended.err
        assert ended.out == b""
    assert fairlane.ok("inspect", "g").row["state"] == "leased"


def test_one_bad_token_among_several_settles_none(fairlane):
    fairlane.publish("g", "a")
    token = fairlane.ok("claim").row["token"]
    assert fairlane("ack", token, "x").status == 2
    assert fairlane.ok("ack", token).row["settled"] == "done"


def test_the_token_of_another_queue_is_refused(fairlane):
    fairlane.publish("g", "a")
    token = fairlane.ok("claim").row["token"]
    ended = fairlane("ack", "--transport", "sqlite:other.db", token)
    assert ended.status == 2
    assert "another store" in ended.err


@pytest.mark.parametrize("out", [full, closed_pipe])
def test_leases_that_nobody_learns_of_are_handed_back(fairlane, out):
    fairlane.publish("g", "a")
    fairlane.publish("h", "a")
    with out() as stream:
        ended = fairlane("claim", "-n", 2, "--visibility", "1h", out=stream)
    assert ended.status == 2
    assert "standard output cannot be written" in ended.err
    assert [lease["attempt"] for lease in fairlane.ok("claim", "-n", 2).rows] == [1, 1]
