"""A queue that outlives the run: `--transport sqlite:`."""

import json

from conftest import events, until

QUEUE = ["--transport", "sqlite:queue.db?synchronous=normal"]
NOTE = ["sh", "-c", 'cat >> "handled.$FAIRLANE_GROUP"']


def handled(run, groups):
    """What each group's handler was given, in order; a repeated delivery counts once."""
    seen = []
    for group in range(groups):
        numbers = [json.loads(line)["n"] for line in run.read(f"handled.k{group}").splitlines()]
        assert numbers == sorted(numbers)
        seen += set(numbers)
    return sorted(seen)


def test_a_run_goes_on_where_a_killed_one_was(run):
    run.write("in", events(300, groups=5))
    slow = ["sh", "-c", 'cat >> "handled.$FAIRLANE_GROUP"; sleep 0.01']
    first = run.start(*QUEUE, "--visibility", "300ms", "in", "--", *slow)
    until(lambda: (run.folder / "handled.k0").exists(), "that it works")
    until(lambda: len(run.read("handled.k0").splitlines()) > 3, "that some are done")
    first.process.kill()
    first.process.wait()
    ended = run(*QUEUE, "--visibility", "300ms", "/dev/null", "--", *NOTE)
    assert ended.status == 0
    assert 0 < ended.summary()["events"] < 300
    assert handled(run, 5) == list(range(1, 301))


def test_a_run_spreads_its_groups_over_shards(run):
    shards = "sharded:?0=sqlite:a.db?synchronous=normal&1=sqlite:b.db?synchronous=normal"
    run.write("in", events(200, groups=8))
    ended = run("--transport", shards + "&batches=split", "in", "--", *NOTE)
    assert ended.status == 0
    assert handled(run, 8) == list(range(1, 201))
    whole = run("--transport", shards, "in", "--", *NOTE)
    assert whole.status != 0
    assert "spans several shards" in whole.err


def test_two_runs_share_a_queue(run):
    run.write("in", events(200, groups=8))
    slow = ["sh", "-c", 'cat >> "handled.$FAIRLANE_GROUP"; sleep 0.005']
    first = run.start(*QUEUE, "in", "--", *slow)
    until(lambda: (run.folder / "handled.k0").exists(), "that it works")
    second = run(*QUEUE, "/dev/null", "--", *slow)
    assert second.status == 0
    assert first.ends().status == 0
    assert handled(run, 8) == list(range(1, 201))


def test_reading_waits_where_the_queue_is_long(run):
    ended = run(*QUEUE, "--limit", 10, "--", *NOTE, input=events(100, groups=3))
    assert ended.status == 0
    assert handled(run, 3) == list(range(1, 101))


def test_dead_letters_stay_in_the_queue_until_a_file_takes_them(run):
    ended = run(*QUEUE, "--", "sh", "-c", "exit 65", input=events(3, groups=3))
    assert ended.status == 1
    assert ended.summary()["dead"] == 3
    ended = run(*QUEUE, "--dead", "dead", "/dev/null", "--", "true")
    assert ended.status == 1
    assert sorted(run.read("dead").splitlines()) == sorted(events(3, groups=3).splitlines())
    assert run(*QUEUE, "--dead", "dead", "/dev/null", "--", "true").status == 0


def test_suspended_groups_stay_and_end_the_run(run):
    options = ["--max-attempts", 1, "--when-exhausted", "suspend_group"]
    ended = run(*QUEUE, *options, "--", "false", input=events(4, groups=2))
    assert ended.status == 1
    assert "4 stand in sqlite:queue.db" in ended.err
    again = run(*QUEUE, *options, "/dev/null", "--", "true")
    assert again.status == 1
    assert "4 messages stand in suspended groups" in again.err


def test_other_options_than_the_queues_are_refused(run):
    assert run(*QUEUE, "--", "true", input=events(1)).status == 0
    ended = run(*QUEUE, "--max-attempts", 9, "/dev/null", "--", "true")
    assert ended.status == 2
    assert "has other options" in ended.err


def test_a_queue_that_cannot_be_opened_is_told(run):
    ended = run("--transport", "sqlite:nowhere/queue.db", "--", "true", input=events(1))
    assert ended.status == 2
    assert "cannot open" in ended.err
    ended = run("--transport", "nosuch://nowhere", "--", "true", input=events(1))
    assert ended.status == 2
    assert "known: memory:, " in ended.err
