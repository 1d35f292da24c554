"""The pinned compiler as a long-running process, because loading it takes longer than compiling a contract."""

import functools
import json
import os
import pathlib
import posixpath
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = "contracts/src"
REMAPPINGS = {"src/": "contracts/src/", "test/": "contracts/test/"}

# Reads one standard JSON input per line and writes one output per line. Inputs contain all sources.
SERVER = """
const solc = require(require.resolve("solc", { paths: [process.argv[1]] }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(solc.compile(line) + "\\n");
});
"""


class CouldNotRun(Exception):
    """The mutants could not be tested."""


class Compiler:
    """A compiler process. Not thread-safe: each thread has its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["node", "-e", SERVER, str(ROOT / "contracts")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "NODE_OPTIONS": ""},
        )

    def close(self):
        self.process.kill()
        self.process.wait()

    def _compile(self, sources, wanted, **settings):
        request = {
            "language": "Solidity",
            "sources": {name: {"content": text.decode()} for name, text in sources.items()},
            "settings": {
                "evmVersion": settings_of_foundry()["evm_version"],
                "metadata": {"appendCBOR": False, "bytecodeHash": "none"},
                "outputSelection": wanted,
                "remappings": [f"{short}={long}" for short, long in REMAPPINGS.items()],
                **settings,
            },
        }
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise CouldNotRun("the compiler exited; run `make deps`")
        return json.loads(line)

    def syntax_trees(self, sources):
        output = self._compile(sources, {"*": {"": ["ast"]}})
        _require_no_error(output)
        return {name: source["ast"] for name, source in output["sources"].items()}

    def creation_codes(self, sources, contracts, settings):
        """Creation code by contract name; None if a contract does not compile. A contract has the name of its file."""
        wanted = {contract: {pathlib.PurePosixPath(contract).stem: ["evm.bytecode.object"]} for contract in contracts}
        output = self._compile(with_imports(sources, contracts), wanted, **settings)
        if any(error["severity"] == "error" for error in output.get("errors", ())):
            return None
        return {
            name: output["evm"]["bytecode"]["object"]
            for found in output["contracts"].values()
            for name, output in found.items()
        }


def quickest():
    return {"optimizer": {"enabled": False}, "viaIR": False}


def as_tests_are():
    quick = settings_of_foundry()["additional_compiler_profiles"][0]
    return {"optimizer": {"enabled": True, "runs": quick["optimizer_runs"]}, "viaIR": quick["via_ir"]}


def as_shipped():
    foundry = settings_of_foundry()
    return {"optimizer": {"enabled": True, "runs": foundry["optimizer_runs"]}, "viaIR": foundry["via_ir"]}


def _require_no_error(output):
    errors = [error["formattedMessage"] for error in output.get("errors", ()) if error["severity"] == "error"]
    if errors:
        raise CouldNotRun("the sources do not compile:\n" + "\n".join(errors))


@functools.cache
def settings_of_foundry():
    return tomllib.loads((ROOT / "foundry.toml").read_text())["profile"]["default"]


def read_sources():
    """All files of contracts/src, by path from the root."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted((ROOT / SOURCES).rglob("*.sol"))
    }


def imports(name, sources):
    """The imports of a file: relative paths in contracts/src, remapped paths in tests."""
    for path in re.findall(r'^import\s[^;]*?"([^"]+)";', sources[name].decode(), re.MULTILINE):
        for short, long in REMAPPINGS.items():
            if path.startswith(short):
                yield long + path.removeprefix(short)
        if path.startswith("."):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def with_imports(sources, names):
    """The given files and their transitive imports."""
    found, left = {}, list(names)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = sources[name]
            left += imports(name, sources)
    return found


def shipped_contracts(sources):
    """The files with deployable contracts: the registry and the predicates, without base contracts."""
    folders = (SOURCES, f"{SOURCES}/predicates")
    return [name for name in sources if posixpath.dirname(name) in folders]


def users_of(name, sources):
    """The deployable contracts that use a file."""
    return [user for user in shipped_contracts(sources) if name in with_imports(sources, [user])]
