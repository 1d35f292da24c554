#!/usr/bin/env python3
"""Mutation testing of the crates, with cargo-mutants.

    mutants_rust.py atr-ids atr-rpc …                   all mutants of these crates
    mutants_rust.py --changed=BASE --minutes=10 …       mutants of lines changed since commit BASE, as many as the time allows
    mutants_rust.py atr-rpc --file=transaction/run.rs   other flags are passed to cargo-mutants
    mutants_rust.py --target-dir=DIR …                  compiled dependencies [default: target/mutants-rust/build]

.cargo/mutants.toml excludes equivalent mutants. Without --changed, results are cached in target/mutants-rust by file, line, column
and change; remove the folder after weakening a test. With --changed, mutants are tried in random order, the outcomes of the rest
are unknown, and missed ones are an error only if all were tried. Exit codes: 0 all mutants caught, 1 some missed, 2 wrong usage,
3 cargo-mutants failed.
"""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "mutants-rust"

# Exit codes of a complete run: all caught, some missed, some timed out.
TRIED = {0, 2, 3}

# Packages whose tests exercise a crate, besides its own.
TESTED_BY = {"atr-deploy": ["atr-cli"], "atr-registry": ["atr-cli"], "atr-verify": ["atr-cli"]}

# Seconds for the tests of a mutant, if the time of the unchanged tests is not measured. The tests of atr-cli take about 100.
TEST_TIMEOUT = 400

# cargo-mutants copies the sources without ignored files, which the Foundry binaries are.
BINARIES = {name.upper(): str(ROOT / "contracts/node_modules/.bin" / name) for name in ["anvil", "cast", "forge"]}


def environment(arguments, target):
    binaries = {name: os.environ.get(name, default) for name, default in BINARIES.items()}
    absolute = {name: str(ROOT / path) if "/" in path else path for name, path in binaries.items()}
    result = {**os.environ, **absolute, "RUST_BACKTRACE": "0"}
    # Each run has a new copy of the sources, but the dependencies are compiled once. Not in the target folder of the checkout: cargo
    # would take a mutant for the compiled crate.
    result["CARGO_TARGET_DIR"] = target or str(WORK / "build")
    if any(argument.startswith("--jobs") for argument in arguments):
        # Concurrent mutants must not share the binaries that tests run.
        del result["CARGO_TARGET_DIR"]
    return result


def cargo_mutants(crate, *arguments):
    return ["cargo", "mutants", "--package", crate, *arguments]


def test_packages(crate):
    return [f"--test-package={package}" for package in [crate, *TESTED_BY.get(crate, [])]]


def listed(crate, *flags):
    """Names of all mutants."""
    run = subprocess.run(cargo_mutants(crate, "--list", "--json", *flags), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        print(f"{crate}: cargo-mutants --list failed (exit {run.returncode})", file=sys.stderr)
        sys.exit(3)
    return {mutant["name"] for mutant in json.loads(run.stdout or "[]")}


def outcomes_of(folder):
    """Outcome by mutant name of the last run."""
    outcomes = {}
    for outcome in ["caught", "timeout", "unviable", "missed"]:
        file = folder / "mutants.out" / f"{outcome}.txt"
        outcomes |= dict.fromkeys(file.read_text().splitlines() if file.exists() else [], outcome)
    return outcomes


def known(crate):
    """Outcome by mutant name, over all runs. cargo-mutants itself keeps only its last run."""
    file = WORK / crate / "known.json"
    outcomes = json.loads(file.read_text()) if file.exists() else {}
    outcomes |= outcomes_of(WORK / crate)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(outcomes, indent=0))
    return outcomes


def tried(crate, arguments, target):
    """Runs the mutants without a cached outcome; returns the number of mutants by outcome."""
    selection = [argument for argument in arguments if argument.startswith(("--file", "--re", "--exclude", "--shard"))]
    everything = listed(crate, "--no-config", *selection)
    if not everything:
        print(f"{crate}: no mutants; is it a crate of this workspace?", file=sys.stderr)
        sys.exit(2)
    known(crate)
    command = cargo_mutants(crate, "--iterate", "--output", str(WORK / crate), *test_packages(crate), *arguments)
    code = subprocess.run(command, cwd=ROOT, env=environment(arguments, target)).returncode
    outcomes = known(crate)
    changes = listed(crate, *selection)
    if code not in TRIED:
        print(f"{crate}: cargo-mutants failed (exit {code})", file=sys.stderr)
        sys.exit(3)
    if changes - outcomes.keys():
        print(f"{crate}: the sources changed during the run; run it again", file=sys.stderr)
        sys.exit(3)
    counts = collections.Counter(outcomes[change] for change in changes)
    counts["explained"] = len(everything - changes)
    return counts


def run_until(command, env, deadline):
    """Runs a command; interrupts it at the deadline. Returns the exit code, `None` if it was interrupted."""
    with subprocess.Popen(command, cwd=ROOT, env=env) as process:
        try:
            return process.wait(timeout=max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
            return None


def changed(crates, base, minutes, arguments, target):
    """Tries mutants of changed lines until the time is over. Returns the exit code."""
    diff = WORK / "changed.diff"
    diff.parent.mkdir(parents=True, exist_ok=True)
    text = subprocess.run(["git", "diff", base, "--", "crates"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    diff.write_bytes(text)
    deadline = time.monotonic() + 60 * minutes
    counts, missed = collections.Counter(), []
    for crate in crates:
        mutants = listed(crate, f"--in-diff={diff}") if text else set()
        if not mutants:
            continue
        counts["all"] += len(mutants)
        if time.monotonic() >= deadline:
            continue
        folder = WORK / "changed" / crate
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # The tests of the unchanged sources are assumed to pass.
        limits = ["--baseline=skip", f"--timeout={TEST_TIMEOUT}", "--shuffle"]
        flags = [f"--in-diff={diff}", "--output", str(folder), *limits, *test_packages(crate), *arguments]
        code = run_until(cargo_mutants(crate, *flags), environment(arguments, target), deadline)
        if code is not None and code not in TRIED:
            print(f"{crate}: cargo-mutants failed (exit {code})", file=sys.stderr)
            return 3
        outcomes = outcomes_of(folder)
        counts["tried"] += len(outcomes)
        missed += [name for name, outcome in outcomes.items() if outcome == "missed"]
    for name in missed:
        print(f"missed: {name}")
    skipped = counts["all"] - counts["tried"]
    print(f"{counts['tried']:,} of {counts['all']:,} mutants of changed lines tried, {len(missed)} missed, {skipped:,} skipped ({minutes} minutes)")
    return 1 if missed and not skipped else 0


def option(name):
    """The value of `--name=…`, removed from the arguments."""
    prefix = f"--{name}="
    values = [argument.removeprefix(prefix) for argument in sys.argv[1:] if argument.startswith(prefix)]
    sys.argv[1:] = [argument for argument in sys.argv[1:] if not argument.startswith(prefix)]
    return values[-1] if values else None


def main():
    base, minutes, target = option("changed"), option("minutes"), option("target-dir")
    crates = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    arguments = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    if not crates:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    if base is not None:
        sys.exit(changed(crates, base, float(minutes or 10), arguments, target))
    counts = collections.Counter()
    for crate in crates:
        counts += tried(crate, arguments, target)
    noticed = counts["caught"] + counts["timeout"]
    print(
        f"{', '.join(crates)}: {noticed:,} of {noticed + counts['missed'] + counts['explained']:,} mutants caught, "
        f"{counts['missed']} missed, {counts['explained']} excluded"
    )
    sys.exit(1 if counts["missed"] else 0)


main()
