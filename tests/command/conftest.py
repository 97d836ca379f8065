"""Starts the command under test, which the environment variable FAIRLANE names, in an own folder."""

import base64
import json
import os
import pathlib
import pty
import signal
import subprocess
import time
from dataclasses import dataclass

import pytest

# No case needs a tenth of this; it turns what hangs into a failure.
DEADLINE_SECONDS = 60
QUEUE = "sqlite:queue.db?synchronous=normal"


@dataclass
class Ended:
    status: int
    out: bytes
    err: str

    @property
    def rows(self):
        """The JSON lines of standard output."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def row(self):
        (row,) = self.rows
        return row


class Fairlane:
    """Runs `fairlane SUBCOMMAND ARGUMENT...` on the queue QUEUE."""

    def __init__(self, folder):
        self.folder = folder
        self.program = os.path.realpath(os.environ["FAIRLANE"])
        self.environment = {**os.environ, "FAIRLANE_TRANSPORT": QUEUE}
        self.running = []

    def __call__(self, *arguments, input=b"", out=subprocess.PIPE, env=None):
        ended = subprocess.run(
            [self.program, *map(os.fsencode, map(str, arguments))],
            cwd=self.folder,
            env=self.environment if env is None else env,
            input=input,
            stdout=out,
            stderr=subprocess.PIPE,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr.decode(errors="replace"))

    def ok(self, *arguments, **options):
        """The same, but it has to succeed."""
        ended = self(*arguments, **options)
        assert ended.status == 0, ended.err
        return ended

    def start(self, *arguments):
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            process = subprocess.Popen(
                [self.program, *map(str, arguments)],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
            )
        self.running.append(process)
        return process

    def on_terminal(self, *arguments):
        """What it writes to a terminal."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [self.program, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=subprocess.DEVNULL,
        )
        os.close(follower)
        shown = b""
        try:
            while part := os.read(leader, 65536):
                shown += part
        except OSError:
            pass  # That is how the end of the other side shows itself.
        os.close(leader)
        assert process.wait(timeout=DEADLINE_SECONDS) == 0
        return shown.replace(b"\r\n", b"\n")

    def publish(self, group, *events, priority=0):
        """Publishes events that are text or bytes; their seqs."""
        lines = b"".join(line(group, event, priority) for event in events)
        return [row["seq"] for row in self.ok("publish", "--json", input=lines).rows]

    def events(self, group, *options):
        """What a group holds, in order."""
        rows = self.ok("peek", "--limit", 1_000_000, *options, "--", group).rows
        return [bytes_of(row, "event") for row in rows]

    def stats(self, *options):
        return self.ok("stats", *options).row

    def read(self, name):
        return (self.folder / name).read_bytes()


def line(group, event, priority=0):
    fields = {}
    for name, value in (("group", group), ("event", event)):
        if isinstance(value, bytes):
            fields[name + "_base64"] = base64.b64encode(value).decode()
        else:
            fields[name] = value
    return json.dumps({**fields, "priority": priority}).encode() + b"\n"


def bytes_of(row, name):
    if name in row:
        return row[name].encode()
    return base64.b64decode(row[name + "_base64"])


@pytest.fixture
def fairlane(tmp_path):
    fairlane = Fairlane(tmp_path)
    yield fairlane
    for process in fairlane.running:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.stdin.close()
        process.wait()


def until(condition, what):
    """Waits for a condition of the outside world."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.005)
    return value


def full():
    """A standard output on a full disk."""
    return pathlib.Path("/dev/full").open("wb")


def closed_pipe():
    """A standard output that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "wb")
