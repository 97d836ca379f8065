"""`fairlane copy`: whole, in order, and never less than all."""

import random
import time

from conftest import QUEUE, full, line

TO = "sqlite:to.db?synchronous=normal"


def fill(fairlane, groups, each):
    lines = [line(f"k{g}", f"k{g} {i}", g % 3 - 1) for i in range(each) for g in range(groups)]
    fairlane.ok("publish", "--batch", 1000, input=b"".join(lines))


def expected(group, each):
    return [f"{group} {i}".encode() for i in range(each)]


def test_a_copy_is_whole_and_in_order(fairlane):
    fill(fairlane, groups=30, each=20)
    fairlane.publish(b"\xff\x00", b"\x00\xff", b"")
    fairlane.ok("suspend", "k3")
    fairlane.ok("suspend", "empty")
    ended = fairlane.ok("copy", QUEUE, TO)
    assert "31 groups with 602 messages are over" in ended.err
    assert len(ended.rows) == 31
    for group in range(30):
        assert fairlane.events(f"k{group}", "--transport", TO) == expected(f"k{group}", 20)
        shown = fairlane.ok("inspect", f"k{group}", "--transport", TO).row
        assert shown["priority"] == group % 3 - 1
        assert shown["suspended"] == (group == 3)
    assert fairlane.events("/wA=", "--base64", "--transport", TO) == [b"\x00\xff", b""]
    assert fairlane.ok("inspect", "empty", "--transport", TO).row["suspended"]
    assert fairlane.stats()["groups"] == 31


def test_a_move_leaves_dead_letters_and_says_so(fairlane):
    fairlane.publish("g", "a", "b")
    fairlane.ok("reject", fairlane.ok("claim").row["token"])
    ended = fairlane.ok("copy", "--move", QUEUE, TO)
    assert "1 dead letters stay in FROM" in ended.err
    assert fairlane.stats()["groups"] == 0
    assert fairlane.stats()["dead"] == 1
    assert fairlane.events("g", "--transport", TO) == [b"b"]


def test_leased_messages_are_refused_unless_forced(fairlane):
    fairlane.publish("g", "a")
    token = fairlane.ok("claim").row["token"]
    ended = fairlane("copy", "--move", QUEUE, TO)
    assert ended.status == 2
    assert "leased" in ended.err
    assert fairlane.stats("--transport", TO)["groups"] == 0
    fairlane.ok("copy", "--move", "--force", QUEUE, TO)
    assert fairlane("ack", token).status == 1
    assert fairlane.events("g", "--transport", TO) == [b"a"]


def test_one_queue_by_two_names_is_refused(fairlane):
    fairlane.publish("g", "a")
    for other in ["sqlite:./queue.db", f"sqlite:{fairlane.folder}/queue.db"]:
        ended = fairlane("copy", "--move", "--continue", QUEUE, other)
        assert ended.status == 2
        assert "one queue" in ended.err
    assert fairlane.events("g") == [b"a"]


def test_a_shard_of_the_other_queue_is_refused(fairlane):
    sharded = "sharded:?0=sqlite:queue.db&1=sqlite:b.db&2=sqlite:c.db"
    fairlane.ok("publish", "--transport", sharded, input=b"".join(line(f"k{i}", "a") for i in range(30)))
    for names in [(QUEUE, sharded), (sharded, QUEUE)]:
        for options in [["--move"], ["--move", "--continue"]]:
            ended = fairlane("copy", *options, *names)
            assert ended.status == 2
    assert fairlane.stats("--transport", sharded)["groups"] == 30


def test_a_queue_is_spread_over_shards(fairlane):
    fill(fairlane, groups=20, each=3)
    sharded = "sharded:?0=sqlite:a.db&1=sqlite:b.db"
    fairlane.ok("copy", "--move", QUEUE, sharded)
    for group in range(20):
        assert fairlane.events(f"k{group}", "--transport", sharded) == expected(f"k{group}", 3)
    leases = fairlane.ok("claim", "--transport", sharded, "-n", 20, "--min-priority", -1).rows
    tokens = [lease["token"] for lease in leases]
    settled = fairlane.ok("ack", "--transport", sharded, *tokens).rows
    assert [row["settled"] for row in settled] == ["done"] * 20


def test_a_second_copy_is_refused_and_says_how_to_go_on(fairlane):
    fill(fairlane, groups=3, each=2)
    fairlane.ok("copy", QUEUE, TO)
    ended = fairlane("copy", QUEUE, TO)
    assert ended.status == 2
    assert "--continue" in ended.err
    again = fairlane.ok("copy", "--continue", QUEUE, TO)
    assert [(row["messages"], row["present"]) for row in again.rows] == [(2, 2)] * 3
    assert fairlane.stats("--transport", TO)["waiting"] == 3


def test_killed_at_random_it_goes_on_and_neither_loses_nor_doubles(fairlane):
    groups, each = 150, 5
    fill(fairlane, groups, each)
    seed = random.randrange(1 << 32)
    print("seed", seed)
    pauses = random.Random(seed)
    options = []
    kills = 0
    while True:
        process = fairlane.start("copy", "--move", *options, QUEUE, TO)
        options = ["--continue"]
        pause = pauses.uniform(0.01, 0.12)
        deadline = time.monotonic() + pause
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        if process.poll() is not None:
            assert process.returncode == 0, fairlane.read("err")
            break
        process.kill()
        process.wait()
        kills += 1
    print(kills, "kills")
    assert fairlane.stats()["groups"] == 0
    assert fairlane.stats("--transport", TO)["groups"] == groups
    for group in range(groups):
        assert fairlane.events(f"k{group}", "--transport", TO) == expected(f"k{group}", each)


def test_an_output_that_cannot_be_written_stops_it_and_it_goes_on(fairlane):
    fill(fairlane, groups=5, each=2)
    with full() as stream:
        ended = fairlane("copy", "--move", QUEUE, TO, out=stream)
    assert ended.status == 2
    assert "go on with --continue" in ended.err
    fairlane.ok("copy", "--move", "--continue", QUEUE, TO)
    for group in range(5):
        assert fairlane.events(f"k{group}", "--transport", TO) == expected(f"k{group}", 2)


def test_an_empty_queue_and_a_huge_group(fairlane):
    assert fairlane.ok("copy", QUEUE, TO).rows == []
    lines = b"".join(line("huge", f"huge {i}") for i in range(20_000))
    fairlane.ok("publish", "--batch", 5000, input=lines)
    fairlane.ok("copy", "--move", QUEUE, TO)
    assert fairlane.events("huge", "--transport", TO) == expected("huge", 20_000)
