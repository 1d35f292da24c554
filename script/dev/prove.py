#!/usr/bin/env python3
"""Proves the properties of contracts/test/symbolic, and plants bugs to see that each of them can fail.

    prove.py PYTHON                    all of it; PYTHON is one that has halmos
    prove.py PYTHON --only WORD…       only checks, and bugs refuting checks, whose names contain one of the words
    prove.py PYTHON --without-bugs     only the proofs
    prove.py PYTHON --only-bugs        only the bugs

Exits 0 if everything is proved and every bug refuted, 1 if a property is refuted or a bug is not, 3 if that could not be
found out: a timeout, a loop that was not followed to its end, a tool that is missing.
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
    "--storage-layout", "generic",  # tools lie at computed slots, not where Solidity would put them
    "--loop", "66",  # a URI has 64 slots at most
    "--solver", "yices",
    "--solver-timeout-branching", "1",  # milliseconds; a branch that cannot be ruled out by then is followed
    "--solver-timeout-assertion", "60s",
    "--no-status",
]
NOT_PROVED = {2: "solver timed out", 3: "halmos got stuck", 4: "no input gets through", 5: "halmos failed"}
PROVED, REFUTED, UNKNOWN = 0, 1, 3


def plant(name):
    """A project of its own with the sources and the checks; what was built there before is used again."""
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
    """halmos calls `forge build` itself. It reads the profile's own settings only, and writes where halmos looks."""
    forge = ROOT / os.environ.get("FORGE", "contracts/node_modules/.bin/forge")
    path = f"{forge.parent}{os.pathsep}{os.environ['PATH']}" if forge.exists() else os.environ["PATH"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOUNDRY_")}
    # The trees must not be taken for part of the repository they lie in.
    return {**kept, "PATH": path, "FOUNDRY_OUT": "out", "FOUNDRY_CACHE_PATH": "cache",
            "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1", "GIT_CEILING_DIRECTORIES": str(WORK)}


def checks():
    """Every check, by its contract."""
    found = {}
    for path in sorted(CHECKS.glob("*.sol")):
        names = re.findall(r"function (check_\w+)", path.read_text())
        if names:
            found[path.stem] = names
    return found


def run(python, tree, contract, names, report, *options):
    """Runs checks of one contract, and reports each as it is done. Everything halmos said is kept in a log."""
    pattern = f"^({'|'.join(names)})\\("
    command = [python, "-P", str(ROOT / "script" / "dev" / "prover.py"), "--root", str(tree), "--contract", contract,
               "--match-test", pattern, *OPTIONS, *options]
    log = WORK / f"{tree.name}-{contract}.log"
    said = []
    with subprocess.Popen(command, cwd=tree, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        try:
            for line in process.stdout:
                if line.startswith("RESULT "):
                    result = json.loads(line.removeprefix("RESULT "))
                    report(result)
                    names = [name for name in names if name != result["check"]]
                else:
                    said.append(line)
        except BaseException:
            process.kill()
            raise
    log.write_text("".join(said))
    for name in names:
        report({"check": name, "exitcode": 5, "paths": 0, "stuck": 0, "loops": 0, "seconds": 0.0})
    return "".join(said)


def verdict(result):
    if result["exitcode"] == 1:
        return REFUTED, "REFUTED"
    if result["exitcode"] != 0:
        return UNKNOWN, "not proved: " + NOT_PROVED.get(result["exitcode"], f"halmos says {result['exitcode']}")
    if result["loops"]:
        return UNKNOWN, "not proved: a loop was not followed to its end"
    if result["stuck"]:
        return UNKNOWN, "not proved: halmos got stuck"
    return PROVED, "proved"


def worst_of(codes):
    """What is refuted stays so, whatever could not be found out besides."""
    return REFUTED if REFUTED in codes else max(codes, default=PROVED)


def counterexamples(said):
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said)
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
            code, words = verdict(result)
            codes.append(code)
            paths += result["paths"]
            print(f"  {sentence(result['check']):<56}{result['paths']:>7,} paths{result['seconds']:>7.1f} s  {words}", flush=True)

        said = run(python, tree, contract, names, report)
        if any(codes[before:]):
            for found in counterexamples(said):
                print("    " + found.replace("\n", "\n    "))
            print(f"    all that halmos said: {(WORK / f'{tree.name}-{contract}.log').relative_to(ROOT)}")
        elif "paths have not been fully explored" in said:
            codes.append(UNKNOWN)
            print("  not proved: a loop of the set-up was not followed to its end")
    return worst_of(codes), codes.count(PROVED), paths


def different_bytes():
    """Contracts whose bytes, as proved, are not the committed ones."""
    for path in sorted(SHIPPED.glob("*.json")):
        built = WORK / "sound" / "out" / f"{path.stem}.sol" / path.name
        if built.exists():
            code = json.loads(built.read_text())["bytecode"]["object"]
            if code.removeprefix("0x") not in path.read_text():
                yield path.stem


def bugs():
    """Every planted bug: its name, the checks that must refute it, and what it is. All of it stands in its first line."""
    for path in sorted((CHECKS / "seeded").glob("*.patch")):
        first = path.read_text().splitlines()[0]
        names = re.findall(r"check_\w+", first)
        yield path, names, first.split(": ", 1)[-1]


def refute(python, wanted):
    home = {name: contract for contract, names in checks().items() for name in names}
    codes = []
    print("\nPlanted bugs, and the checks that have to refute them")
    for path, names, what in bugs():
        names = [name for name in names if name in wanted]
        if not names:
            continue
        tree = plant("broken")
        applied = subprocess.run(["git", "apply", str(path)], cwd=tree, env=environment(), capture_output=True, text=True)
        if applied.returncode:
            print(f"  {path.stem:<28}does not apply: {applied.stderr.strip()}")
            codes.append(UNKNOWN)
            continue
        print(f"  {path.stem}: {what}", flush=True)

        def report(result):
            code, words = verdict(result)
            # A proof of what is broken is as bad as a counterexample to what is not.
            codes.append({REFUTED: PROVED, PROVED: REFUTED}.get(code, UNKNOWN))
            words = "refuted" if code == REFUTED else f"NOT REFUTED, {words}"
            print(f"    {sentence(result['check']):<54}{result['paths']:>7,} paths{result['seconds']:>7.1f} s  {words}", flush=True)

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

    # Not resolved: a virtual environment is known by the path its interpreter is called by.
    python = str(pathlib.Path(options.python).absolute())
    if not os.access(python, os.X_OK):
        print(f"{options.python} is missing; `make prove` installs it")
        return UNKNOWN
    # Whoever stops this also stops halmos.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(UNKNOWN))
    WORK.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    every = checks()
    wanted = {contract: [name for name in names if any(word in name for word in options.only)] for contract, names in every.items()}
    wanted = {contract: names for contract, names in wanted.items() if names}
    count = sum(map(len, wanted.values()))
    if not count:
        print("no check has such a name")
        return UNKNOWN

    codes, told = [], []
    if not options.only_bugs:
        code, proved, paths = prove(python, wanted)
        codes.append(code)
        told.append(f"{proved} of {count} properties proved, {paths:,} paths")
        for name in different_bytes():
            codes.append(UNKNOWN)
            print(f"{name}: what was proved is not what is committed in crates/bindings/artifacts; run `make artifacts`")
    if not options.without_bugs:
        names = {name for found in wanted.values() for name in found}
        unchallenged = names - {name for _, refuting, _ in bugs() for name in refuting}
        for name in sorted(unchallenged):
            codes.append(UNKNOWN)
            print(f"{name}: no planted bug shows that it can fail")
        code, caught = refute(python, names)
        codes.append(code)
        told.append(f"{caught} refutations of planted bugs")
    print(f"\n{'; '.join(told)}; {time.monotonic() - started:.0f} s")
    return worst_of(codes)


sys.exit(main())
