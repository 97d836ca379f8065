"""`fairlane publish`: JSON lines in, seqs out."""

import gzip
import json

import pytest
from conftest import closed_pipe, full, line


def test_lines_become_messages_in_order(fairlane):
    given = b'{"group":"g","event":"text"}\n{"event":{"n": 1.50},"group":"g"}\n{"group":7,"event":null}'
    ended = fairlane.ok("publish", input=given)
    assert ended.out == b"1\n2\n3\n"
    assert ended.err == ""
    assert fairlane.events("g") == [b"text", b'{"n":1.50}']
    assert fairlane.events("7") == [b"null"]


def test_seqs_as_json(fairlane):
    ended = fairlane.ok("publish", "--json", input=line("g", "a") + line("h", "b"))
    assert ended.rows == [{"seq": 1}, {"seq": 2}]


def test_files_plain_and_gzip_in_their_order(fairlane):
    (fairlane.folder / "a").write_bytes(line("g", "1") + line("g", "2"))
    (fairlane.folder / "b.gz").write_bytes(gzip.compress(line("g", "3")))
    fairlane.ok("publish", "a", "b.gz", "-", input=line("g", "4"))
    assert fairlane.events("g") == [b"1", b"2", b"3", b"4"]


def test_bytes_that_are_no_text(fairlane):
    every_byte = bytes(range(256))
    fairlane.publish(b"\xff\x00", every_byte, b"")
    assert fairlane.ok("groups").rows == [{"group_base64": "/wA="}]
    assert fairlane.events("/wA=", "--base64") == [every_byte, b""]


def test_a_priority_is_taken_by_the_first_of_a_group(fairlane):
    fairlane.publish("g", "a", priority=-2_147_483_648)
    assert fairlane.ok("inspect", "g").row["priority"] == -2_147_483_648


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_a_bad_line_is_named_and_nothing_of_its_batch_is_stored(fairlane, batch):
    given = b"".join([line("g", "1"), line("g", "2"), line("g", "3"), b'{"group":"g"}\n', line("g", "5")])
    ended = fairlane("publish", "--batch", batch, input=given)
    stored = 3 // batch * batch
    assert ended.status == 2
    assert "standard input:4: bad line: it has no \"event\"" in ended.err
    assert f"{stored} lines before are published" in ended.err
    assert ended.out == b"".join(b"%d\n" % (i + 1) for i in range(stored))
    assert len(fairlane.events("g")) == stored


@pytest.mark.parametrize(
    "bad",
    [b"", b"x", b"[]", b'{"group":"g","event":1', b'{"group":"g","event":1,"prio":2}', b"\xff", b"\x00",
     b'{"group":"g","event_base64":"A"}', b'{"group":"' + b"x" * 1025 + b'","event":1}', b"[" * 100_000],
)  # fmt: skip
def test_hostile_lines_are_refused(fairlane, bad):
    ended = fairlane("publish", input=bad + b"\n")
    assert ended.status == 2
    assert ended.err.startswith("fairlane: standard input:1: bad line: ")
    assert fairlane.stats()["groups"] == 0


def test_what_is_refused_drives_no_terminal(fairlane):
    ended = fairlane("publish", input=b'{"\\u001b]0;x\\u0007":1}\n')
    assert "\\x1b]0;x\\x07" in ended.err
    assert "\x1b" not in ended.err


def test_no_lines_are_no_error(fairlane):
    assert fairlane.ok("publish", input=b"").out == b""
    assert fairlane.ok("publish", "/dev/null").out == b""


def test_an_event_of_ten_megabytes(fairlane):
    event = "x" * 10_000_000
    fairlane.publish("g", event)
    assert fairlane.events("g") == [event.encode()]
    assert fairlane.ok("claim").row["event"] == event


def test_a_hundred_thousand_lines(fairlane):
    given = b"".join(line(f"g{i % 100}", str(i)) for i in range(100_000))
    ended = fairlane.ok("publish", "--batch", 1000, input=given)
    assert [int(seq) for seq in ended.out.split()] == list(range(1, 100_001))
    held = fairlane.stats()
    assert (held["groups"], held["ready"] + held["waiting"]) == (100, 100_000)
    assert fairlane.events("g7") == [b"%d" % i for i in range(7, 100_000, 100)]


def test_a_missing_file_is_told(fairlane):
    ended = fairlane("publish", "missing")
    assert ended.status == 2
    assert "missing: cannot open" in ended.err


@pytest.mark.parametrize("out", [full, closed_pipe])
def test_an_output_that_cannot_be_written_ends_it(fairlane, out):
    with out() as stream:
        ended = fairlane("publish", input=line("g", "1") + line("g", "2"), out=stream)
    assert ended.status == 2
    assert "standard output cannot be written" in ended.err
    assert "1 lines before are published" in ended.err
    assert fairlane.events("g") == [b"1"]


def limited_queue(fairlane):
    """Makes the queue with room for one message."""
    trace = fairlane.folder / "trace"
    trace.write_text('{"op":"config","max_messages":1}\n')
    fairlane.ok("replay", "trace")


def test_a_full_queue_is_told(fairlane):
    limited_queue(fairlane)
    ended = fairlane("publish", input=line("g", "1") + line("g", "2"))
    assert ended.status == 2
    assert "standard input:2: " in ended.err
    assert ended.out == b"1\n"


def test_it_waits_for_room(fairlane):
    limited_queue(fairlane)
    fairlane.publish("g", "1")
    ended = fairlane("publish", "--wait", "50ms", input=line("g", "2"))
    assert ended.status == 2
    assert "no room within 50ms" in ended.err
    waiting = fairlane.start("publish", "--wait", "1h")
    waiting.stdin.write(line("g", "2"))
    waiting.stdin.flush()
    token = fairlane.ok("claim").row["token"]
    fairlane.ok("ack", token)
    waiting.stdin.close()
    assert waiting.wait(timeout=60) == 0
    assert fairlane.events("g") == [b"2"]


def test_waiting_takes_one_line_at_a_time(fairlane):
    ended = fairlane("publish", "--wait", "1s", "--batch", 2, input=line("g", "1"))
    assert ended.status == 2
    assert "not with --batch" in ended.err


def test_what_is_printed_can_be_published_again(fairlane):
    fairlane.publish("g", "a", "ü\n", b"\xff")
    rows = fairlane.ok("peek", "g").rows
    again = b"".join(
        json.dumps({"group": "h", **{k: v for k, v in row.items() if k.startswith("event")}}).encode()
        + b"\n"
        for row in rows
    )
    fairlane.ok("publish", input=again)
    assert fairlane.events("h") == fairlane.events("g")
