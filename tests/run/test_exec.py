"""exec mode: what COMMAND gets, and what its end means."""

import json
import os
import signal
import time

import pytest
from conftest import events, is_alive, until

TELL = 'echo "$FAIRLANE_GROUP $FAIRLANE_SEQ $FAIRLANE_ATTEMPT $FAIRLANE_WORKER"'


def test_events_of_a_group_are_handled_in_order_by_many_workers(run):
    lines = events(400, groups=7)
    run.write("in", lines)
    append = 'IFS= read -r line; echo "$line" >>"$FAIRLANE_GROUP"'
    ended = run("--workers", 16, "in", "--", "sh", "-c", append)
    assert ended.status == 0, ended.err
    for group in range(7):
        name = f"k{group}"
        expected = [line for line in lines.splitlines() if f'"{name}"'.encode() in line]
        assert run.read(name).splitlines() == expected


def test_events_of_a_group_stay_in_order_when_attempts_fail(run):
    run.write("in", events(60, groups=4))
    fail_first = '[ "$FAIRLANE_ATTEMPT" -gt $((FAIRLANE_SEQ % 3)) ] || exit 1; '
    append = 'IFS= read -r line; echo "$line" >>"$FAIRLANE_GROUP"'
    ended = run("--workers", 8, "in", "--", "sh", "-c", fail_first + append)
    assert ended.status == 0, ended.err
    for group in range(4):
        numbers = [json.loads(line)["n"] for line in run.read(f"k{group}").splitlines()]
        assert numbers == [n for n in range(1, 61) if n % 4 == group]


def test_no_two_events_of_a_group_are_handled_at_once(run):
    run.write("in", events(120, groups=3))
    alone = 'mkdir "$FAIRLANE_GROUP" || exit 65; cat; rmdir "$FAIRLANE_GROUP"'
    ended = run("--workers", 12, "in", "--", "sh", "-c", alone)
    assert ended.status == 0, ended.err


def test_groups_are_handled_in_parallel(run):
    run.write("in", events(2, groups=2))
    # Each waits for the other: one worker alone would never end.
    meet = 'touch "$FAIRLANE_GROUP"; until [ -e k0 ] && [ -e k1 ]; do :; done'
    assert run("--workers", 2, "in", "--", "sh", "-c", meet).status == 0


@pytest.mark.parametrize("end", [b"\n", b""])
def test_the_command_gets_the_line_as_it_was_read(run, end):
    lines = [b'{"g":  "A" , "x":[1,  2], "y": "\\u00e4"}', b' { "g" : 1.50 }', b'{"g":"A"}\r']
    run.write("in", b"\n".join(lines) + end)
    ended = run("--workers", 1, "in", "--", "cat")
    assert ended.status == 0
    assert ended.out.split(b"\n") == [*lines, b""]


def test_the_environment_tells_group_seq_attempt_and_worker(run):
    run.write("in", b'{"g":"a b=c"}\n{"g":"a b=c"}\n')
    ended = run("--workers", 1, "in", "--", "sh", "-c", TELL + "; [ $FAIRLANE_ATTEMPT = 2 ]")
    assert ended.status == 0
    assert ended.out.decode().splitlines() == [
        "a b=c 1 1 worker-1",
        "a b=c 1 2 worker-1",
        "a b=c 2 1 worker-1",
        "a b=c 2 2 worker-1",
    ]


def test_what_the_environment_already_has_of_these_names_is_replaced(run, monkeypatch):
    monkeypatch.setenv("FAIRLANE_GROUP", "outer")
    ended = run("--", "sh", "-c", "env | grep ^FAIRLANE_GROUP=", input=b'{"g":"inner"}')
    assert ended.out == b"FAIRLANE_GROUP=inner\n"


def test_arguments_reach_the_command_unchanged(run):
    arguments = ["", "[a,b]", "--", "--help", "a b", "*", "$HOME", "{}", "-"]
    show = 'for each in "$@"; do printf "<%s>" "$each"; done'
    ended = run("--", "sh", "-c", show, "sh", *arguments, input=b'{"g":1}')
    assert ended.status == 0, ended.err
    assert ended.out.decode() == "".join(f"<{each}>" for each in arguments)


def test_a_command_need_not_read_a_large_event(run):
    line = json.dumps({"g": "A", "x": "x" * (1 << 20)}).encode()
    ended = run("--", "true", input=line)
    assert ended.status == 0, ended.err


def test_a_large_event_comes_whole_and_goes_whole(run):
    line = json.dumps({"g": "A", "x": "x" * (3 << 20)}).encode() + b"\n"
    ended = run("--", "cat", input=line)
    assert ended.status == 0
    assert ended.out == line


def test_exit_0_is_done(run):
    ended = run("--results", "results", "--", "true", input=events(3, groups=3))
    assert ended.status == 0
    assert ended.summary() == {
        "events": 3, "groups": 3, "done": 3, "dead": 0, "retries": 0, "stale": 0,
    }  # fmt: skip
    assert [each["result"] for each in run.results()] == ["done"] * 3


def test_exit_75_is_retried_after_the_retry_delay(run):
    stamp = 'date +%s%N >>stamps; [ "$FAIRLANE_ATTEMPT" -ge 3 ] || exit 75'
    ended = run("--retry-delay", "150ms", "--", "sh", "-c", stamp, input=events(1))
    assert ended.status == 0
    assert ended.summary()["retries"] == 2
    first, second, third = map(int, run.read("stamps").split())
    assert second - first >= 150_000_000
    assert third - second >= 150_000_000


def test_exit_65_is_a_dead_letter_at_once(run):
    ended = run("--results", "results", "--", "sh", "-c", "exit 65", input=events(2, groups=2))
    assert ended.status == 1
    assert [each["result"] for each in run.results()] == ["dead"] * 2
    assert "dead: seq 1, group k1, 1 attempts: exit 65" in ended.err


@pytest.mark.parametrize("end, reason", [
    ("exit 1", "exit 1"), ("exit 255", "exit 255"), ("kill -9 $$", "killed by SIGKILL"),
    ("kill -SEGV $$", "killed by SIGSEGV"), ("kill -TERM $$", "killed by SIGTERM"),
])  # fmt: skip
def test_any_other_exit_and_a_signal_are_failed_attempts(run, end, reason):
    options = ["--max-attempts", 2, "--results", "results"]
    ended = run(*options, "--", "sh", "-c", end, input=events(1))
    assert ended.status == 1
    results = [(each["attempt"], each["result"], each["reason"]) for each in run.results()]
    assert results == [(1, "failed", reason), (2, "dead", reason)]


def test_failed_attempts_back_off_longer_each_time(run):
    stamp = 'date +%s%N >>stamps; [ "$FAIRLANE_ATTEMPT" -ge 4 ]'
    ended = run("--backoff", "100ms..200ms", "--", "sh", "-c", stamp, input=events(1))
    assert ended.status == 0
    stamps = list(map(int, run.read("stamps").split()))
    pauses = [after - before for before, after in zip(stamps, stamps[1:])]
    # Spread keeps attempts of different events apart: a pause is at least half its nominal one.
    for pause, nominal_ms in zip(pauses, (100, 200, 200)):
        assert pause >= nominal_ms * 1_000_000 // 2, pauses


def test_other_groups_go_on_while_one_is_parked(run):
    run.write("in", b'{"g":"slow"}\n' + events(20, groups=5))
    once = '[ "$FAIRLANE_GROUP" != slow ] || [ "$FAIRLANE_ATTEMPT" = 2 ] || exit 75; ' + TELL
    ended = run("--workers", 1, "--retry-delay", "500ms", "in", "--", "sh", "-c", once)
    assert ended.status == 0
    said = ended.out.decode().splitlines()
    assert said[0].startswith("k") and "slow 1 2 worker-1" in said


def test_exhausted_events_are_dead_and_their_group_goes_on(run):
    run.write("in", events(6, groups=2))
    options = ["--max-attempts", 3, "--dead", "dead"]
    ended = run(*options, "in", "--", "sh", "-c", '[ "$FAIRLANE_SEQ" != 1 ]')
    assert ended.status == 1
    assert run.read("dead") == events(1, groups=2)
    assert (ended.summary()["done"], ended.summary()["dead"]) == (5, 1)


def test_exhausted_groups_are_suspended_where_order_comes_first(run):
    run.write("in", events(6, groups=2))
    options = ["--max-attempts", 2, "--when-exhausted", "suspend_group", "--unfinished", "left"]
    ended = run(*options, "in", "--", "sh", "-c", '[ "$FAIRLANE_SEQ" != 3 ]')
    assert ended.status == 1
    assert "suspended" in ended.err
    assert "2 of 6 events read are not done" in ended.err
    assert [json.loads(line)["n"] for line in run.read("left").splitlines()] == [3, 5]


def test_max_attempts_0_tries_for_ever(run):
    eventually = '[ "$FAIRLANE_ATTEMPT" -ge 12 ]'
    ended = run("--max-attempts", 0, "--", "sh", "-c", eventually, input=events(1))
    assert (ended.status, ended.summary()["retries"]) == (0, 11)


def test_dead_letters_can_be_fed_back_in(run):
    run.write("in", events(40, groups=5))
    assert run("--dead", "dead", "in", "--", "sh", "-c", "exit 65").status == 1
    assert sorted(run.read("dead").splitlines()) == sorted(events(40, groups=5).splitlines())
    ended = run("--workers", 1, "dead", "--", "cat")
    assert (ended.status, ended.summary()["done"]) == (0, 40)
    # Within a group they have kept their order.
    for group in range(5):
        numbers = [json.loads(line)["n"] for line in ended.out.splitlines()]
        numbers = [n for n in numbers if n % 5 == group]
        assert numbers == sorted(numbers)


def test_only_ten_dead_letters_are_shown_without_a_file(run):
    ended = run("--", "sh", "-c", "exit 65", input=events(25, groups=25))
    assert ended.err.count("dead: seq ") == 10
    assert ended.summary()["dead"] == 25


def test_results_hold_a_line_for_each_settled_attempt(run):
    once = '[ "$FAIRLANE_ATTEMPT" = 2 ] || exit 75'
    ended = run("--results", "results", "--", "sh", "-c", once, input=b'{"g":"\\u00e4\\"\\n"}')
    assert ended.status == 0
    first, second = run.results()
    assert first.pop("took_ms") > 0
    assert second.pop("took_ms") > 0
    assert first.pop("worker").startswith("worker-")
    common = {"seq": 1, "group": 'ä"\n'}
    assert first == {**common, "attempt": 1, "result": "retry", "reason": "exit 75"}
    assert {**second, "worker": 0} == {**common, "attempt": 2, "worker": 0, "result": "done"}


def test_a_timeout_ends_the_whole_process_group_and_counts_as_failed(run):
    stubborn = 'trap "" TERM; sleep 300 & echo $! >>children; sleep 300 & echo $! >>children; '
    options = ["--timeout", "100ms", "--grace", "50ms", "--max-attempts", 2]
    began = time.monotonic()
    ended = run(*options, "--results", "results", "--", "sh", "-c", stubborn + "wait; sleep 300",
                input=events(1))  # fmt: skip
    assert ended.status == 1
    assert time.monotonic() - began < 20
    reason = "timed out after 100ms"
    assert [each["reason"] for each in run.results()] == [reason, reason]
    children = run.read("children").split()
    assert len(children) == 4
    for child in map(int, children):
        until(lambda: not is_alive(child), f"the end of {child}")


def test_a_handler_may_clean_up_when_its_timeout_ends_it(run):
    tidy = 'trap "touch tidy; exit 0" TERM; sleep 300 & wait'
    options = ["--timeout", "100ms", "--max-attempts", 1]
    ended = run(*options, "--", "sh", "-c", tidy, input=events(1))
    assert ended.status == 1, "that it exits with 0 then does not make it done"
    assert (run.folder / "tidy").exists()


def test_heartbeats_keep_the_lease_of_a_slow_handler(run):
    options = ["--visibility", "500ms", "--workers", 4]
    ended = run(*options, "--", "sh", "-c", "sleep 1.5; echo x >>handled", input=events(1))
    assert (ended.status, ended.summary()["stale"]) == (0, 0)
    assert run.read("handled") == b"x\n"


def test_a_background_process_that_keeps_the_pipes_holds_nothing_up(run):
    leave = "sleep 300 & echo $! >child; echo out"
    ended = run("--", "sh", "-c", leave, input=events(1))
    os.kill(int(run.read("child")), signal.SIGKILL)
    assert (ended.status, ended.out) == (0, b"out\n")


def test_output_of_events_is_never_interleaved(run):
    say = "for i in 1 2 3 4 5 6 7 8; do echo $FAIRLANE_GROUP; echo $FAIRLANE_GROUP >&2; done"
    ended = run("--quiet", "--workers", 8, "--", "sh", "-c", say, input=events(60, groups=60))
    assert ended.status == 0
    for lines in (ended.out.decode().splitlines(), ended.err.splitlines()):
        assert len(lines) == 480
        blocks = [lines[i : i + 8] for i in range(0, len(lines), 8)]
        assert all(len(set(block)) == 1 for block in blocks)
        assert len({block[0] for block in blocks}) == 60


def test_output_larger_than_memory_shall_hold_comes_whole(run):
    flood = "head -c 5000000 /dev/zero | tr '\\0' $FAIRLANE_GROUP"
    lines = b'{"g":"a"}\n{"g":"b"}\n'
    ended = run("--workers", 2, "--", "sh", "-c", flood, input=lines)
    assert ended.status == 0
    assert ended.out in (b"a" * 5000000 + b"b" * 5000000, b"b" * 5000000 + b"a" * 5000000)


def test_the_output_of_a_failed_attempt_is_shown_too(run):
    say = 'echo "attempt $FAIRLANE_ATTEMPT"; [ $FAIRLANE_ATTEMPT = 2 ]'
    ended = run("--", "sh", "-c", say, input=events(1))
    assert ended.out == b"attempt 1\nattempt 2\n"


def test_high_priorities_go_first_where_the_ratio_says_so(run):
    lines = [f'{{"g":"low{i}","p":0}}' for i in range(20)]
    lines.append('{"g":"high","p":9}')
    run.write("in", "\n".join(lines).encode())
    # The first holds the only worker until all is read.
    wait = 'until [ -e all ]; do :; done; echo "$FAIRLANE_GROUP"'
    options = ["--priority-by", "p", "--high-ratio", 1, "--priority-threshold", 5]
    running = run.start(*options, "--workers", 1, "in", "-", "--", "sh", "-c", wait)
    # A line of standard input comes behind the file, so its being bad tells that all is read.
    running.feed(b"bad\n")
    until(lambda: "bad line" in running.err(), "the end of reading")
    run.write("all", b"")
    ended = running.ends()
    assert ended.status == 2
    # The worker may have claimed one before the high one was published.
    assert ended.out.decode().splitlines().index("high") <= 1
