#!/usr/bin/env python3
"""What a cycle costs in Python, beside the list-based transport and the standard queues.

    bench.py [--smoke] [--write FILE]

Ours and what it is held against run by turns in one process; figures are medians of the turns.
--write puts the table into FILE, between its markers; --smoke takes tiny sizes and one turn.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import pathlib
import platform
import queue
import re
import statistics
import sys
import time
from collections.abc import Callable

import fairlane

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compat"))
import list_based  # noqa: E402

MARKERS = "<!-- python figures -->", "<!-- end of python figures -->"


def fill(transport, backlog: int, groups: int):
    for number in range(backlog):
        transport.publish(f"g{number % groups}", number)
    return transport


def cycles_of(transport, groups: int, count: int) -> Callable[[], float]:
    """Seconds of one publish, claim and ack."""
    names = [f"g{number * 7919 % groups}" for number in range(count)]
    publish, claim, ack = transport.publish, transport.claim, transport.ack

    def turn() -> float:
        began = time.perf_counter()
        for name in names:
            publish(name, None)
            ack(claim("w", 30.0))
        return (time.perf_counter() - began) / count

    return turn


def puts_of(backlog: int, count: int) -> Callable[[], float]:
    standard: queue.Queue = queue.Queue()
    for number in range(backlog):
        standard.put(number)
    put, get = standard.put, standard.get

    def turn() -> float:
        began = time.perf_counter()
        for number in range(count):
            put(number)
            get()
        return (time.perf_counter() - began) / count

    return turn


def handovers(count: int, make, wait, put) -> Callable[[], float]:
    """Seconds from a put on the loop to the task that waited for it."""

    def turn() -> float:
        async def main() -> float:
            channel = make()

            async def consume() -> None:
                for _ in range(count):
                    await wait(channel)

            consumer = asyncio.create_task(consume())
            await asyncio.sleep(0)
            began = time.perf_counter()
            for number in range(count):
                await put(channel, number)
                await asyncio.sleep(0)
            await consumer
            return (time.perf_counter() - began) / count

        return asyncio.run(main())

    return turn


async def claim_and_ack(transport) -> None:
    transport.transport.ack(await transport.claim_wait("w", 30.0))


def medians(turns: int, *sides: Callable[[], float]) -> list[float]:
    taken: list[list[float]] = [[] for _ in sides]
    gc.collect()
    for _ in range(turns):
        for side, times in zip(sides, taken):
            times.append(side())
    return [statistics.median(times) for times in taken]


def text(seconds: float) -> str:
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} us"


class Table:
    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []

    def add(self, what: str, ours: float, beside: str, theirs: float, bar: str, reached: bool | None):
        answer = "" if reached is None else "yes" if reached else "**no**"
        ratio = ours / theirs
        shown = f"{ratio:.2f}" if ratio >= 0.1 else f"1/{theirs / ours:.0f}"
        self.rows.append((what, text(ours), f"{beside}: {text(theirs)}", shown, bar, answer))
        print(*self.rows[-1], sep="  ", flush=True)

    def markdown(self) -> str:
        head = ("what", "ours", "beside", "ratio", "to reach", "reached")
        lines = [head, ("---", "---:", "---:", "---:", "---:", "---"), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def measure(smoke: bool) -> Table:
    turns = 1 if smoke else 7
    count = 200 if smoke else 50_000
    backlogs = (10, 100) if smoke else (10, 1_000, 100_000, 1_000_000)
    table = Table()
    at_10 = {}
    for backlog in backlogs:
        for one in (True, False):
            groups = 1 if one else backlog // 10
            if not one and groups == 1:
                continue
            ours = cycles_of(fill(fairlane.InMemoryTransport(), backlog, groups), groups, count)
            cycle, floor = medians(turns, ours, puts_of(backlog, count))
            what = f"cycle, backlog {backlog:,}, {groups:,} group{'s' * (groups > 1)}"
            at_10.setdefault("cycle", cycle)
            bar, reached = "", None
            if backlog == 10:
                bar, reached = "≤ 3", cycle <= 3 * floor
            table.add(what, cycle, "queue.Queue", floor, bar, reached)
            if backlog == backlogs[-1] and not smoke:
                table.add(what, cycle, "at 10", at_10["cycle"], "≤ 1.5", cycle <= 1.5 * at_10["cycle"])
            if backlog <= 100_000:
                few = max(3, min(count, 200_000 // backlog))
                lists = cycles_of(fill(list_based.InMemoryTransport(), backlog, groups), groups, few)
                cycle, slow = medians(min(turns, 3), ours, lists)
                bar, reached = "", None
                if backlog == 1_000:
                    bar, reached = "≤ 1/300", slow >= 300 * cycle
                table.add(what, cycle, "list-based", slow, bar, reached)
    ours, floor = medians(
        turns,
        handovers(
            count // 5,
            fairlane.AsyncInMemoryTransport,
            claim_and_ack,
            lambda transport, number: transport.publish("a", number),
        ),
        handovers(count // 5, asyncio.Queue, asyncio.Queue.get, asyncio.Queue.put),
    )
    table.add("asyncio hand-over, ack included", ours, "asyncio.Queue", floor, "≤ 2", ours <= 2 * floor)
    return table


def write(path: pathlib.Path, table: Table) -> None:
    begin, end = MARKERS
    load = pathlib.Path("/proc/loadavg").read_text().split()[0]
    heading = (
        f"Measured {time.strftime('%Y-%m-%d')}, Python {platform.python_version()}; medians of 7 "
        f"turns. Load of the machine at the end: {load}."
    )
    document = path.read_text()
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(document):
        sys.exit(f"bench: {path} has no {begin}")
    body = f"{begin}\n\n{heading}\n\n{table.markdown()}\n\n{end}"
    path.write_text(pattern.sub(lambda _: body, document))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="tiny sizes: whether it runs")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="the document to fill")
    options = parser.parse_args()
    table = measure(options.smoke)
    if options.write:
        write(options.write, table)


if __name__ == "__main__":
    main()
