"""`fairlane work`: workers alone, on what others publish."""

import json
import os
import signal
import subprocess

from conftest import line, until

NOTE = ["sh", "-c", 'cat >> "handled.$FAIRLANE_GROUP"']
FAST = ["--backoff", "1ms", "--retry-delay", "1ms"]

ANSWER = """
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    open("events", "a").write(line)
    print(json.dumps({"seq": event["seq"], "result": "done"}), flush=True)
"""


def fill(fairlane, groups, each):
    lines = [line(f"k{g}", str(i)) for i in range(each) for g in range(groups)]
    fairlane.ok("publish", "--batch", 1000, input=b"".join(lines))


def handled(fairlane, groups):
    """What each group's handler was given, in order; a repeated delivery counts once."""
    seen = []
    for group in range(groups):
        numbers = [int(number) for number in fairlane.read(f"handled.k{group}").split()]
        assert numbers == sorted(numbers)
        seen.append(len(set(numbers)))
    return seen


def test_it_handles_in_order_until_nothing_is_queued(fairlane):
    fill(fairlane, groups=4, each=25)
    ended = fairlane.ok("work", "--until-empty", "--", *NOTE)
    assert ended.err.startswith("fairlane: 100 done, 0 dead, 0 retries, 0 stale; ")
    assert handled(fairlane, 4) == [25] * 4
    assert fairlane.stats()["groups"] == 0


def test_an_empty_queue_is_done_at_once(fairlane):
    assert fairlane.ok("work", "--until-empty", "--quiet", "--", "false").err == ""


def test_it_waits_for_more_until_it_is_stopped(fairlane):
    working = fairlane.start("work", "--", *NOTE)
    for number in range(3):
        fairlane.publish("k0", str(number))
        until(lambda: fairlane.stats()["groups"] == 0, "that it is handled")
    working.send_signal(signal.SIGTERM)
    assert working.wait(timeout=60) == 0
    assert handled(fairlane, 1) == [3]
    assert b"3 done, 0 dead" in fairlane.read("err")


def test_stopped_before_all_is_done_it_says_so(fairlane):
    fill(fairlane, groups=1, each=2)
    slow = ["sh", "-c", "echo > begun; exec sleep 60"]
    working = fairlane.start("work", "--until-empty", "--grace", "10ms", "--workers", 1, "--", *slow)
    until((fairlane.folder / "begun").exists, "that it works")
    working.send_signal(signal.SIGINT)
    assert working.wait(timeout=60) == 130
    lease = fairlane.ok("claim").row
    assert (lease["seq"], lease["attempt"]) == (1, 1)


def test_killed_it_loses_nothing(fairlane):
    fill(fairlane, groups=5, each=40)
    slow = ["sh", "-c", 'cat >> "handled.$FAIRLANE_GROUP"; sleep 0.01']
    working = fairlane.start("work", "--visibility", "300ms", "--", *slow)
    until(lambda: (fairlane.folder / "handled.k0").exists(), "that it works")
    until(lambda: len(fairlane.read("handled.k0").split()) > 3, "that some are done")
    working.kill()
    working.wait()
    fairlane.ok("work", "--until-empty", "--visibility", "300ms", "--", *NOTE)
    assert handled(fairlane, 5) == [40] * 5


def test_two_share_a_queue(fairlane):
    fill(fairlane, groups=8, each=25)
    slow = ["sh", "-c", 'cat >> "handled.$FAIRLANE_GROUP"; sleep 0.005']
    first = fairlane.start("work", "--until-empty", "--", *slow)
    fairlane.ok("work", "--until-empty", "--", *slow)
    assert first.wait(timeout=60) == 0
    assert handled(fairlane, 8) == [25] * 8


def test_failures_are_tried_again_and_hopeless_ones_are_dead(fairlane):
    fairlane.publish("good", "a")
    fairlane.publish("bad", "b")
    handler = ["sh", "-c", '[ $FAIRLANE_GROUP = bad ] && exit 65; [ $FAIRLANE_ATTEMPT = 3 ]']
    ended = fairlane("work", "--until-empty", *FAST, "--", *handler)
    assert ended.status == 1
    assert "1 done, 1 dead, 2 retries" in ended.err
    letter = fairlane.ok("dead", "list").row
    assert (letter["group"], letter["reason"]) == ("bad", "exit 65")


def test_the_queues_own_rules_hold(fairlane):
    (fairlane.folder / "trace").write_text('{"op":"config","max_attempts":2}\n')
    fairlane.ok("replay", "trace")
    fairlane.publish("g", "a", "b")
    fairlane("work", "--until-empty", *FAST, "--", "false")
    assert [letter["attempts"] for letter in fairlane.ok("dead", "list").rows] == [2, 2]
    ended = fairlane("work", "--until-empty", "--max-attempts", 9, "--", "false")
    assert ended.status == 2
    assert "has other options" in ended.err


def test_suspended_groups_end_it_where_nothing_else_is_left(fairlane):
    fill(fairlane, groups=2, each=2)
    fairlane.ok("suspend", "k1")
    ended = fairlane("work", "--until-empty", "--", *NOTE)
    assert ended.status == 1
    assert "2 messages stand in suspended groups" in ended.err
    assert handled(fairlane, 1) == [2]


def test_workers_leave_groups_below_the_floor_alone(fairlane):
    fairlane.publish("low", "a", priority=-1)
    working = fairlane.start("work", "--", *NOTE)
    fairlane.publish("k0", "1")
    until(lambda: fairlane.stats()["groups"] == 1, "that the other is handled")
    working.send_signal(signal.SIGINT)
    assert working.wait(timeout=60) == 0
    fairlane.ok("work", "--until-empty", "--min-priority", -1, "--", *NOTE)


def test_lines_mode_tells_json_from_text_and_bytes(fairlane):
    fairlane.publish("g", '{"n":1.50}', "text", "{", "a\nb", '["a",\n1]', b"\xff", "")
    fairlane.publish(b"\xff\x00", "7")
    (fairlane.folder / "answer.py").write_text(ANSWER)
    fairlane.ok("work", "--until-empty", "--mode", "lines", "--workers", 1, "--", "python3", "-S", "answer.py")
    rows = [json.loads(row) for row in fairlane.read("events").splitlines()]
    of_group = [row for row in rows if row.get("group") == "g"]
    told = [{k: v for k, v in row.items() if k.startswith("event")} for row in of_group]
    assert told == [
        {"event": {"n": 1.5}},
        {"event_text": "text"},
        {"event_text": "{"},
        {"event_text": "a\nb"},
        {"event_text": '["a",\n1]'},
        {"event_base64": "/w=="},
        {"event_text": ""},
    ]
    (other,) = (row for row in rows if "group_base64" in row)
    assert (other["group_base64"], other["event"]) == ("/wA=", 7)


def test_any_bytes_reach_a_handler_whole(fairlane):
    event = bytes(range(256)) * 50_000
    fairlane.publish("k0", event)
    fairlane.ok("work", "--until-empty", "--", *NOTE)
    assert fairlane.read("handled.k0") == event + b"\n"


def test_a_group_with_a_nul_fails_where_it_would_be_cut_short(fairlane):
    (fairlane.folder / "trace").write_text('{"op":"config","max_attempts":2}\n')
    fairlane.ok("replay", "trace")
    fairlane.publish(b"k0\x00x", "a")
    ended = fairlane("work", "--until-empty", "--max-attempts", 2, *FAST, "--", *NOTE)
    assert ended.status == 1
    assert "holds a NUL" in fairlane.ok("dead", "list").row["reason"]
    assert not (fairlane.folder / "handled.k0").exists()


def test_results_name_workers_and_groups_that_are_no_text(fairlane):
    fairlane.publish(b"\xff", "a")
    fairlane.ok("work", "--until-empty", "--worker", 'm"e', "--workers", 1, "--results", "results", "--", "true")
    (row,) = (json.loads(row) for row in fairlane.read("results").splitlines())
    assert (row["group_base64"], row["worker"], row["result"]) == ("/w==", 'm"e-1', "done")


def test_a_wrong_command_ends_it_and_hands_back(fairlane):
    fairlane.publish("g", "a")
    assert fairlane("work", "--until-empty").status == 2
    assert fairlane("work", "--until-empty", "--", "./missing").status == 2
    assert fairlane.ok("claim").row["attempt"] == 1


def test_a_full_disk_ends_it(fairlane):
    fairlane.publish("g", "a")
    with open("/dev/full", "wb") as stream:
        ended = fairlane("work", "--until-empty", "--", "echo", "x", out=stream)
    assert ended.status == 2


def test_waiting_for_events_costs_no_processor_time(fairlane):
    working = fairlane.start("work", "--workers", 4, "--transport", "memory:", "--", "true")
    until(lambda: len(os.listdir(f"/proc/{working.pid}/task")) >= 6, "that all threads run")

    def ticks():
        with open(f"/proc/{working.pid}/stat", encoding="ascii") as stat:
            return sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))

    before = ticks()
    subprocess.run(["sleep", "1"], check=True)
    assert ticks() - before <= 5
    working.send_signal(signal.SIGINT)
    assert working.wait(timeout=60) == 0
