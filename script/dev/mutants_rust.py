#!/usr/bin/env python3
"""Changes the pure crates in every small way cargo-mutants thinks of and sees whether their suites notice.

    mutants_rust.py atr-ids atr-schema …      these crates, one after the other
    mutants_rust.py atr-ids --jobs=2          flags are cargo-mutants' own

Which suites run, and which changes no test could tell, stands in .cargo/mutants.toml. Results are kept in
target/mutants-rust by file, line, column and change: what was noticed there once is not tried again. Remove the folder to
start over, as one must after a test was weakened. Exits 0 if every change was noticed, 1 if one was not, 2 on misuse, 3 if
it could not find out.
"""

import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "mutants-rust"

# How cargo-mutants ends: all caught; some missed; some caught only because they never end.
TRIED = {0, 2, 3}


def listed(crate, *flags):
    """The changes there are, by name."""
    command = ["cargo", "mutants", "--list", "--json", "--package", crate, *flags]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        print(f"{crate}: cargo-mutants lists nothing (exit {run.returncode})", file=sys.stderr)
        sys.exit(3)
    names = {mutant["name"] for mutant in json.loads(run.stdout)}
    if not names:
        print(f"{crate}: nothing to change; is it a crate of ours?", file=sys.stderr)
        sys.exit(2)
    return names


def known(crate):
    """What became of each change ever tried, by name. cargo-mutants' own lists are of its last run only."""
    file = WORK / crate / "known.json"
    outcomes = json.loads(file.read_text()) if file.exists() else {}
    for outcome in ["caught", "timeout", "unviable", "missed"]:
        last = WORK / crate / "mutants.out" / f"{outcome}.txt"
        outcomes |= dict.fromkeys(last.read_text().splitlines() if last.exists() else [], outcome)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(outcomes, indent=0))
    return outcomes


def tried(crate, arguments):
    """Tries what is left of the crate's changes; counts all of them by what became of them."""
    everything = listed(crate, "--no-config")
    known(crate)
    command = ["cargo", "mutants", "--iterate", "--output", str(WORK / crate), "--package", crate, *arguments]
    code = subprocess.run(command, cwd=ROOT).returncode
    outcomes = known(crate)
    changes = listed(crate)
    if code not in TRIED:
        print(f"{crate}: cargo-mutants could not find out (exit {code})", file=sys.stderr)
        sys.exit(3)
    if changes - outcomes.keys():
        print(f"{crate}: the sources changed meanwhile; run it again for the rest", file=sys.stderr)
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
        f"{', '.join(crates)}: {noticed:,} of {noticed + counts['missed'] + counts['explained']:,} changes noticed, "
        f"{counts['missed']} missed, {counts['explained']} explained"
    )
    sys.exit(1 if counts["missed"] else 0)


main()
