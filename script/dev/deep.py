#!/usr/bin/env python3
"""Tries every property, fuzz test and invariant on 100,000 inputs, from the fixed seed and from this week's.

    deep.py                        all of it; hours
    deep.py properties             Rust's part alone; or `forge`, Solidity's
    deep.py --seed fixed           one seed alone; or `week`, or a number
    deep.py --inputs 1000          fewer, or more

Each is tried apart, one on every core. What held is kept in target/deep, so a run that was stopped goes on where it was;
after any change to what is tried it starts anew. Exits 0 if everything holds, 1 if something does not, 2 on misuse, 3 if it could not
find out.
"""

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELD = ROOT / "target" / "deep" / "held.json"
FIXED_SEED = 0x8257
FAILED, UNKNOWN = 1, 3


class Suite:
    """Tests that are found, and run one at a time, in the same way."""

    def __init__(self, name, inputs):
        self.name, self.inputs = name, inputs

    def prepare(self, command, **options):
        """Runs what must succeed before anything can be tried."""
        run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, **options)
        if run.returncode:
            print(f"{self.name}: `{' '.join(command[:3])} …` failed (exit {run.returncode})", file=sys.stderr)
            sys.exit(UNKNOWN)
        return run.stdout


class Properties(Suite):
    """The Rust suite `properties`, built for speed."""

    def __init__(self, inputs):
        super().__init__("properties", inputs)
        build = "cargo test --release -p acceptance --test properties --no-run --message-format=json".split()
        messages = map(json.loads, self.prepare(build).splitlines())
        built = [message for message in messages if message.get("target", {}).get("name") == "properties"]
        self.program = built[-1]["executable"]
        self.of = hashlib.sha256(pathlib.Path(self.program).read_bytes()).hexdigest()
        listed = self.prepare([self.program, "--list", "--format", "terse"]).splitlines()
        self.tests = [line.removesuffix(": test") for line in listed if line.endswith(": test")]

    def command(self, test, seed):
        more = {"PROPTEST_CASES": str(self.inputs), "PROPTEST_RNG_SEED": str(seed), "RUST_BACKTRACE": "0"}
        return [self.program, "--exact", test, "--nocapture", "--test-threads=1"], ROOT / "tests", more

    def tried(self, test, output):
        """On how many inputs it was; none for a test that chooses its own. A test that did not run is no answer."""
        if "1 passed" not in output:
            return None
        return sum(int(count) for count in re.findall(r"held on (\d+) inputs", output))


class Forge(Suite):
    """The fuzz tests and invariants of the Solidity suites."""

    def __init__(self, inputs):
        super().__init__("forge", inputs)
        self.program = str(ROOT / os.environ.get("FORGE", "contracts/node_modules/.bin/forge"))
        deep = os.environ | {"FOUNDRY_PROFILE": "deep"}
        config = json.loads(self.prepare([self.program, "config", "--json"], env=deep))
        sequences = -(-inputs // config["invariant"]["depth"])
        self.more = {
            "FOUNDRY_PROFILE": "deep",
            "FOUNDRY_FUZZ_RUNS": str(inputs),
            "FOUNDRY_INVARIANT_RUNS": str(sequences),
        }
        environment = os.environ | self.more
        self.prepare([self.program, "build", "--quiet"], env=environment)
        listed = json.loads(self.prepare([self.program, "test", "--list", "--json"], env=environment))
        self.tests = [
            f"{path}:{name}"
            for path, contracts in listed.items()
            for names in contracts.values()
            for name in names
            if name.startswith(("testFuzz_", "invariant_"))
        ]
        self.of = fingerprint("contracts/src", "contracts/test", "contracts/package-lock.json", "foundry.toml")

    def command(self, test, seed):
        path, name = test.split(":")
        match = ["--match-path", path, "--match-test", rf"^{name}\b"]
        return [self.program, "test", *match, "--threads", "1", "--fuzz-seed", hex(seed)], ROOT, self.more

    def tried(self, test, output):
        found = re.findall(r"^\[PASS\] \w+\(.*\) \(runs: (\d+)(?:, calls: (\d+), reverts: 0)?", output, re.M)
        return int(found[0][1] or found[0][0]) if len(found) == 1 else None


def fingerprint(*places):
    """Of the contents of these files and folders."""
    digest = hashlib.sha256()
    for place in places:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(f"{file.relative_to(ROOT)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest()


class Memory:
    """What held, for the very bytes that are tried now."""

    def __init__(self, suites):
        self.lock = threading.Lock()
        self.kept = json.loads(HELD.read_text()) if HELD.exists() else {}
        self.seconds = {key: seconds for suite in self.kept.values() for key, (seconds, _) in suite["held"].items()}
        for suite in suites:
            if self.kept.get(suite.name, {}).get("of") != suite.of:
                self.kept[suite.name] = {"of": suite.of, "held": {}}

    def key(self, suite, test, seed):
        return f"{test} {suite.inputs} {seed}"

    def held(self, suite, test, seed):
        return self.kept[suite.name]["held"].get(self.key(suite, test, seed))

    def took(self, suite, test):
        """The longest it ever took; what is not known may take longest."""
        known = [seconds for key, seconds in self.seconds.items() if key.startswith(test + " ")]
        return max(known, default=float("inf"))

    def keep(self, suite, test, seed, seconds, inputs):
        with self.lock:
            self.kept[suite.name]["held"][self.key(suite, test, seed)] = [seconds, inputs]
            HELD.parent.mkdir(parents=True, exist_ok=True)
            new = HELD.with_suffix(".new")
            new.write_text(json.dumps(self.kept, indent=0))
            new.replace(HELD)


def try_out(suite, test, seed, running):
    """Seconds, inputs (none if it did not hold), output."""
    command, folder, more = suite.command(test, seed)
    begun = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env=os.environ | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    running.add(process)
    output, _ = process.communicate()
    running.discard(process)
    inputs = suite.tried(test, output) if process.returncode == 0 else None
    return round(time.monotonic() - begun), inputs, output


def seeds(chosen):
    year, week, _ = datetime.datetime.now(datetime.timezone.utc).isocalendar()
    known = {"fixed": [FIXED_SEED], "week": [int(f"{year}{week:02}")]}
    known["both"] = known["fixed"] + known["week"]
    if chosen in known:
        return known[chosen]
    try:
        return [int(chosen, 0)]
    except ValueError:
        print(f"--seed {chosen}: neither `fixed`, `week`, `both` nor a number", file=sys.stderr)
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=["properties", "forge"])
    parser.add_argument("--seed", default="both")
    parser.add_argument("--inputs", type=int, default=100_000)
    arguments = parser.parse_args()
    from_seeds = seeds(arguments.seed)
    parts = [part for part in (Properties, Forge) if arguments.part in (None, part.__name__.lower())]
    suites = [part(arguments.inputs) for part in parts]
    memory = Memory(suites)
    pieces = [(suite, test, seed) for seed in from_seeds for suite in suites for test in suite.tests]
    left = [piece for piece in pieces if memory.held(*piece) is None]
    left.sort(key=lambda piece: -memory.took(*piece[:2]))
    print(f"{len(pieces):,} to try, {len(pieces) - len(left):,} of them held before; seeds: {from_seeds}", flush=True)

    failed, running = [], set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        tries = {workers.submit(try_out, *piece, running): piece for piece in left}
        try:
            for number, done in enumerate(concurrent.futures.as_completed(tries), 1):
                suite, test, seed = tries[done]
                seconds, inputs, output = done.result()
                word = "held" if inputs is not None else "DID NOT HOLD"
                print(f"[{number}/{len(left)}] {seconds:5} s  seed {seed}  {test}: {word}", flush=True)
                if inputs is None:
                    failed.append(f"{test}, seed {seed}")
                    print("\n".join(output.splitlines()[-200:]), flush=True)
                else:
                    memory.keep(suite, test, seed, seconds, inputs)
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.kill()
            raise

    if failed:
        print(f"{len(failed)} of {len(pieces)} did not hold:", *failed, sep="\n  ")
        sys.exit(FAILED)
    told = [memory.held(*piece) for piece in pieces]
    random = sum(inputs >= arguments.inputs for _, inputs in told)
    fixed = sum(inputs == 0 for _, inputs in told)
    if not random or random + fixed < len(told):
        print("some were tried on fewer inputs than asked for", file=sys.stderr)
        sys.exit(UNKNOWN)
    minutes = sum(seconds for seconds, _ in told) / 60
    print(
        f"{random // len(from_seeds)} properties, fuzz tests and invariants hold on {arguments.inputs:,} inputs or calls each, from "
        f"{' and from '.join(f'seed {seed}' for seed in from_seeds)}; {minutes:,.0f} minutes of one core"
    )


try:
    main()
except KeyboardInterrupt:
    print("stopped; the same command goes on from here", file=sys.stderr)
    sys.exit(UNKNOWN)
