"""Looking into a queue and steering it."""

import subprocess

import pytest
from conftest import closed_pipe, full, line


def test_stats_of_a_queue(fairlane):
    empty = fairlane.stats()
    assert empty == dict.fromkeys(empty, 0)
    fairlane.publish("g", "a", "b")
    fairlane.publish("h", "a")
    fairlane.ok("claim")
    held = fairlane.stats()
    assert held["oldest_age_ms"] >= 0
    del held["oldest_age_ms"]
    assert held == {
        "groups": 2, "ready": 1, "waiting": 1, "leased": 1, "parked": 0, "suspended": 0, "dead": 0,
    }  # fmt: skip


def test_groups_in_pages(fairlane):
    for group in ["b", "a", "", "c"]:
        fairlane.publish(group, "1")
    assert [row["group"] for row in fairlane.ok("groups").rows] == ["", "a", "b", "c"]
    assert [row["group"] for row in fairlane.ok("groups", "--limit", 2).rows] == ["", "a"]
    page = fairlane.ok("groups", "--limit", 2, "--after", "a").rows
    assert [row["group"] for row in page] == ["b", "c"]
    assert len(fairlane.ok("groups", "--after", "").rows) == 3
    assert len(fairlane.ok("groups", "--after", "YQ==", "--base64").rows) == 2


def test_suspend_and_resume(fairlane):
    fairlane.publish("g", "a")
    fairlane.ok("suspend", "g")
    fairlane.ok("suspend", "absent")
    assert fairlane("claim").status == 1
    assert fairlane.ok("inspect", "g").row["state"] == "suspended"
    suspended = fairlane.ok("groups", "--suspended").rows
    assert [row["group"] for row in suspended] == ["absent", "g"]
    fairlane.ok("resume", "g")
    assert fairlane.ok("claim").row["event"] == "a"


def test_terminate_drops_all(fairlane):
    fairlane.publish("g", "a", "b")
    token = fairlane.ok("claim").row["token"]
    assert fairlane.ok("terminate", "g").row == {"group": "g", "dropped": 2}
    assert fairlane("ack", token).status == 1
    assert fairlane.ok("inspect", "g").row["state"] == "absent"


def test_cancel_puts_one_event_behind_the_leased_head(fairlane):
    fairlane.publish("g", "a", "b", "c")
    fairlane.ok("claim")
    assert fairlane.ok("cancel", "g", "stop").row == {"group": "g", "dropped": 2, "seq": 4}
    assert fairlane.events("g") == [b"a", b"stop"]
    fairlane.ok("cancel", "--base64", "Zw==", "/wA=")
    assert fairlane.events("g") == [b"a", b"\xff\x00"]
    fairlane.ok("cancel", "g", "-", input=b"\x00" * 3_000_000)
    assert fairlane.events("g") == [b"a", b"\x00" * 3_000_000]


def dead_letters(fairlane, count):
    fairlane.publish("g", *(str(i) for i in range(count)))
    for _ in range(count):
        fairlane.ok("reject", fairlane.ok("claim").row["token"])


def test_dead_letters_are_listed_redriven_and_dropped(fairlane):
    dead_letters(fairlane, 4)
    assert [row["event"] for row in fairlane.ok("dead", "list").rows] == ["0", "1", "2", "3"]
    page = fairlane.ok("dead", "list", "--after", 1, "--limit", 2).rows
    assert [row["seq"] for row in page] == [2, 3]
    assert fairlane.ok("dead", "redrive", 2, 1).rows == [{"seq": 2, "new_seq": 5}, {"seq": 1, "new_seq": 6}]
    assert fairlane.events("g") == [b"1", b"0"]
    assert fairlane.ok("dead", "drop", 3).rows == [{"seq": 3}]
    assert fairlane.ok("dead", "redrive", "--all").rows == [{"seq": 4, "new_seq": 7}]
    assert fairlane.ok("dead", "list").rows == []
    assert fairlane.ok("dead", "drop", "--all").rows == []


def test_all_the_dead_letters_of_several_shards(fairlane):
    sharded = ["--transport", "sharded:?0=sqlite:a.db&1=sqlite:b.db"]
    lines = b"".join(line(f"g{i}", "a") for i in range(20))
    fairlane.ok("publish", *sharded, input=lines)
    for lease in fairlane.ok("claim", *sharded, "-n", 20).rows:
        fairlane.ok("reject", *sharded, lease["token"])
    assert len(fairlane.ok("dead", "redrive", "--all", *sharded).rows) == 20
    assert fairlane.stats(*sharded)["ready"] == 20


def test_a_letter_that_is_not_there_ends_it_and_tells_what_was_done(fairlane):
    dead_letters(fairlane, 2)
    ended = fairlane("dead", "drop", 1, 99, 2)
    assert ended.status == 2
    assert "no dead letter has seq 99" in ended.err
    assert ended.rows == [{"seq": 1}]
    assert [row["seq"] for row in fairlane.ok("dead", "list").rows] == [2]


def test_all_letters_or_some_but_one_has_to_be_said(fairlane):
    dead_letters(fairlane, 1)
    for arguments in [["redrive"], ["drop"], ["drop", "--all", 1], ["drop", "x"], ["drop", "-1"], []]:
        assert fairlane("dead", *arguments).status == 2, arguments
    assert fairlane.stats()["dead"] == 1


HOSTILE = "\x1b]0;owned\x07\n\u202egroup\\"


def test_tables_on_a_terminal_and_json_elsewhere(fairlane):
    fairlane.publish(HOSTILE, "a" * 500, "\x1b[2J", b"\xff")
    shown = fairlane.on_terminal("groups")
    assert shown.splitlines()[0] == b"GROUP"
    assert fairlane.ok("groups", "--table").out == shown
    assert fairlane.on_terminal("groups", "--json") == fairlane.ok("groups").out
    peeked = fairlane.ok("peek", "--table", "--", HOSTILE).out.decode().splitlines()
    assert peeked[0].split() == ["SEQ", "ATTEMPTS", "EVENT"]
    assert peeked[1].endswith("a...")
    assert peeked[2].endswith("\\x1b[2J")
    assert peeked[3].endswith("\\xff")


@pytest.mark.parametrize(
    "look", [["groups"], ["inspect", "--", HOSTILE], ["claim"], ["dead", "list"], ["suspend", "--", HOSTILE],
             ["terminate", "--", HOSTILE]]
)  # fmt: skip
def test_a_hostile_group_drives_no_terminal(fairlane, look):
    fairlane.publish(HOSTILE, HOSTILE, HOSTILE)
    fairlane.ok("reject", "--reason", HOSTILE, fairlane.ok("claim", "--worker", HOSTILE).row["token"])
    shown = fairlane.on_terminal(*look)
    assert b"\\x1b]0;owned\\x07\\n\\u202egroup\\\\" in shown
    assert not [byte for byte in shown if byte < 0x20 and byte != 0x0A]
    assert "\u202e".encode() not in shown


def test_groups_that_look_like_something_else(fairlane):
    for group in ["-x", "--help", "[a,b]", "", " ", "a b", "$(x)", "g\n", "%s", "x" * 1024]:
        fairlane.publish(group, "1")
        assert fairlane.ok("inspect", "--", group).row["messages"] == 1
        assert fairlane.ok("terminate", "--", group).row == {"group": group, "dropped": 1}


def test_a_group_that_is_too_long_is_refused(fairlane):
    ended = fairlane("inspect", "x" * 1025)
    assert ended.status == 2
    assert "1025 bytes" in ended.err


@pytest.mark.parametrize(
    "wrong",
    [["claim", "-n", "0"], ["claim", "--visibility", "5"], ["claim", "--visibility", "-1s"], ["ack"],
     ["claim", "--min-priority", "2147483648"], ["peek"], ["peek", "g", "--limit", "0"], ["groups", "--nothing"],
     ["inspect", "g", "h"], ["inspect", "--base64", "Zg"], ["nack", "a", "b"], ["stats", "--json", "--table"],
     ["publish", "--batch", "0"], ["schema", "nothing"], ["copy", "memory:"], ["nothing"]],
)  # fmt: skip
def test_wrong_arguments_are_status_2(fairlane, wrong):
    ended = fairlane(*wrong)
    assert ended.status == 2
    assert ended.err


def test_a_queue_has_to_be_named(fairlane):
    bare = {"PATH": "/bin"}
    ended = fairlane("stats", env=bare)
    assert ended.status == 2
    assert "--transport" in ended.err
    assert fairlane.ok("stats", "--transport", "memory:", env=bare).row["groups"] == 0
    ended = fairlane("stats", "--transport", "nowhere://user:secret@host")
    assert ended.status == 2
    assert "secret" not in ended.err
    assert fairlane("stats", "--transport", "sqlite:missing/queue.db").status == 2


def test_a_broken_file_is_an_error(fairlane):
    (fairlane.folder / "queue.db").write_bytes(b"no database, but long enough to be read as one" * 100)
    for command in [["stats"], ["claim"], ["publish"], ["copy", "sqlite:queue.db", "memory:"]]:
        ended = fairlane(*command, input=line("g", "1"))
        assert ended.status == 2
        assert ended.err.startswith("fairlane: ")


def test_what_engines_need(fairlane):
    ended = fairlane.ok("schema", "sqlite")
    assert ended.out == b""
    assert "needs nothing" in ended.err
    assert b"CREATE" in fairlane.ok("schema", "postgresql").out.upper()
    assert "known: memory, postgresql" in fairlane("schema", "oracle").err


@pytest.mark.parametrize("command", [["stats"], ["groups"], ["inspect", "g"], ["peek", "g"], ["terminate", "g"]])
def test_a_full_disk_is_told(fairlane, command):
    fairlane.publish("g", "a")
    with full() as stream:
        ended = fairlane(*command, out=stream)
    assert ended.status == 2
    assert "standard output cannot be written: No space left on device" in ended.err


def test_a_listing_into_a_closed_pipe_ends_as_others_do(fairlane):
    fairlane.publish("g", "a")
    with closed_pipe() as stream:
        ended = fairlane("groups", out=stream)
    assert ended.status == -subprocess.signal.SIGPIPE
    assert ended.err == ""
