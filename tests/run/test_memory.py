"""How much memory a run takes, whatever the size of its input."""

import pathlib

import pytest
from conftest import events, until

# Answers each line as cheaply as Python can, and leaves a file once it has answered COUNT.
FAST = """
import os
rest, answered = b"", 0
while data := os.read(0, 1 << 16):
    *lines, rest = (rest + data).split(b"\\n")
    seqs = [line.split(b'"seq":', 1)[1].split(b",", 1)[0] for line in lines]
    answers = b"".join([b'{"seq":%s,"result":"done"}\\n' % seq for seq in seqs])
    while answers:
        answers = answers[os.write(1, answers):]
    answered += len(lines)
    if answered == COUNT: open("answered", "w")
"""


def peak_kib(running):
    with open(f"/proc/{running.process.pid}/status", encoding="ascii") as status:
        return int(status.read().split("VmHWM:")[1].split()[0])


def test_a_million_lines_on_standard_input_take_bounded_memory(run):
    count = 1_000_000
    command = run.handler(FAST.replace("COUNT", str(count)))
    running = run.start("--mode", "lines", "--workers", 1, "--", *command)
    for _ in range(count // 10_000):
        running.feed(events(10_000, groups=1000))
    until((run.folder / "answered").exists, "the last answer")
    peak = peak_kib(running)
    running.process.stdin.close()
    ended = running.ends()
    assert (ended.status, ended.summary()["done"]) == (0, count)
    print(f"peak resident memory: {peak} KiB")
    assert peak < 150_000


@pytest.mark.parametrize("mode", ["exec", "lines"])
def test_reading_waits_where_as_many_messages_are_in_memory_as_may_be(run, mode):
    # Nothing is handled before all else stands still, so what is read then is what may be held.
    run.write("in", b'{"g":%d,"x":"%s"}\n' % (1, b"x" * 10_000) * 20_000)
    options = ["--mode", mode, "--limit", 100, "--workers", 1, "--grace", "0"]
    wait = "touch started; exec sleep 300"
    running = run.start(*options, "--unfinished", "left", "in", "--", "sh", "-c", wait)
    until((run.folder / "started").exists, "the first event")
    until(lambda: sleeps(running), "that reading waits")
    peak = peak_kib(running)
    running.process.terminate()
    ended = running.ends()
    assert ended.status == 130
    # What one look at the input brings is read besides, and kept.
    assert 100 <= len(run.read("left").splitlines()) < 1000
    print(f"peak resident memory: {peak} KiB")
    assert peak < 50_000


def sleeps(running):
    """Whether no thread of it has run between two looks."""
    before = ticks(running)
    return all(state == "S" for state, _ in before) and before == ticks(running)


def ticks(running):
    """Of each thread its state and how often it was given a processor."""
    tasks = pathlib.Path(f"/proc/{running.process.pid}/task")
    looks = []
    for task in sorted(tasks.iterdir()):
        state = (task / "stat").read_text().rpartition(")")[2].split()[0]
        looks.append((state, (task / "schedstat").read_text().split()[2]))
    return looks
