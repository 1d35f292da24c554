#!/usr/bin/env python3
"""Mutation testing of the crates without I/O, with cargo-mutants.

    mutants_rust.py atr-ids atr-schema …      these crates
    mutants_rust.py atr-ids --jobs=2          flags are passed to cargo-mutants

.cargo/mutants.toml selects the test suites and excludes equivalent mutants. Results are cached in target/mutants-rust by file,
line, column and change; remove the folder after weakening a test. Exit codes: 0 all mutants caught, 1 some missed,
2 wrong usage, 3 cargo-mutants failed.
"""

import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "mutants-rust"

# Exit codes of a complete run: all caught, some missed, some timed out.
TRIED = {0, 2, 3}


def listed(crate, *flags):
    """Names of all mutants."""
    command = ["cargo", "mutants", "--list", "--json", "--package", crate, *flags]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        print(f"{crate}: cargo-mutants --list failed (exit {run.returncode})", file=sys.stderr)
        sys.exit(3)
    names = {mutant["name"] for mutant in json.loads(run.stdout)}
    if not names:
        print(f"{crate}: no mutants; is it a crate of this workspace?", file=sys.stderr)
        sys.exit(2)
    return names


def known(crate):
    """Outcome by mutant name, over all runs. cargo-mutants itself keeps only its last run."""
    file = WORK / crate / "known.json"
    outcomes = json.loads(file.read_text()) if file.exists() else {}
    for outcome in ["caught", "timeout", "unviable", "missed"]:
        last = WORK / crate / "mutants.out" / f"{outcome}.txt"
        outcomes |= dict.fromkeys(last.read_text().splitlines() if last.exists() else [], outcome)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(outcomes, indent=0))
    return outcomes


def tried(crate, arguments):
    """Runs the mutants without a cached outcome; returns the number of mutants by outcome."""
    everything = listed(crate, "--no-config")
    known(crate)
    command = ["cargo", "mutants", "--iterate", "--output", str(WORK / crate), "--package", crate, *arguments]
    code = subprocess.run(command, cwd=ROOT).returncode
    outcomes = known(crate)
    changes = listed(crate)
    if code not in TRIED:
        print(f"{crate}: cargo-mutants failed (exit {code})", file=sys.stderr)
        sys.exit(3)
    if changes - outcomes.keys():
        print(f"{crate}: the sources changed during the run; run it again", file=sys.stderr)
        sys.exit(3)
    counts = collections.Counter(outcomes[change] for change in changes)
    counts["explained"] = len(everything - changes)
    return counts


def main():
    crates = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if not crates:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    arguments = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    counts = collections.Counter()
    for crate in crates:
        counts += tried(crate, arguments)
    noticed = counts["caught"] + counts["timeout"]
    print(
        f"{', '.join(crates)}: {noticed:,} of {noticed + counts['missed'] + counts['explained']:,} mutants caught, "
        f"{counts['missed']} missed, {counts['explained']} excluded"
    )
    sys.exit(1 if counts["missed"] else 0)


main()
