#!/usr/bin/env python3
"""Runs the commands behind README's "How we know" and writes the last line each of them prints into its table.

    evidence.py README.md              all of them, an hour or more
    evidence.py README.md prove …      only these; the other rows stay
"""

import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- evidence: begin (written by `make evidence`) -->\n", "<!-- evidence: end -->"

# What each command shows. The order is that of the table.
SHOWN = {
    "seeded": "Planted bugs, at least one for every property of the contracts, are caught, each by the property its patch names",
    "prove": "What must hold for all inputs does, on the shipped bytes: for every value, at sampled lengths of text and data",
    "mutants-sol": "Small changes to the contracts, one at a time, and how many of them a test notices",
    "mutants-rust": "The same for the crates that only compute",
    "bench-evm": "Evidence is cheap enough to rerun: the same handlers on revm and in forge",
    "bench-verify": "Knowing whether tools are what they claim costs little more than fetching what they serve",
}


def last_line(target):
    """Runs a target, shows what it prints, and returns the last line of it."""
    print(f"make {target}", flush=True)
    last = ""
    with subprocess.Popen(["make", "--no-print-directory", target], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print("  " + line, end="", flush=True)
            last = line.strip() or last
    if process.returncode:
        sys.exit(f"make {target} failed; README is as it was")
    return last


def rows(block):
    """Command and figure of every row there is."""
    return dict(re.findall(r"^\| `make ([a-z-]+)` \| .*? \| (.*) \|$", block, re.M))


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
    lines += [f"| `make {target}` | {what} | {figures.get(target, 'not run yet')} |" for target, what in SHOWN.items()]
    before, rest = text.split(BEGIN)
    readme.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


main()
