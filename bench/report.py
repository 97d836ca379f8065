#!/usr/bin/env python3
"""Writes the figures of one run of fairlane_bench into a Markdown page, between two markers.

    bench/report.py RUN.json PAGE.md

RUN.json is what `fairlane_bench --json` wrote. What stood between the markers is replaced.
"""

import json
import sys

BEGIN = "<!-- figures: written by bench/report.py -->"
END = "<!-- end of figures -->"


def amount(value):
    """Four digits; millions where there are many."""
    if value >= 1e5:
        return f"{value / 1e6:.3g} M"
    return f"{value:.4g}"


def bar(row):
    for key, sign in (("at_most", "≤"), ("at_least", "≥")):
        if key in row:
            return f"{sign} {amount(row[key])}"
    return ""


def line(row):
    theirs = f"{row['against']}: {amount(row['theirs'])}" if "theirs" in row else ""
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
    reached = {True: "yes", False: "**no**", None: ""}[row.get("reached")]
    ours = f"{amount(row['ours'])} {row['unit']}"
    cells = [row["workload"], row["what"], ours, theirs, ratio, bar(row), reached]
    return "| " + " | ".join(cells) + " |"


def figures(run):
    context = run["context"]
    load = ", ".join(f"{each:.1f}" for each in context.get("load_avg", []))
    yield (
        f"Measured {context['date'][:10]} on {context['num_cpus']} processors"
        f" ({context['cpu']}), {context['kernel']}, {context['compiler']},"
        f" {context['build']} build; medians of {run['repetitions']} turns."
        + (f" Load of the machine at the start: {load}." if load else "")
    )
    yield ""
    yield "| workload | what | ours | beside | ratio | to reach | reached |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- |"
    for row in run["comparisons"]:
        yield line(row)


def main(run_file, page_file):
    with open(run_file, encoding="utf-8") as file:
        run = json.load(file)
    with open(page_file, encoding="utf-8") as file:
        page = file.read()
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page_file}: there is no line {BEGIN!r} followed by {END!r}")
    text = "\n".join(figures(run))
    with open(page_file, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
