"""The test suites that run on mutants.

None of them is compiled again for a mutant. The properties deploy the bytecode in the folder `ATR_CODE`. The Solidity tests are
compiled once, in a separate tree, and deploy contracts by name: the bytecode of the mutant replaces the one in the artifacts.
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

from .compiler import ROOT, SOURCES, CouldNotRun, with_imports

TESTS = "contracts/test"
# Excluded: it compares bytecode, so every mutant fails it.
BYTECODE_TEST = "test_BytecodeMatchesArtifacts"
# The name of a failed invariant is on a separate line after the call sequence.
FAILED_IN_FORGE = r"^(?:\[FAIL.*\])? (\w+)\("
HARNESS = re.compile(r"new (\w+Harness)\(\)")
# No shrinking: a failure is enough. Few fuzz runs, because the properties find more.
TEST_SETTINGS = {
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
    """Hash of files and folders, given by path from the root."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        start = ROOT / path
        for file in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if file.is_file():
                digest.update(f"{file.relative_to(ROOT)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _environment(extra):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("FOUNDRY_", "PROPTEST_"))}
    return {**inherited, **TEST_SETTINGS, **extra}


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
            return "(timeout after ten minutes)"
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
    raise CouldNotRun(f"{command[0]} failed without naming a test:\n{''.join(lines[-30:])}")


class PropertiesBinary:
    """The compiled Rust properties."""

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
    """Some of the Rust properties, selected by arguments of the test binary."""

    def __init__(self, name, binary, work, *arguments):
        self.name = f"properties, {name}"
        self.needs = binary
        self.work = work
        self.arguments = arguments
        self.fingerprint = fingerprint(
            "Cargo.lock", "crates/bindings", "crates/harness", "tests/Cargo.toml", "tests/properties", "tests/support"
        )

    def run(self, codes):
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
            # An interrupted run can leave a mutant in the artifacts.
            restore(tree)
        wanted = fingerprint("foundry.toml", *_solidity())
        for tree in trees:
            mark = tree / "ready"
            if not mark.exists() or mark.read_text() != wanted:
                mark.unlink(missing_ok=True)
                if tree == trees[0]:
                    self._build(tree)
                else:
                    shutil.rmtree(tree, ignore_errors=True)
                    shutil.copytree(trees[0], tree, symlinks=True)
                mark.write_text(wanted)
            self.free.put(tree)

    def _build(self, tree):
        # Keeps the build output, so that only changed tests are compiled again.
        for path in ("contracts/src", TESTS):
            shutil.rmtree(tree / path, ignore_errors=True)
        for path in ("contracts/src", TESTS):
            shutil.copytree(ROOT / path, tree / path)
        shutil.rmtree(tree / TESTS / "gas")
        self._write_compiler(tree / "script" / "dev" / "solc")
        shutil.copy(ROOT / "foundry.toml", tree)
        shutil.rmtree(tree / "tests", ignore_errors=True)
        shutil.copytree(ROOT / "tests" / "vectors", tree / "tests" / "vectors")
        modules = tree / "contracts" / "node_modules"
        modules.unlink(missing_ok=True)
        modules.symlink_to(ROOT / "contracts" / "node_modules")
        # Deploy harnesses by name too, so that mutants of libraries can replace them.
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
    def _write_compiler(path):
        """Writes a wrapper of the compiler with a cached `--version`, which forge runs every time and takes a second."""
        path.parent.mkdir(parents=True, exist_ok=True)
        ours = (ROOT / "script" / "dev" / "solc").resolve()
        version = subprocess.run([ours, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        path.write_text(f"#!/bin/sh\ncase $1 in --version) echo '{version.strip()}' ;; *) exec '{ours}' \"$@\" ;; esac\n")
        path.chmod(0o755)

    def run_suite(self, suite, codes):
        tree = self.free.get()
        try:
            with _replaced_code(tree, codes):
                paths = "{" + ",".join(suite.files) + "}"
                command = [forge(), "test", "--fail-fast", "--match-path", paths, "--no-match-test", BYTECODE_TEST]
                return _first_failure(command, FAILED_IN_FORGE, tree, _forge_environment(tree))
        finally:
            # Remove the failures that forge would replay in the next run.
            for kind in ("fuzz", "invariant"):
                shutil.rmtree(tree / "contracts" / "cache" / kind, ignore_errors=True)
            self.free.put(tree)


def _slim(tree):
    """Removes the fields of the artifacts that tests do not need, because forge reads all artifacts every time."""
    for path in (tree / "contracts" / "out").glob("*.sol/*.json"):
        artifact = json.loads(path.read_text())
        needed = {"abi", "bytecode", "deployedBytecode", "methodIdentifiers", "id"}
        path.write_text(json.dumps({name: value for name, value in artifact.items() if name in needed}))


class _replaced_code:
    """Replaces creation code in forge's artifacts and restores it on exit. Until then the originals are in the same folder."""

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
        self.fingerprint = fingerprint("foundry.toml", *with_imports(_solidity(), self.files))

    def run(self, codes):
        return self.needs.run_suite(self, codes)


def _forge_environment(tree):
    # Git must not treat the tree as part of this repository.
    return {"GIT_CEILING_DIRECTORIES": str(tree.parent)}


def forge():
    path = os.environ.get("FORGE", "contracts/node_modules/.bin/forge")
    return str((ROOT / path).absolute()) if "/" in path else path


@functools.cache
def _solidity():
    """All sources and tests, by path from the root."""
    files = [file for folder in (SOURCES, TESTS) for file in (ROOT / folder).rglob("*.sol")]
    return {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files}


def support_sources():
    """The sources of the library harnesses."""
    return {name: text for name, text in _solidity().items() if name.startswith(f"{TESTS}/support/")}


def harnesses_around(name, sources):
    """The harnesses that use a library, its own first, each with the name of the library it exposes to tests."""
    harnesses = [path for path in sources if path.endswith("LibHarness.sol") and name in with_imports(sources, [path])]
    named = [(path, pathlib.PurePosixPath(path).stem.removesuffix("Harness")) for path in sorted(harnesses)]
    return sorted(named, key=lambda pair: pair[1] != pathlib.PurePosixPath(name).stem)


def test_files():
    return [path.relative_to(ROOT).as_posix() for path in (ROOT / TESTS).rglob("*.t.sol")]


def tests_of(name):
    """The unit and fuzz tests of a contract or library: the name of the file or of a parent folder is its name."""
    stem = pathlib.PurePosixPath(name).stem
    kinds = (f"{TESTS}/unit/", f"{TESTS}/fuzz/")
    named = [file for file in test_files() if file.startswith(kinds)]
    return [file for file in named if stem in file.removesuffix(".t.sol").split("/")]


def invariants_of(name):
    stem = "Predicates" if "/predicates/" in name else pathlib.PurePosixPath(name).stem
    return [file for file in test_files() if file == f"{TESTS}/invariant/{stem}.t.sol"]
