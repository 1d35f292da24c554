"""The suites that must notice a mutant.

None of them compiles anything for a mutant. The properties deploy whatever bytes `ATR_CODE` names. The Solidity tests were
compiled once, into a tree of their own, and deploy contracts by name: the mutant's bytes are put into the artifacts there.
"""

import functools
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import threading

from .compiler import ROOT, SOURCES, CouldNotRun, sources_behind

TESTS = "contracts/test"
# Would kill every mutant, and tell nothing.
ABOUT_THE_BYTES = "test_BytecodeMatchesArtifacts"
# Of an invariant the name stands on a line of its own, behind the calls that break it.
FAILED_IN_FORGE = r"^(?:\[FAIL.*\])? (\w+)\("
HARNESS = re.compile(r"new (\w+Harness)\(\)")
# A mutant need only be found, not explained. Few fuzz runs: the properties are the better fuzzer.
QUIET = {
    "FOUNDRY_FUZZ_RUNS": "8",
    "FOUNDRY_INVARIANT_RUNS": "1",
    "FOUNDRY_INVARIANT_DEPTH": "32",
    "FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT": "0",
    "FOUNDRY_INVARIANT_SHOW_METRICS": "false",
    "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1",
    "PROPTEST_MAX_SHRINK_ITERS": "0",
    "RUST_BACKTRACE": "0",
}
TIMEOUT_SECONDS = 600
ORIGINAL = ".original"


@functools.cache
def fingerprint(*paths):
    """Of files and whole folders, by path from the root."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        start = ROOT / path
        for file in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if file.is_file():
                digest.update(f"{file.relative_to(ROOT)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _environment(extra):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("FOUNDRY_", "PROPTEST_"))}
    return {**inherited, **QUIET, **extra}


def _first_failure(command, pattern, cwd, extra):
    """Runs a test program up to its first failure. Returns the failed test's name, or None if all passed."""
    process = subprocess.Popen(
        command, cwd=cwd, env=_environment(extra),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )
    timed_out = threading.Event()
    timer = threading.Timer(TIMEOUT_SECONDS, lambda: (timed_out.set(), process.kill()))
    timer.start()
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if found := re.search(pattern, line):
                return found[1]
        if process.wait() == 0:
            return None
        if timed_out.is_set():
            return "(no end within ten minutes)"
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
    raise CouldNotRun(f"{command[0]} failed without naming a test:\n{''.join(lines[-30:])}")


class PropertiesBinary:
    """The Rust properties, built."""

    def __init__(self):
        self.path = None

    def prepare(self):
        command = ["cargo", "test", "--quiet", "--package", "acceptance", "--test", "properties", "--no-run"]
        built = subprocess.run([*command, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
        tests = [message for message in messages if message.get("target", {}).get("name") == "properties"]
        found = [message["executable"] for message in tests if message.get("executable")]
        if built.returncode or len(found) != 1:
            raise CouldNotRun("the properties do not compile")
        self.path = found[0]


class Properties:
    """Some of the Rust properties, chosen by arguments of their test program."""

    def __init__(self, name, binary, work, *arguments):
        self.name = f"properties, {name}"
        self.needs = binary
        self.work = work
        self.arguments = arguments
        self.fingerprint = fingerprint(
            "Cargo.lock", "crates/bindings", "crates/harness", "tests/Cargo.toml", "tests/properties", "tests/support"
        )

    def judge(self, codes):
        folder = self.work / f"code-{threading.get_ident()}"
        shutil.rmtree(folder, ignore_errors=True)
        for name, code in codes.items():
            (folder / f"{name}.sol").mkdir(parents=True)
            artifact = {"bytecode": {"object": f"0x{code}"}}
            (folder / f"{name}.sol" / f"{name}.json").write_text(json.dumps(artifact))
        command, pattern = [self.needs.path, *self.arguments], r"^test (\S+) \.\.\. FAILED"
        try:
            return _first_failure(command, pattern, ROOT / "tests", {"ATR_CODE": str(folder)})
        finally:
            shutil.rmtree(folder)


class Trees:
    """Copies of the Solidity tests, compiled once; each is used by one thread at a time."""

    def __init__(self, work, count):
        self.work = work
        self.free = queue.Queue()
        self.count = count

    def prepare(self):
        trees = [self.work / f"tree-{index}" for index in range(self.count)]
        for tree in trees:
            # A run that was killed may have left a mutant behind.
            restore(tree)
        wanted = fingerprint("foundry.toml", *_solidity())
        for tree in trees:
            mark = tree / "ready"
            if not mark.exists() or mark.read_text() != wanted:
                mark.unlink(missing_ok=True)
                if tree == trees[0]:
                    self._plant(tree)
                else:
                    shutil.rmtree(tree, ignore_errors=True)
                    shutil.copytree(trees[0], tree, symlinks=True)
                mark.write_text(wanted)
            self.free.put(tree)

    def _plant(self, tree):
        # What was compiled before is kept: only tests that changed are compiled again.
        for path in ("contracts/src", TESTS):
            shutil.rmtree(tree / path, ignore_errors=True)
        for path in ("contracts/src", TESTS):
            shutil.copytree(ROOT / path, tree / path)
        shutil.rmtree(tree / TESTS / "gas")
        self._plant_compiler(tree / "script" / "dev" / "solc")
        shutil.copy(ROOT / "foundry.toml", tree)
        shutil.rmtree(tree / "tests", ignore_errors=True)
        shutil.copytree(ROOT / "tests" / "vectors", tree / "tests" / "vectors")
        modules = tree / "contracts" / "node_modules"
        modules.unlink(missing_ok=True)
        modules.symlink_to(ROOT / "contracts" / "node_modules")
        # Harnesses are deployed by name too, so that a library's mutant can be put there.
        for test in (tree / TESTS).rglob("*.t.sol"):
            text = test.read_text()
            test.write_text(HARNESS.sub(r'\1(deployCode("\1.sol:\1"))', text))
        built = subprocess.run(
            [forge(), "build", "--quiet"], cwd=tree, env=_environment(_forge_environment(tree)),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if built.returncode:
            raise CouldNotRun(f"the Solidity tests do not compile:\n{built.stdout}")
        _slim(tree)

    @staticmethod
    def _plant_compiler(path):
        """Ours, but for its version: forge asks for it every time, and loading the compiler takes a second."""
        path.parent.mkdir(parents=True, exist_ok=True)
        ours = (ROOT / "script" / "dev" / "solc").resolve()
        version = subprocess.run([ours, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        path.write_text(f"#!/bin/sh\ncase $1 in --version) echo '{version.strip()}' ;; *) exec '{ours}' \"$@\" ;; esac\n")
        path.chmod(0o755)

    def run(self, suite, codes):
        tree = self.free.get()
        try:
            with _planted(tree, codes):
                paths = "{" + ",".join(suite.files) + "}"
                command = [forge(), "test", "--fail-fast", "--match-path", paths, "--no-match-test", ABOUT_THE_BYTES]
                return _first_failure(command, FAILED_IN_FORGE, tree, _forge_environment(tree))
        finally:
            # Failures that forge would try first the next time.
            for kind in ("fuzz", "invariant"):
                shutil.rmtree(tree / "contracts" / "cache" / kind, ignore_errors=True)
            self.free.put(tree)


def _slim(tree):
    """Takes out of the artifacts what running tests does not need: forge reads all of them every time."""
    for path in (tree / "contracts" / "out").glob("*.sol/*.json"):
        artifact = json.loads(path.read_text())
        needed = {"abi", "bytecode", "deployedBytecode", "methodIdentifiers", "id"}
        path.write_text(json.dumps({name: value for name, value in artifact.items() if name in needed}))


class _planted:
    """Puts creation code into forge's artifacts, and takes it out again. Originals stand beside them meanwhile."""

    def __init__(self, tree, codes):
        self.tree = tree
        self.codes = codes

    def __enter__(self):
        for name, code in self.codes.items():
            path = self.tree / "contracts" / "out" / f"{name}.sol" / f"{name}.json"
            text = path.read_bytes()
            path.with_suffix(ORIGINAL).write_bytes(text)
            artifact = json.loads(text)
            artifact["bytecode"]["object"] = f"0x{code}"
            path.write_text(json.dumps(artifact))

    def __exit__(self, *_):
        restore(self.tree)


def restore(tree):
    for path in (tree / "contracts" / "out").glob(f"*/*{ORIGINAL}"):
        path.replace(path.with_suffix(".json"))


class Forge:
    """Some of the Solidity test files."""

    def __init__(self, name, trees, files):
        self.name = f"forge {name}"
        self.needs = trees
        self.files = sorted(files)
        self.fingerprint = fingerprint("foundry.toml", *sources_behind(_solidity(), self.files))

    def judge(self, codes):
        return self.needs.run(self, codes)


def _forge_environment(tree):
    # Not part of the repository the tree lies in.
    return {"GIT_CEILING_DIRECTORIES": str(tree.parent)}


def forge():
    chosen = os.environ.get("FORGE", "contracts/node_modules/.bin/forge")
    return str((ROOT / chosen).absolute()) if "/" in chosen else chosen


@functools.cache
def _solidity():
    """All sources and tests, by path from the root."""
    files = [file for folder in (SOURCES, TESTS) for file in (ROOT / folder).rglob("*.sol")]
    return {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files}


def support_sources():
    """What the harnesses of libraries are made of."""
    return {name: text for name, text in _solidity().items() if name.startswith(f"{TESTS}/support/")}


def harnesses_around(name, sources):
    """The harnesses that a library is part of, its own first, each with the name of the library it opens to tests."""
    harnesses = [path for path in sources if path.endswith("LibHarness.sol") and name in sources_behind(sources, [path])]
    named = [(path, pathlib.PurePosixPath(path).stem.removesuffix("Harness")) for path in sorted(harnesses)]
    return sorted(named, key=lambda pair: pair[1] != pathlib.PurePosixPath(name).stem)


def test_files():
    return [path.relative_to(ROOT).as_posix() for path in (ROOT / TESTS).rglob("*.t.sol")]


def tests_of(name):
    """The unit and fuzz tests of a contract or library: they, or a folder they are in, carry its name."""
    stem = pathlib.PurePosixPath(name).stem
    kinds = (f"{TESTS}/unit/", f"{TESTS}/fuzz/")
    named = [file for file in test_files() if file.startswith(kinds)]
    return [file for file in named if stem in file.removesuffix(".t.sol").split("/")]


def invariants_of(name):
    which = "Predicates" if "/predicates/" in name else pathlib.PurePosixPath(name).stem
    return [file for file in test_files() if file == f"{TESTS}/invariant/{which}.t.sol"]
