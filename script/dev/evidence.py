#!/usr/bin/env python3
"""Runs the commands behind README's "How we know" and writes the last line each of them prints into its table.

    evidence.py README.md              all of them, hours
    evidence.py README.md prove …      only these; the other rows stay
"""

import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- evidence: begin (written by `make evidence`) -->\n", "<!-- evidence: end -->"

# What each command shows. The order is that of the table.
SHOWN = {
    "deep": "Every property, fuzz test and invariant goes on holding, far beyond what `make test` tries",
    "seeded": "Planted bugs, at least one for every property of the contracts, are caught, each by the property its patch names",
    "prove": "What must hold for all inputs does, on the shipped bytes: for every value, at sampled lengths of text and data",
    "mutants-sol": "Small changes to the contracts, one at a time, and how many of them a test notices",
    "mutants-rust": "The same for the crates that only compute",
    "bench-verify": "Knowing whether tools are what they claim costs little more than fetching what they serve",
}

# What stands on the command's line besides the target. The seed of the week would make another row every week.
ARGUMENTS = {"deep": "ARGS=--seed=fixed"}


def command(target):
    return f"make {target} {ARGUMENTS.get(target, '')}".strip()


def last_line(target):
    """Runs a target, shows what it prints, and returns the last line of it."""
    print(command(target), flush=True)
    last = ""
    words = [*command(target).split(), "--no-print-directory"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print("  " + line, end="", flush=True)
            last = line.strip() or last
    if process.returncode:
        sys.exit(f"{command(target)} failed; README is as it was")
    return last


def rows(block):
    """Command and figure of every row there is."""
    return dict(re.findall(r"^\| `make ([a-z-]+)[^`]*` \| .*? \| (.*) \|$", block, re.M))


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(SHOWN):
        sys.exit(__doc__)
    readme = pathlib.Path(sys.argv[1])
    text = readme.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{readme} has no place for the table")
    figures = rows(text)
    for target in sys.argv[2:] or SHOWN:
        figures[target] = last_line(target)
    lines = ["| command | what it shows | what it printed last |", "|---|---|---|"]
    lines += [f"| `{command(target)}` | {what} | {figures.get(target, 'not run yet')} |" for target, what in SHOWN.items()]
    before, rest = text.split(BEGIN)
    readme.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


main()
