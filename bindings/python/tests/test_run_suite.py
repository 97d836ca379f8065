"""The script for who switches, on a small engine made for it."""

import pathlib
import shutil
import subprocess
import sys

import pytest

COMPAT = pathlib.Path(__file__).parent.parent / "compat"

ENGINE = '''
"""Steps through executions, one event of each at a time."""
from .transport import InMemoryTransport


class Engine:
    def __init__(self, clock):
        self.transport = InMemoryTransport(clock=clock)
        self.log = []

    def send(self, execution, event):
        self.transport.publish(execution, event)

    def step(self):
        lease = self.transport.claim("engine", 10.0)
        if lease is None:
            return False
        if lease.event == "later":
            self.transport.nack(lease, delay=5.0)
        else:
            self.log.append((lease.group_id, lease.event))
            self.transport.ack(lease)
        return True
'''

TESTS = '''
import engine
import pytest
from engine.transport import InMemoryTransport


@pytest.fixture
def now():
    return [100.0]


@pytest.fixture
def machine(now):
    return engine.Engine(lambda: now[0])


def test_executions_take_turns(machine):
    for execution in ("a", "a", "b"):
        machine.send(execution, "go")
    while machine.step():
        pass
    assert machine.log == [("a", "go"), ("b", "go"), ("a", "go")]


def test_a_parked_execution(machine, now):
    machine.send("a", "later")
    assert machine.step()
    (message,) = machine.transport._messages
    assert message["locked_by"] == "__parked__" and message["lock_expiry"] == 105.0
    assert not machine.step()
    now[0] = 105.1
    assert machine.step()


def test_a_crash(now):
    transport = InMemoryTransport(clock=lambda: now[0])
    transport.publish("a", "event")
    assert transport.claim("dies", 10.0) is not None
    now[0] += 10.1
    assert transport.claim("next", 10.0).event == "event"
    assert transport._groups["a"]["last_claimed_at"] == now[0]


def test_whose_it_is():
    print("the transport is", InMemoryTransport.__module__)
    assert InMemoryTransport.__module__ == "engine.transport"
'''


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text(ENGINE)
    shutil.copy(COMPAT / "list_based.py", tmp_path / "engine" / "transport.py")
    (tmp_path / "test_engine.py").write_text(TESTS)
    return tmp_path


def run(suite, *words):
    return subprocess.run(
        [sys.executable, "-B", str(COMPAT / "run_suite.py"), "--suite", str(suite), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_suite_passes_with_its_own_transport(suite):
    own = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(suite)],
        capture_output=True, text=True, cwd=suite, timeout=60, check=False,
    )
    assert "4 passed" in own.stdout


def test_the_suite_runs_with_ours_and_is_counted(suite):
    ran = run(suite, "--replace", "engine.transport:InMemoryTransport", "--", "-q")
    assert "replaced by fairlane.InMemoryTransport in 2 places" in ran.stdout
    assert "the transport is fairlane._transport" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "3 passed, 1 failed, 0 skipped"
    assert ran.returncode == 1


def test_all_green(suite):
    ran = run(
        suite, "--replace", "engine.transport:InMemoryTransport", "--", "-k", "not whose_it_is"
    )
    assert ran.stdout.splitlines()[-1] == "3 passed, 0 failed, 0 skipped"
    assert ran.returncode == 0


def test_a_module_that_cannot_be_collected_counts(suite):
    (suite / "test_broken.py").write_text("import nothing_of_that_name")
    ran = run(suite, "--replace", "engine.transport:InMemoryTransport")
    assert "failed" in ran.stdout.splitlines()[-1] and ran.returncode != 0


@pytest.mark.parametrize(
    "words, told",
    [
        ([], "nothing to replace"),
        (["--replace", "engine.transport"], "is not MODULE:CLASS"),
        (["--replace", "engine.transport:Nothing"], "has no Nothing"),
    ],
)
def test_wrong_usage(suite, words, told):
    ran = run(suite, *words)
    assert told in ran.stderr and ran.returncode != 0
