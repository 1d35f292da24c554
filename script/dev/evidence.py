#!/usr/bin/env python3
"""Runs the commands of the evidence table and writes the last line each prints, with commit and date, into the table.

    evidence.py FILE              every command (hours)
    evidence.py FILE prove …      only these; other rows stay
"""

import datetime
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- evidence: begin (written by `make evidence`) -->\n", "<!-- evidence: end -->"

# Target: arguments, what it shows. The weekly seed of `make deep` would change the row every week.
ROWS = {
    "deep": ("ARGS=fixed", "Properties, fuzz tests and invariants hold on far more inputs than `make test` tries"),
    "seeded": ("", "Every planted bug is caught by the property that its patch names"),
    "prove": ("", "Symbolic proofs of the registry (not the predicates) on the shipped bytecode, for all values at sampled lengths"),
    "mutants-sol": ("", "Tests detect mutants of the contracts: all of the registry and libraries, a fixed sample of the predicates"),
    "mutants-rust": ("CRATES=$(PURE_CRATES)", "Tests detect mutants of the crates without I/O"),
    "bench-gate": ("", "`atr gate` adds little CPU time and latency, far less than a gate in Node.js, and its memory does not grow"),
    "bench-verify": ("", "`atr verify --all` costs little more than downloading the manifests"),
}


def command(target):
    return f"make {target} {ROWS[target][0]}".strip()


def run(target):
    """Runs a target and returns the last line that it prints."""
    print(command(target), flush=True)
    last = ""
    with subprocess.Popen([*command(target).split(), "--no-print-directory"], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print("  " + line, end="", flush=True)
            last = line.strip() or last
    if process.returncode:
        sys.exit(f"{command(target)} failed; the table is unchanged")
    return last


def commit():
    """Short hash of HEAD; `+` if the working tree has changes."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain") else "")


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(ROWS):
        sys.exit(__doc__)
    file = pathlib.Path(sys.argv[1])
    text = file.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{file}: the markers of the evidence table are missing")
    results = dict(re.findall(r"^\| `make ([a-z-]+)[^`]*` \| .*? \| (.* \| .* \| .*) \|$", text, re.M))
    at, today = commit(), datetime.date.today().isoformat()
    for target in sys.argv[2:] or ROWS:
        results[target] = f"{run(target)} | {at} | {today}"
    lines = ["| command | shows | result | commit | date |", "|---|---|---|---|---|"]
    for target, (_, shows) in ROWS.items():
        lines.append(f"| `{command(target)}` | {shows} | {results.get(target, 'not run | – | –')} |")
    before, rest = text.split(BEGIN)
    file.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


main()
