"""Starts the command under test, which the environment variable FAIRLANE names, in an own folder."""

import json
import os
import pathlib
import signal
import subprocess
import time
from dataclasses import dataclass

import pytest

# No case needs a tenth of this; it turns what hangs into a failure.
DEADLINE_SECONDS = 60


@dataclass
class Ended:
    status: int
    out: bytes
    err: str

    def summary(self):
        """The numbers of the last line: events, groups, done, dead, retries, stale, bad lines."""
        line = self.err[self.err.rindex("fairlane: ") :].removeprefix("fairlane: ").split(";")[0]
        words = line.replace(",", "").replace(":", "").replace(" in ", " ").split()
        return {name: int(number) for number, name in zip(words[::2], words[1::2])}


class Running:
    """A run that goes on while the test does."""

    def __init__(self, process, folder):
        self.process = process
        self.folder = folder

    def signal(self, number):
        """Sends a signal and returns once it has been taken."""
        os.kill(self.process.pid, number)
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        until(lambda: "ShdPnd:\t0000000000000000" in status.read_text(), "that it takes a signal")

    def feed(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ends(self):
        """What became of it; its standard input stays open until then."""
        status = self.process.wait(timeout=DEADLINE_SECONDS)
        return Ended(status, (self.folder / "out").read_bytes(), self.err())

    def err(self):
        return (self.folder / "err").read_text(errors="replace")


class Fairlane:
    """Runs `fairlane run --group-by g ARGUMENT...` with pauses that do not hold a test up."""

    def __init__(self, folder):
        self.folder = folder
        self.program = os.path.realpath(os.environ["FAIRLANE"])
        self.running = []

    def words(self, arguments, group_by):
        words = [self.program, "run", "--group-by", group_by, *map(str, arguments)]
        for option, value in (("--backoff", "1ms..2ms"), ("--retry-delay", "1ms")):
            if option not in words:
                words[2:2] = [option, value]
        return words

    def __call__(self, *arguments, input=b"", group_by="g", out=None):
        ended = subprocess.run(
            self.words(arguments, group_by),
            cwd=self.folder,
            input=input,
            stdout=subprocess.PIPE if out is None else out,
            stderr=subprocess.PIPE,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr.decode(errors="replace"))

    def start(self, *arguments, group_by="g"):
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            process = subprocess.Popen(
                self.words(arguments, group_by),
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
            )
        self.running.append(process)
        return Running(process, self.folder)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def read(self, name):
        return (self.folder / name).read_bytes()

    def handler(self, text):
        """A program in Python for COMMAND; its words."""
        self.write("handler.py", text.encode())
        return ["python3", "-S", "-E", str(self.folder / "handler.py")]

    def results(self, name="results"):
        return [json.loads(line) for line in self.read(name).splitlines()]


@pytest.fixture
def run(tmp_path):
    fairlane = Fairlane(tmp_path)
    yield fairlane
    for process in fairlane.running:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.stdin.close()
        process.wait()


def events(count, groups=1):
    """Lines of `count` events, numbered by n, that take turns in `groups` groups."""
    lines = (f'{{"g":"k{i % groups}","n":{i}}}\n' for i in range(1, count + 1))
    return "".join(lines).encode()


def until(condition, what):
    """Waits for a condition of the outside world."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.005)
    return value


def is_alive(pid):
    """Whether the process runs; one that nobody has reaped yet does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
