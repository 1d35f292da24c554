#!/usr/bin/env python3
"""Proves the checks of contracts/test/symbolic with halmos, and verifies with planted bugs that each check can fail.

    prove.py PYTHON                    everything; PYTHON is an interpreter with halmos installed
    prove.py PYTHON --only TEXT…       only checks whose names contain one of the texts, and the bugs that refute them
    prove.py PYTHON --without-bugs     only the proofs
    prove.py PYTHON --only-bugs        only the planted bugs

Exits 0 if every check is proved and every planted bug is refuted, 1 if a check is refuted or a planted bug is not, 3 if the
result is unknown: a timeout, a loop that exceeds its bound, a missing tool.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKS = ROOT / "contracts" / "test" / "symbolic"
WORK = ROOT / "target" / "prove"
SHIPPED = ROOT / "crates" / "bindings" / "artifacts"

OPTIONS = [
    "--storage-layout", "generic",  # tools use computed slots, not the Solidity layout
    "--loop", "66",  # a URI has 64 slots at most
    "--solver", "yices",
    "--solver-timeout-branching", "1",  # milliseconds; after a timeout the branch is explored
    "--solver-timeout-assertion", "60s",
    "--no-status",
]
NOT_PROVED = {2: "solver timed out", 3: "halmos got stuck", 4: "no input satisfies the assumptions", 5: "halmos failed"}
PROVED, REFUTED, UNKNOWN = 0, 1, 3


def plant(name):
    """Creates a separate project with the sources and the checks. Reuses the build cache of an earlier run."""
    tree = WORK / name
    for folder in ("contracts/src", "contracts/test/symbolic"):
        shutil.rmtree(tree / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, tree / folder)
    (tree / "script" / "dev").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "foundry.toml", tree)
    shutil.copy(ROOT / "script" / "dev" / "solc", tree / "script" / "dev")
    modules = tree / "contracts" / "node_modules"
    if not modules.exists():
        modules.symlink_to(ROOT / "contracts" / "node_modules")
    return tree


def environment():
    """The environment for halmos, which runs `forge build`: no FOUNDRY_ overrides, and output where halmos expects it."""
    forge = ROOT / os.environ.get("FORGE", "contracts/node_modules/.bin/forge")
    path = f"{forge.parent}{os.pathsep}{os.environ['PATH']}" if forge.exists() else os.environ["PATH"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOUNDRY_")}
    # Git must not treat the trees as part of this repository.
    return {**kept, "PATH": path, "FOUNDRY_OUT": "out", "FOUNDRY_CACHE_PATH": "cache",
            "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1", "GIT_CEILING_DIRECTORIES": str(WORK)}


def checks():
    """All checks, grouped by contract."""
    found = {}
    for path in sorted(CHECKS.glob("*.sol")):
        names = re.findall(r"function (check_\w+)", path.read_text())
        if names:
            found[path.stem] = names
    return found


def run(python, tree, contract, names, report, *options):
    """Runs checks of one contract and reports each result when it is available. Writes the halmos output to a log."""
    pattern = f"^({'|'.join(names)})\\("
    command = [python, "-P", str(ROOT / "script" / "dev" / "prover.py"), "--root", str(tree), "--contract", contract,
               "--match-test", pattern, *OPTIONS, *options]
    log = WORK / f"{tree.name}-{contract}.log"
    output = []
    with subprocess.Popen(command, cwd=tree, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        try:
            for line in process.stdout:
                if line.startswith("RESULT "):
                    result = json.loads(line.removeprefix("RESULT "))
                    report(result)
                    names = [name for name in names if name != result["check"]]
                else:
                    output.append(line)
        except BaseException:
            process.kill()
            raise
    log.write_text("".join(output))
    for name in names:
        report({"check": name, "exitcode": 5, "paths": 0, "stuck": 0, "loops": 0, "seconds": 0.0})
    return "".join(output)


def verdict(result):
    if result["exitcode"] == 1:
        return REFUTED, "REFUTED"
    if result["exitcode"] != 0:
        return UNKNOWN, "not proved: " + NOT_PROVED.get(result["exitcode"], f"halmos exit code {result['exitcode']}")
    if result["loops"]:
        return UNKNOWN, "not proved: loop bound exceeded"
    if result["stuck"]:
        return UNKNOWN, "not proved: halmos got stuck"
    return PROVED, "proved"


def worst_of(codes):
    """Refuted takes precedence over unknown."""
    return REFUTED if REFUTED in codes else max(codes, default=PROVED)


def counterexamples(output):
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    return re.findall(r"Counterexample:.*?(?=\n\S|\Z)", plain, re.S)


def sentence(check):
    words = re.findall(r"[A-Z]{2,}\d*s?(?![a-z])|[A-Z][a-z]*\d*", check.removeprefix("check_"))
    text = " ".join(word if len(word) > 1 and word[:2].isupper() else word.lower() for word in words)
    return text[0].upper() + text[1:]


def prove(python, wanted):
    tree = plant("sound")
    codes, paths = [], 0
    for contract, names in wanted.items():
        print(f"\n{contract}", flush=True)
        before = len(codes)

        def report(result):
            nonlocal paths
            code, text = verdict(result)
            codes.append(code)
            paths += result["paths"]
            print(f"  {sentence(result['check']):<56}{result['paths']:>7,} paths{result['seconds']:>7.1f} s  {text}", flush=True)

        output = run(python, tree, contract, names, report)
        if any(codes[before:]):
            for found in counterexamples(output):
                print("    " + found.replace("\n", "\n    "))
            print(f"    halmos log: {(WORK / f'{tree.name}-{contract}.log').relative_to(ROOT)}")
        elif "paths have not been fully explored" in output:
            codes.append(UNKNOWN)
            print("  not proved: loop bound exceeded in setUp")
    return worst_of(codes), codes.count(PROVED), paths


def different_bytes():
    """Contracts whose proved bytecode differs from the committed bytecode."""
    for path in sorted(SHIPPED.glob("*.json")):
        built = WORK / "sound" / "out" / f"{path.stem}.sol" / path.name
        if built.exists():
            code = json.loads(built.read_text())["bytecode"]["object"]
            if code.removeprefix("0x") not in path.read_text():
                yield path.stem


def bugs():
    """All planted bugs: path, checks that must refute it, and description. The first line of a patch contains both."""
    for path in sorted((CHECKS / "seeded").glob("*.patch")):
        first = path.read_text().splitlines()[0]
        names = re.findall(r"check_\w+", first)
        yield path, names, first.split(": ", 1)[-1]


def refute(python, wanted):
    home = {name: contract for contract, names in checks().items() for name in names}
    codes = []
    print("\nPlanted bugs and the checks that must refute them")
    for path, names, description in bugs():
        names = [name for name in names if name in wanted]
        if not names:
            continue
        tree = plant("broken")
        applied = subprocess.run(["git", "apply", str(path)], cwd=tree, env=environment(), capture_output=True, text=True)
        if applied.returncode:
            print(f"  {path.stem:<28}does not apply: {applied.stderr.strip()}")
            codes.append(UNKNOWN)
            continue
        print(f"  {path.stem}: {description}", flush=True)

        def report(result):
            code, text = verdict(result)
            # A check that is proved despite the planted bug is a failure.
            codes.append({REFUTED: PROVED, PROVED: REFUTED}.get(code, UNKNOWN))
            text = "refuted" if code == REFUTED else f"NOT REFUTED, {text}"
            print(f"    {sentence(result['check']):<54}{result['paths']:>7,} paths{result['seconds']:>7.1f} s  {text}", flush=True)

        for contract in sorted({home[name] for name in names}):
            run(python, tree, contract, [name for name in names if home[name] == contract], report, "--early-exit")
    return worst_of(codes), codes.count(PROVED)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("python")
    parser.add_argument("--only", nargs="+", default=[""])
    parser.add_argument("--without-bugs", action="store_true")
    parser.add_argument("--only-bugs", action="store_true")
    options = parser.parse_args()

    # Do not resolve symlinks: Python finds its virtual environment by the path of the interpreter.
    python = str(pathlib.Path(options.python).absolute())
    if not os.access(python, os.X_OK):
        print(f"{options.python} is missing; `make prove` installs it")
        return UNKNOWN
    # Stop halmos when this process is terminated.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(UNKNOWN))
    WORK.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    every = checks()
    wanted = {contract: [name for name in names if any(word in name for word in options.only)] for contract, names in every.items()}
    wanted = {contract: names for contract, names in wanted.items() if names}
    count = sum(map(len, wanted.values()))
    if not count:
        print("no check matches")
        return UNKNOWN

    codes, summary = [], []
    if not options.only_bugs:
        code, proved, paths = prove(python, wanted)
        codes.append(code)
        summary.append(f"{proved} of {count} checks proved, {paths:,} paths")
        for name in different_bytes():
            codes.append(UNKNOWN)
            print(f"{name}: the proved bytecode differs from crates/bindings/artifacts; run `make artifacts`")
    if not options.without_bugs:
        names = {name for found in wanted.values() for name in found}
        unchallenged = names - {name for _, refuting, _ in bugs() for name in refuting}
        for name in sorted(unchallenged):
            codes.append(UNKNOWN)
            print(f"{name}: no planted bug refutes it")
        code, caught = refute(python, names)
        codes.append(code)
        summary.append(f"{caught} refutations of planted bugs")
    print(f"\n{'; '.join(summary)}; {time.monotonic() - started:.0f} s")
    return worst_of(codes)


sys.exit(main())
