#!/usr/bin/env python3
"""Tries every property, fuzz test and invariant on 100,000 inputs, from the fixed seed and from this week's.

    deep.py                        all of it; hours
    deep.py properties             Rust's part alone; or `forge`, Solidity's
    deep.py --seed fixed           one seed alone; or `week`, or a number
    deep.py --inputs 1000          fewer, or more

Each is tried apart, one on every core, on copies of what there was at the start. What held is kept in target/deep, so a run that
was stopped goes on where it was; after a change to what is tried, or with another seed, it starts anew. Exits 0 if everything
holds, 1 if something does not, 2 on misuse, 3 if it could not find out.
"""

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

from mutation.suites import fingerprint, forge

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "deep"
FIXED_SEED = 0x8257
DOES_NOT_HOLD, UNKNOWN = 1, 3
# Would decide what is tried, behind our back.
NOT_INHERITED = ("ATR_CODE", "FOUNDRY_", "PROPTEST_")


class CouldNotRun(Exception):
    """What is to be tried cannot be had."""


def environment(more):
    return {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)} | more


def output_of(command, folder, **more):
    run = subprocess.run(command, cwd=folder, env=environment(more), stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise CouldNotRun(f"`{' '.join(command[:4])}` failed (exit {run.returncode})")
    return run.stdout


class Properties:
    """The Rust suite `properties`, built for speed."""

    name = "properties"

    def __init__(self, inputs):
        self.inputs = inputs
        build = "cargo test --release -p acceptance --test properties --no-run --message-format=json".split()
        messages = map(json.loads, output_of(build, ROOT).splitlines())
        built = [message for message in messages if message.get("target", {}).get("name") == "properties"]
        code = pathlib.Path(built[-1]["executable"]).read_bytes()
        self.fingerprint = hashlib.sha256(code).hexdigest()
        WORK.mkdir(parents=True, exist_ok=True)
        self.program = WORK / "program"
        self.program.unlink(missing_ok=True)
        self.program.write_bytes(code)
        self.program.chmod(0o755)
        listed = output_of([str(self.program), "--list", "--format", "terse"], ROOT / "tests").splitlines()
        self.tests = [line.removesuffix(": test") for line in listed if line.endswith(": test")]

    def start(self, test, seed):
        more = {"PROPTEST_CASES": str(self.inputs), "PROPTEST_RNG_SEED": str(seed), "RUST_BACKTRACE": "0"}
        command = [str(self.program), "--exact", test, "--nocapture", "--test-threads=1"]
        return command, ROOT / "tests", more

    def done(self, folder):
        pass

    # On how many inputs it held: none for a test that chooses its own.
    @staticmethod
    def inputs_in(output):
        held = re.findall(r"held on (\d+) inputs", output)
        return min(map(int, held), default=0) if "1 passed" in output else None

    @staticmethod
    def does_not_hold(output):
        # proptest gives up when it finds too few inputs: that says nothing about the property.
        return "test result: FAILED" in output and "gave up (" not in output


class Forge:
    """The fuzz tests and invariants of the Solidity suites, in a tree of its own for each core."""

    name = "forge"

    def __init__(self, inputs):
        self.inputs = inputs
        self.fingerprint = fingerprint("foundry.toml", "contracts/package-lock.json", "script/dev/solc", *solidity())
        trees = [WORK / f"tree-{number}" for number in range(os.cpu_count())]
        plant(trees[0])
        for tree in trees[1:]:
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(trees[0], tree, symlinks=True)
        self.free = queue.Queue()
        for tree in trees:
            self.free.put(tree)
        config = json.loads(output_of([forge(), "config", "--json"], ROOT, FOUNDRY_PROFILE="deep"))
        self.more = {
            "FOUNDRY_PROFILE": "deep",
            "FOUNDRY_FUZZ_RUNS": str(inputs),
            "FOUNDRY_INVARIANT_RUNS": str(-(-inputs // config["invariant"]["depth"])),
            "FOUNDRY_INVARIANT_SHOW_METRICS": "false",
            # Not part of the repository the trees lie in.
            "GIT_CEILING_DIRECTORIES": str(WORK),
        }
        listed = json.loads(output_of([forge(), "test", "--list", "--json"], trees[0], **self.more))
        self.tests = [
            f"{path}:{name}"
            for path, contracts in listed.items()
            for names in contracts.values()
            for name in names
            if name.startswith(("testFuzz_", "invariant_"))
        ]
        if len(set(self.tests)) < len(self.tests):
            raise CouldNotRun("two tests of one name in one file cannot be told apart")

    def start(self, test, seed):
        path, name = test.split(":")
        match = ["--match-path", path, "--match-test", rf"^{name}\b"]
        return [forge(), "test", *match, "--threads", "1", "--fuzz-seed", hex(seed)], self.free.get(), self.more

    def done(self, folder):
        # What failed is kept there, and would be tried first with any seed.
        for kind in ("fuzz", "invariant"):
            shutil.rmtree(folder / "contracts" / "cache" / kind, ignore_errors=True)
        self.free.put(folder)

    # Of an invariant, calls.
    @staticmethod
    def inputs_in(output):
        found = re.findall(r"^\[PASS\] \w+\(.*\) \(runs: (\d+)(?:, calls: (\d+), reverts: 0)?", output, re.M)
        return int(found[0][1] or found[0][0]) if len(found) == 1 else None

    @staticmethod
    def does_not_hold(output):
        return "[FAIL" in output


def solidity():
    """All sources and tests, by path from the root."""
    files = [file for folder in ("src", "test") for file in (ROOT / "contracts" / folder).rglob("*.sol")]
    return [file.relative_to(ROOT).as_posix() for file in files]


def plant(tree):
    """A project with the contracts and their tests; what was compiled there before is used again."""
    for folder in ("contracts/src", "contracts/test", "script", "tests/vectors", "crates/bindings/artifacts"):
        shutil.rmtree(tree / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("broadcast", "__pycache__"))
    shutil.copy(ROOT / "foundry.toml", tree)
    modules = tree / "contracts" / "node_modules"
    if not modules.is_symlink():
        modules.symlink_to(ROOT / "contracts" / "node_modules")
    output_of([forge(), "build", "--quiet"], tree, FOUNDRY_PROFILE="deep")


class Memory:
    """What held, for the very bytes that are tried now: seconds and inputs, by test, inputs asked for, and seed."""

    def __init__(self, suite):
        self.file = WORK / f"held-{suite.name}.json"
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.seconds = {key: seconds for key, (seconds, _) in kept.get("held", {}).items()}
        self.kept = kept if kept.get("of") == suite.fingerprint else {"of": suite.fingerprint, "held": {}}
        self.inputs = suite.inputs

    def _key(self, test, seed):
        return f"{test} {self.inputs} {seed}"

    def find(self, test, seed):
        return self.kept["held"].get(self._key(test, seed))

    def took(self, test):
        """The longest it ever took; what is not known may take longest."""
        known = [seconds for key, seconds in self.seconds.items() if key.startswith(test + " ")]
        return max(known, default=float("inf"))

    def keep(self, test, seed, seconds, inputs):
        self.kept["held"][self._key(test, seed)] = [seconds, inputs]
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.kept, indent=0))
        new.replace(self.file)


class Tries:
    """Starts tests and, when it must stop, ends those that run."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.is_stopping = False

    def run(self, suite, test, seed):
        """Seconds, inputs (none if it did not hold or there is no telling), output."""
        command, folder, more = suite.start(test, seed)
        try:
            begun = time.monotonic()
            with self.lock:
                if self.is_stopping:
                    return 0, None, ""
                process = subprocess.Popen(
                    command, cwd=folder, env=environment(more),
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                )
                self.running.add(process)
            output, _ = process.communicate()
            with self.lock:
                self.running.discard(process)
            inputs = suite.inputs_in(output) if process.returncode == 0 else None
            return round(time.monotonic() - begun), inputs, output
        finally:
            suite.done(folder)

    def stop(self):
        with self.lock:
            self.is_stopping = True
            for process in self.running:
                process.kill()


def seeds(chosen):
    year, week, _ = datetime.datetime.now(datetime.timezone.utc).isocalendar()
    known = {"fixed": [FIXED_SEED], "week": [int(f"{year}{week:02}")]}
    known["both"] = known["fixed"] + known["week"]
    return known.get(chosen) or [int(chosen, 0)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=["properties", "forge"])
    parser.add_argument("--seed", default="both")
    parser.add_argument("--inputs", type=int, default=100_000)
    chosen = parser.parse_args()
    try:
        chosen.seeds = seeds(chosen.seed)
    except ValueError:
        parser.error(f"--seed {chosen.seed}: neither `fixed`, `week`, `both` nor a number")
    if chosen.inputs < 1:
        parser.error(f"--inputs {chosen.inputs}: at least 1")
    return chosen


def try_all(pieces, memories, inputs):
    """Tries what is left, and says what did not hold and what there is no telling about."""
    left = [piece for piece in pieces if memories[piece[0].name].find(*piece[1:]) is None]
    left.sort(key=lambda piece: -memories[piece[0].name].took(piece[1]))
    print(f"{len(pieces):,} to try, {len(pieces) - len(left):,} of them held before", flush=True)
    broken, untold, tries = [], [], Tries()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        started = {workers.submit(tries.run, *piece): piece for piece in left}
        try:
            for number, done in enumerate(concurrent.futures.as_completed(started), 1):
                suite, test, seed = started[done]
                seconds, tried, output = done.result()
                told = f"{test}, seed {seed}"
                if tried is not None and (tried == 0 or tried >= inputs):
                    word = "held"
                    memories[suite.name].keep(test, seed, seconds, tried)
                else:
                    holds_not = tried is None and suite.does_not_hold(output)
                    word = "DOES NOT HOLD" if holds_not else "COULD NOT TRY"
                    (broken if holds_not else untold).append(told)
                print(f"[{number}/{len(left)}] {seconds:5} s  {told}: {word}", flush=True)
                if word != "held":
                    print("\n".join(output.splitlines()[-200:]), flush=True)
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            tries.stop()
            raise
    return broken, untold


def main():
    chosen = arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    suites = [part(chosen.inputs) for part in (Properties, Forge) if chosen.part in (None, part.name)]
    memories = {suite.name: Memory(suite) for suite in suites}
    pieces = [(suite, test, seed) for seed in chosen.seeds for suite in suites for test in suite.tests]
    told_seeds = " and from ".join(f"seed {seed}" for seed in chosen.seeds)
    print(f"{chosen.inputs:,} inputs, from {told_seeds}", flush=True)
    broken, untold = try_all(pieces, memories, chosen.inputs)
    for what, tests in {"does not hold": broken, "could not be tried": untold}.items():
        for test in tests:
            print(f"{what}: {test}", file=sys.stderr)
    if broken or untold:
        sys.exit(DOES_NOT_HOLD if broken else UNKNOWN)
    held = [memories[suite.name].find(test, seed) for suite, test, seed in pieces]
    random = sum(inputs > 0 for _, inputs in held) // len(chosen.seeds)
    print(f"{random} properties, fuzz tests and invariants hold on {chosen.inputs:,} inputs or calls each, from {told_seeds}")


try:
    main()
except KeyboardInterrupt:
    print("stopped; the same command goes on from here", file=sys.stderr)
    sys.exit(UNKNOWN)
except CouldNotRun as why:
    print(why, file=sys.stderr)
    sys.exit(UNKNOWN)
except Exception:
    traceback.print_exc()
    sys.exit(UNKNOWN)
