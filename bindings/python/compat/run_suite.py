#!/usr/bin/env python3
"""Runs an engine's own tests with its in-memory transport replaced by Fairlane's.

    run_suite.py --suite DIR --replace MODULE:CLASS [--replace-async MODULE:CLASS] [-- PYTEST ...]

DIR holds the tests, and is where pytest starts; the engine has to be importable from there, or
installed. MODULE:CLASS is its transport, for instance `engine.transports:InMemoryTransport`; with
--replace-async, one whose verbs are coroutines. Every module of the engine that imported the class
gets the replacement. What stands behind `--` goes to pytest. The last line counts the tests; the
exit status is pytest's.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys

import fairlane
import pytest


def parse(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    rest: list[str] = []
    if "--" in words:
        at = words.index("--")
        words, rest = words[:at], words[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", required=True, metavar="DIR", help="where the tests are")
    for option, kind in (("--replace", "sync"), ("--replace-async", "async")):
        parser.add_argument(
            option,
            action="append",
            default=[],
            metavar="MODULE:CLASS",
            help=f"a transport ({kind}) to replace; may be given again",
        )
    options = parser.parse_args(words)
    if not options.replace and not options.replace_async:
        parser.error("nothing to replace: name a class with --replace or --replace-async")
    return options, rest


def replace(name: str, ours: type) -> int:
    """Puts ours in the place of a class, wherever it was imported to; returns to how many places."""
    module_name, colon, class_name = name.partition(":")
    if not colon:
        sys.exit(f"run_suite: {name!r} is not MODULE:CLASS")
    theirs = getattr(importlib.import_module(module_name), class_name, None)
    if theirs is None:
        sys.exit(f"run_suite: {module_name} has no {class_name}")
    places = 0
    for module in list(sys.modules.values()):
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if value is theirs:
                setattr(module, attribute, ours)
                places += 1
    return places


class Counter:
    """A pytest plugin."""

    def __init__(self) -> None:
        self.outcomes = {"passed": 0, "failed": 0, "skipped": 0}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
            self.outcomes[report.outcome] += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome == "failed":
            self.outcomes["failed"] += 1


def main(words: list[str]) -> int:
    options, rest = parse(words)
    os.chdir(options.suite)
    sys.path.insert(0, os.getcwd())
    for names, ours in (
        (options.replace, fairlane.InMemoryTransport),
        (options.replace_async, fairlane.AsyncInMemoryTransport),
    ):
        for name in names:
            print(f"{name} replaced by fairlane.{ours.__name__} in {replace(name, ours)} places")
    counter = Counter()
    status = pytest.main([*rest, "."], plugins=[counter])
    print(", ".join(f"{count} {outcome}" for outcome, count in counter.outcomes.items()))
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
