#!/usr/bin/env python3
"""Mutation testing of the contracts.

Frozen: to be replaced by forge's own mutation mode once the pinned forge has it.

A mutant is one change in solc's syntax tree: an operator swapped, a statement removed, a constant incremented. Test suites
run on it in order of cost until one fails:

  1. compiled without the optimizer: the Rust properties that run random sequences
  2. for a library, its own Solidity tests and those of libraries that use it (before 1 if only predicates use it)
  3. compiled as shipped: a mutant with unchanged bytecode is equivalent
  4. the other Rust properties
  5. the Solidity unit and fuzz tests of the contracts that use it, and the invariants

Survivors are explained in contracts/test/mutants.toml. Exit codes: 0 all survivors are explained and the kill rate is
reached; 1 an unexplained survivor, an outdated explanation, or a kill rate below the target; 3 the suites could not run.
Results are cached in target/mutants by source and test content.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import sys
import threading
import time

from mutation import compiler, operators, suites, triage
from mutation.compiler import ROOT, SOURCES, CouldNotRun

WORK = ROOT / "target" / "mutants"
TARGET_PERCENT = 95
REGISTRY = f"{SOURCES}/ToolRegistry.sol"
INVALID = "fe"
KILLED, SURVIVED, EQUIVALENT, BROKEN = "killed", "survived", "equivalent", "does not compile"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="script/dev/mutants.py",
    )
    flag = parser.add_argument
    flag("--only", metavar="FILE", help="only mutants of files whose path under contracts/src contains FILE")
    flag("--sample", type=int, default=120, metavar="N", help="number of predicate mutants to try (default: 120)")
    flag("--seed", default="8257", help="seed of that sample (default: 8257)")
    flag("--jobs", type=int, default=os.cpu_count(), metavar="N", help="parallel jobs (default: one per core)")
    flag("--json", action="store_true", help="print the result as JSON")
    flag("--list", action="store_true", help="print the mutants without running tests")
    flag("--check", action="store_true", help="only check that every explained mutant still exists (seconds)")
    return parser.parse_args()


##### Selection


def all_mutants(sources):
    """All mutants, by file. Interfaces have none."""
    solc = compiler.Compiler()
    try:
        trees = solc.syntax_trees(sources)
    finally:
        solc.close()
    found = {}
    for name, source in sources.items():
        if not name.startswith(f"{SOURCES}/interfaces/"):
            errors = operators.errors_in(trees[imported] for imported in compiler.with_imports(sources, [name]))
            found[name] = operators.mutants(name.removeprefix(f"{SOURCES}/"), source, trees[name], errors)
    return found


def is_predicate(mutant):
    return mutant.file.startswith("predicates/")


def select(mutants, options):
    """All mutants of the registry and the libraries, and a sample of the predicates' mutants, fixed by the seed."""
    def sample_key(mutant):
        return hashlib.sha256(f"{options.seed} {mutant.key}".encode()).digest()

    fixed = [mutant for mutant in mutants if not is_predicate(mutant)]
    sampled = set(sorted(filter(is_predicate, mutants), key=sample_key)[: options.sample])
    both = fixed + [mutant for mutant in mutants if mutant in sampled]
    return [mutant for mutant in both if not options.only or options.only in mutant.file]


##### Execution


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Results:
    """Cache of results on disk, one per line, so that an interrupted run can be continued."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.known = dict(json.loads(line) for line in lines)

    def get(self, inputs, compute):
        key = hash_of(json.dumps(inputs))
        if key not in self.known:
            value = compute()
            with self.lock, self.path.open("a") as file:
                self.known[key] = value
                file.write(json.dumps([key, value]) + "\n")
        return self.known[key]


@dataclasses.dataclass(frozen=True)
class Outcome:
    kind: str
    round: str = ""
    killer: str = ""


class Runner:
    """Runs the test suites on mutants. Each thread has its own compiler."""

    def __init__(self, sources, jobs):
        self.sources = sources
        self.results = Results(WORK / "results.jsonl")
        binary = suites.PropertiesBinary()
        # Random sequences kill most mutants, so they run first.
        self.sequences = suites.Properties("sequences", binary, WORK, "sequences")
        self.properties = suites.Properties("other properties", binary, WORK, "--skip", "sequences")
        self.trees = suites.Trees(WORK, jobs)
        self.local = threading.local()
        self.compilers = []
        self.prepared = set()
        self.locks = {}
        self.lock = threading.Lock()

    def close(self):
        for solc in self.compilers:
            solc.close()

    def run_mutant(self, mutant, long=True):
        """The outcome of a mutant; None if it needs the long rounds and `long` is false."""
        name = f"{SOURCES}/{mutant.file}"
        stem = pathlib.PurePosixPath(name).stem
        sources = {**self.sources, name: mutant.apply(self.sources[name])}
        users = compiler.users_of(name, self.sources)

        seen = [user for user in users if self._deploys(self.sequences, user)]
        quick, shipped = compiler.quickest(), compiler.as_shipped()
        if not self._compiles(sources, seen[:1] or users[:1], quick):
            return Outcome(BROKEN)

        rounds = [lambda: self._by_sequences(sources, seen), lambda: self._by_harnesses(name, sources)]
        if REGISTRY not in users:
            # The tests of a library that only predicates use kill more of its mutants.
            rounds.reverse()
        for run_round in rounds:
            if outcome := run_round():
                return outcome
        if not long:
            return None
        if self._same_bytecode(sources, users, shipped):
            return Outcome(EQUIVALENT)
        if seen and (killer := self._killer(self.properties, sources, seen, quick)):
            return Outcome(KILLED, "properties", killer)

        files = {file for user in {name, *users} for file in suites.tests_of(user) + suites.invariants_of(user)}
        if mutant.file.startswith("libraries/"):
            files -= set(suites.tests_of(name))
        suite = suites.Forge(f"users of {stem}", self.trees, files)
        if killer := self._killer(suite, sources, users, shipped):
            return Outcome(KILLED, "forge", killer)
        return Outcome(SURVIVED)

    def _by_sequences(self, sources, seen):
        killer = self._killer(self.sequences, sources, seen, compiler.quickest()) if seen else None
        return Outcome(KILLED, "properties", killer) if killer else None

    def _by_harnesses(self, name, sources):
        for harness, library in suites.harnesses_around(name, self.sources):
            suite = suites.Forge(library, self.trees, suites.tests_of(library))
            if killer := self._killer(suite, sources, [harness], compiler.as_tests_are()):
                return Outcome(KILLED, "forge", killer)
        return None

    def _compiles(self, sources, users, settings):
        inputs = ["compiles", self._digest(sources, users), settings]
        return self.results.get(inputs, lambda: self._codes(sources, users, settings) is not None)

    def _same_bytecode(self, sources, users, settings):
        def code_hash(these):
            inputs = ["code hash", self._digest(these, users), settings]
            return self.results.get(inputs, lambda: hash_of(json.dumps(self._codes(these, users, settings))))

        return code_hash(self.sources) == code_hash(sources)

    def _killer(self, suite, sources, contracts, settings):
        """The name of the failing test, or None. First checks that the suite passes without the mutation."""
        def failing_test(these):
            inputs = ["killer", suite.name, suite.fingerprint, self._digest(these, contracts), settings]
            return self.results.get(inputs, lambda: self._run(suite, these, contracts, settings))

        with self._lock_of(suite.name):
            if failure := failing_test(self.sources):
                raise CouldNotRun(f"{suite.name} fails without a mutation: {failure}")
        return failing_test(sources)

    def _deploys(self, suite, contract):
        """Whether a suite deploys a contract: only then does it fail with invalid creation code."""
        stem = pathlib.PurePosixPath(contract).stem
        inputs = ["deploys", suite.name, suite.fingerprint, stem]
        with self._lock_of(suite.name):
            return self.results.get(inputs, lambda: self._prepared(suite).run({stem: INVALID}) is not None)

    def _prepared(self, suite):
        with self._lock_of(suite.needs):
            if suite.needs not in self.prepared:
                suite.needs.prepare()
                self.prepared.add(suite.needs)
        return suite

    def _run(self, suite, sources, contracts, settings):
        self._prepared(suite)
        codes = self._codes(sources, contracts, settings)
        # A mutant can fail to compile with some settings only: stack too deep.
        return suite.run(codes) if codes else "(the compiler)"

    def _lock_of(self, key):
        with self.lock:
            return self.locks.setdefault(key, threading.Lock())

    def _codes(self, sources, contracts, settings):
        if not hasattr(self.local, "solc"):
            self.local.solc = compiler.Compiler()
            self.compilers.append(self.local.solc)
        inputs = (self._digest(sources, contracts), json.dumps(settings))
        if getattr(self.local, "inputs", None) != inputs:
            self.local.inputs = inputs
            self.local.codes = self.local.solc.creation_codes(sources, contracts, settings)
        return self.local.codes

    @staticmethod
    def _digest(sources, contracts):
        files = compiler.with_imports(sources, contracts)
        lines = [f"{name} {hashlib.sha256(text).hexdigest()}" for name, text in sorted(files.items())]
        return hash_of("\n".join([*contracts, *lines]))


def run_all(runner, mutants, jobs):
    """Runs all mutants and prints progress to standard error. The long rounds run last."""
    started, reported, outcomes = time.monotonic(), 0.0, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for long in (False, True):
                left = [mutant for mutant in mutants if mutant not in outcomes]
                running = {pool.submit(runner.run_mutant, mutant, long): mutant for mutant in left}
                for tried, done in enumerate(concurrent.futures.as_completed(running), 1):
                    mutant, outcome = running[done], done.result()
                    if outcome:
                        outcomes[mutant] = outcome
                    if outcome and outcome.kind == SURVIVED:
                        log(f"survived: {mutant}")
                    now = time.monotonic()
                    if now - reported > (1 if sys.stderr.isatty() else 30) or tried == len(running):
                        reported = now
                        seconds = (now - started) / tried * (len(running) - tried)
                        log(f"{'long' if long else 'short'} rounds, {progress(outcomes, tried, len(running), seconds)}")
                started = time.monotonic()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {mutant: outcomes[mutant] for mutant in mutants}


def progress(outcomes, tried, total, seconds):
    kinds = collections.Counter(outcome.kind for outcome in outcomes.values())
    return (
        f"{tried}/{total}: {kinds[KILLED]} killed, {kinds[SURVIVED]} survived, {kinds[EQUIVALENT]} equivalent, "
        f"{kinds[BROKEN]} do not compile; {seconds / 60:.0f} min left"
    )


def log(text):
    # On a terminal, progress lines overwrite each other.
    print(text, end="\r" if sys.stderr.isatty() and " min left" in text else "\n", file=sys.stderr, flush=True)


##### Report

GROUPS = ("registry and libraries", "predicates")
COLUMNS = ("mutants", "properties", "forge", "explained", "unexplained", "equivalent", "not compiling")


def tally(outcomes, accepted):
    """Figures by file and by group."""
    rows = collections.defaultdict(collections.Counter)
    for mutant, outcome in outcomes.items():
        survivor = "explained" if mutant.key in accepted else "unexplained"
        column = {SURVIVED: survivor, EQUIVALENT: "equivalent", BROKEN: "not compiling", KILLED: outcome.round}[outcome.kind]
        for row in (mutant.file, GROUPS[is_predicate(mutant)]):
            rows[row].update({"mutants": 1, column: 1})
    return rows


def percent_killed(row):
    """Percentage of the mutants that compile and change the bytecode, including explained survivors; None if there are none."""
    return 100 * (row["properties"] + row["forge"]) / tried(row) if tried(row) else None


def tried(row):
    return row["properties"] + row["forge"] + row["explained"] + row["unexplained"]


def print_table(rows):
    names = sorted(name for name in rows if name not in GROUPS) + [name for name in GROUPS if name in rows]
    print(f"{'':38}" + "".join(f"{column:>14}" for column in COLUMNS) + f"{'killed':>9}")
    for name in names:
        score = percent_killed(rows[name])
        figures = "".join(f"{rows[name][column]:>14}" for column in COLUMNS)
        print(f"{name:38}{figures}" + (f"{score:>8.1f}%" if score is not None else f"{'–':>9}"))


def summary(rows, possible):
    """One line with the figures of both groups."""
    lines = []
    for group in GROUPS:
        row, score = rows[group], percent_killed(rows[group])
        if score is not None:
            of = "" if group == GROUPS[0] else f" (sampled from {sum(map(is_predicate, possible)):,})"
            unexplained = f", {row['unexplained']} not" if row["unexplained"] else ""
            lines.append(
                f"{group}: {score:.1f} % of {tried(row):,} mutants{of} killed, "
                f"{row['explained']} survivors explained{unexplained}"
            )
    return "; ".join(lines)


def find_errors(outcomes, rows, possible, accepted):
    """Error messages."""
    errors = outdated(possible, accepted)
    for mutant, outcome in outcomes.items():
        if outcome.kind == SURVIVED and mutant.key not in accepted:
            errors.append(f"unexplained: {mutant}\n    {triage.entry(mutant)}")
        elif outcome.kind != SURVIVED and mutant.key in accepted:
            errors.append(f"{triage.PATH}: explained, but {outcome.kind} ({outcome.killer}): {mutant}")
    score = percent_killed(rows[GROUPS[0]])
    if score is not None and score < TARGET_PERCENT:
        errors.append(f"only {score:.1f} % of the mutants of {GROUPS[0]} are killed; the target is {TARGET_PERCENT} %")
    return errors


def outdated(possible, accepted):
    keys = {mutant.key for mutant in possible}
    return [f"{triage.PATH}: mutant no longer exists: {key}" for key in accepted if key not in keys]


def as_json(outcomes, rows, accepted, errors):
    survivors = [
        {**dict(zip(("file", "where", "operator", "was", "now", "nth"), mutant.key)), "reason": accepted.get(mutant.key)}
        for mutant, outcome in outcomes.items() if outcome.kind == SURVIVED
    ]
    figures = {name: {column: row[column] for column in COLUMNS} for name, row in rows.items()}
    for name, row in rows.items():
        figures[name]["killed percent"] = percent_killed(row)
    return json.dumps({"figures": figures, "survivors": survivors, "errors": errors}, indent=2, ensure_ascii=False)


def main():
    options = arguments()
    sources = compiler.read_sources()
    possible = [mutant for mutants in all_mutants(sources).values() for mutant in mutants]
    accepted = triage.read()
    if options.check:
        errors = outdated(possible, accepted)
        print("\n".join(errors) or f"mutants: {len(accepted)} explained survivors, all of them still exist")
        return 1 if errors else 0
    mutants = select(possible, options)
    if not mutants:
        raise CouldNotRun(f"no mutants in files matching {options.only}")
    if options.list:
        print("\n".join(map(str, mutants)))
        return 0

    runner = Runner({**sources, **suites.support_sources()}, options.jobs)
    try:
        outcomes = run_all(runner, mutants, options.jobs)
    finally:
        runner.close()
    rows = tally(outcomes, accepted)
    errors = find_errors(outcomes, rows, possible, accepted)
    if options.json:
        print(as_json(outcomes, rows, accepted, errors))
    else:
        print_table(rows)
        print("\n".join([*errors, summary(rows, possible)]))
    return 1 if errors else 0


try:
    sys.exit(main())
except CouldNotRun as error:
    print(f"mutants: {error}", file=sys.stderr)
    sys.exit(3)
