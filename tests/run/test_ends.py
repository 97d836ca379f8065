"""How a run ends before all is done: stops, wrong usage, broken commands, full disks."""

import json
import os
import signal
import time

import pytest
from conftest import events, is_alive, until

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_on_endless_input_says_what_is_not_done_and_where_reading_stopped(run, number):
    handle = 'read -r line; [ "$FAIRLANE_SEQ" -le 2 ] || { touch started; exec sleep 300; }'
    options = ["--workers", 1, "--grace", "50ms", "--unfinished", "left"]
    running = run.start(*options, "--", "sh", "-c", handle)
    running.feed(events(30, groups=30))
    until((run.folder / "started").exists, "the third event")
    running.signal(number)
    ended = running.ends()
    assert ended.status == 130
    assert "28 of 30 events read are not done; reading stopped at standard input:30" in ended.err
    assert run.read("left") == b"".join(events(30, groups=30).splitlines(True)[2:])


def test_a_stop_lets_handlers_finish(run):
    handle = 'touch started; until [ -e finish ]; do :; done; echo "$FAIRLANE_SEQ"'
    running = run.start("--workers", 1, "--unfinished", "left", "--", "sh", "-c", handle)
    running.feed(events(3))
    until((run.folder / "started").exists, "the first event")
    running.signal(signal.SIGINT)
    run.write("finish", b"")
    ended = running.ends()
    assert (ended.status, ended.out) == (130, b"1\n")
    assert run.read("left") == b"".join(events(3).splitlines(True)[1:])


def test_the_unfinished_keep_their_order_and_can_be_fed_back_in(run):
    lines = events(500, groups=9)
    running = run.start("--workers", 4, "--grace", "0", "--unfinished", "left", "--limit", 1000,
                        "--", "sh", "-c", "touch started; exec sleep 300")  # fmt: skip
    running.feed(lines)
    until((run.folder / "started").exists, "an event")
    # What is read when the stop comes may be less than what was fed: that is what must be kept.
    running.signal(signal.SIGINT)
    ended = running.ends()
    assert ended.status == 130
    left = run.read("left").splitlines()
    assert left == lines.splitlines()[: len(left)]
    assert f"{len(left)} of {len(left)} events read are not done" in ended.err
    assert f"reading stopped at standard input:{len(left)}\n" in ended.err
    again = run("left", "--mode", "lines", "--", *run.handler(ANSWER_DONE))
    assert (again.status, again.summary()["done"]) == (0, len(left))


ANSWER_DONE = """
import sys, json
for line in sys.stdin:
    print(json.dumps({"seq": json.loads(line)["seq"], "result": "done"}), flush=True)
"""


def test_a_stop_while_reading_waits_for_room_loses_nothing(run):
    options = ["--workers", 1, "--limit", 3, "--grace", "50ms", "--unfinished", "left"]
    running = run.start(*options, "--", "sh", "-c", "touch started; exec sleep 300")
    running.feed(events(40))
    until((run.folder / "started").exists, "the first event")
    running.signal(signal.SIGINT)
    ended = running.ends()
    left = run.read("left").splitlines()
    assert left == events(40).splitlines()[: len(left)]
    assert f"{len(left)} of {len(left)} events read are not done" in ended.err
    assert f"reading stopped at standard input:{len(left)}\n" in ended.err


def test_a_stop_ends_a_handler_with_its_children_after_the_grace(run):
    handle = 'trap "" TERM INT; sleep 300 & echo $! >child.new; mv child.new child; wait; sleep 300'
    running = run.start("--grace", "50ms", "--", "sh", "-c", handle)
    running.feed(events(1))
    until((run.folder / "child").exists, "the handler")
    running.signal(signal.SIGTERM)
    assert running.ends().status == 130
    child = int(run.read("child"))
    until(lambda: not is_alive(child), "the end of the child")


def test_a_second_stop_ends_at_once(run):
    handle = 'trap "" TERM INT; touch started; sleep 300'
    options = ["--grace", "1h", "--unfinished", "left"]
    running = run.start(*options, "--", "sh", "-c", handle)
    running.feed(events(5))
    until((run.folder / "started").exists, "the handler")
    running.signal(signal.SIGINT)
    running.signal(signal.SIGTERM)
    began = time.monotonic()
    ended = running.ends()
    assert ended.status == 130
    assert time.monotonic() - began < 10
    assert run.read("left") == events(5)


def test_a_stop_while_input_is_waited_for_ends_at_once(run):
    running = run.start("--results", "results", "--", "true")
    running.feed(events(2) + b'{"g":"half a li')
    results = run.folder / "results"
    until(lambda: results.exists() and results.read_bytes().count(b"\n") == 2, "both events")
    running.signal(signal.SIGINT)
    ended = running.ends()
    assert ended.status == 130
    assert "0 of 2 events read are not done; reading stopped at standard input:2" in ended.err


@pytest.mark.parametrize("words, reason", [
    (["/nonexistent/command"], "No such file"),
    (["no-such-command-anywhere"], "command not found"),
    (["./plain"], "Permission denied"),
    (["plain"], "permission denied"),
    (["/"], "Permission denied"),
    ([""], "command not found"),
])  # fmt: skip
def test_a_command_that_cannot_be_run_is_told_once_before_anything_is_read(
    run, monkeypatch, words, reason
):
    run.write("plain", b"#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{run.folder}:{os.environ['PATH']}")
    # Standard input stays open and empty: who reads it first would wait for ever.
    ended = run.start("--workers", 8, "--", *words).ends()
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert reason in ended.err


def test_a_script_without_a_first_line_is_run_by_the_shell(run):
    run.write("script", b'echo "$1 $FAIRLANE_SEQ"\n').chmod(0o755)
    ended = run("--", "./script", "says", input=events(1))
    assert (ended.status, ended.out) == (0, b"says 1\n")


@pytest.mark.parametrize("arguments", [
    ["in"], ["in", "--"], [], ["--workers", "0", "--", "true"], ["--workers", "-1", "--", "true"],
    ["--mode", "both", "--", "true"], ["--backoff", "2s..1s", "--", "true"],
    ["--timeout", "never", "--", "true"], ["--timeout", "0", "--", "true"],
    ["--grace", "-1s", "--", "true"], ["--limit", "0", "--", "true"],
    ["--rotation", "sideways", "--", "true"], ["--when-exhausted", "cry", "--", "true"],
    ["--high-ratio", "1.5", "--", "true"], ["--transport", "nowhere:", "--", "true"],
    ["--no-such-option", "--", "true"], ["--results", "/nonexistent/r", "--", "true"],
    ["--dead", "/nonexistent/d", "--", "true"], ["--unfinished", "/nonexistent/u", "--", "true"],
    ["--skip-bad", "/nonexistent/s", "--", "true"],
])  # fmt: skip
def test_wrong_usage_is_exit_2_before_anything_is_read(run, arguments):
    ended = run.start(*arguments).ends()
    assert ended.status == 2
    assert ended.err != ""


def test_a_missing_group_by_is_wrong_usage(run):
    run.words = lambda arguments, _: [run.program, "run", *arguments]
    ended = run("--", "true")
    assert ended.status == 2
    assert "--group-by" in ended.err


def test_suspended_groups_that_fill_the_limit_end_the_run_while_input_waits(run):
    options = ["--limit", 5, "--max-attempts", 1, "--when-exhausted", "suspend_group"]
    running = run.start(*options, "--unfinished", "left", "--", "false")
    running.feed(events(50))
    ended = running.ends()
    assert ended.status == 1
    assert "5 messages stand in suspended groups" in ended.err
    assert "while input waits for room" in ended.err
    left = run.read("left").splitlines()
    assert left == events(50).splitlines()[: len(left)]
    assert len(left) >= 5


def test_an_input_that_ends_after_the_last_suspension_ends_the_run(run):
    options = ["--max-attempts", 1, "--when-exhausted", "suspend_group", "--results", "results"]
    run.write("results", b"")
    running = run.start(*options, "--", "false")
    running.feed(events(1))
    until(lambda: b"failed" in run.read("results"), "that the attempt has failed")
    running.process.stdin.close()
    ended = running.ends()
    assert ended.status == 1
    assert "1 messages stand in suspended groups, and nothing else is left" in ended.err


def test_groups_that_are_not_suspended_are_finished_first(run):
    run.write("in", b'{"g":"bad"}\n' * 3 + events(30, groups=3))
    options = ["--limit", 4, "--max-attempts", 1, "--when-exhausted", "suspend_group"]
    ended = run(*options, "in", "--", "sh", "-c", '[ "$FAIRLANE_GROUP" != bad ]')
    assert ended.status == 1
    assert ended.summary()["done"] == 30


def test_a_full_standard_output_is_told_once(run):
    with open("/dev/full", "wb") as full:
        ended = run("--workers", 4, "--", "echo", "x", input=events(50, groups=50), out=full)
    assert ended.status == 2
    assert ended.err.count("cannot write to standard output: No space left on device") == 1


def test_a_closed_standard_output_is_told_once(run):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        ended = run("--", "echo", "x", input=events(50, groups=50), out=closed)
    assert ended.status == 2
    assert ended.err.count("cannot write to standard output: Broken pipe") == 1


@pytest.mark.parametrize("option, status", [("--results", 0), ("--dead", 65), ("--skip-bad", 0)])
def test_a_full_disk_is_told_once_and_ends_the_run(run, option, status):
    lines = events(50, groups=50) + b"bad\n" + events(50, groups=50)
    run.write("in", lines if option == "--skip-bad" else events(50, groups=50))
    ended = run("--workers", 4, option, "/dev/full", "in", "--", "sh", "-c", f"exit {status}")
    assert ended.status == 2
    assert ended.err.count("cannot write /dev/full") == 1


def test_a_full_disk_for_the_unfinished_is_told(run):
    options = ["--max-attempts", 1, "--when-exhausted", "suspend_group"]
    ended = run(*options, "--unfinished", "/dev/full", "--", "false", input=events(3))
    assert ended.status == 2
    assert ended.err.count("cannot write /dev/full") == 1


def test_dead_letters_that_could_not_be_written_are_not_lost(run):
    options = ["--workers", 1, "--dead", "/dev/full", "--unfinished", "left"]
    ended = run(*options, "--", "sh", "-c", "exit 65", input=events(4, groups=4))
    assert ended.status == 2
    assert sorted(json.loads(line)["n"] for line in run.read("left").splitlines()) == [1, 2, 3, 4]


def test_quiet_says_nothing_when_all_is_well(run):
    ended = run("--quiet", "--", "true", input=events(5))
    assert (ended.status, ended.out, ended.err) == (0, b"", "")
