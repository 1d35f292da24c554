#!/usr/bin/env python3
"""Runs slither on contracts/src and compares its findings with contracts/slither.toml.

Exits 1 on a finding that is not accepted there, and on an accepted entry without a finding.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRIAGE = ROOT / "contracts" / "slither.toml"


def location(finding):
    """Returns contract.function or contract.variable. Local variables belong to their function."""
    if not finding["elements"]:
        return "*"
    element, names = finding["elements"][0], []
    while element:
        names.insert(0, element["name"])
        element = element.get("type_specific_fields", {}).get("parent")
    return ".".join(names[:2])


def findings(slither):
    """Runs slither on a Foundry project without tests, so that it analyzes only shipped contracts."""
    with tempfile.TemporaryDirectory() as work:
        project = pathlib.Path(work)
        shutil.copytree(ROOT / "contracts" / "src", project / "contracts" / "src")
        (project / "script" / "dev").mkdir(parents=True)
        shutil.copy(ROOT / "foundry.toml", project)
        shutil.copy(ROOT / "script" / "dev" / "solc", project / "script" / "dev")
        (project / "contracts" / "node_modules").symlink_to(ROOT / "contracts" / "node_modules")
        report = project / "report.json"
        forge = ROOT / os.environ.get("FORGE", "contracts/node_modules/.bin/forge")
        path = f"{forge.parent}{os.pathsep}{os.environ['PATH']}" if forge.exists() else os.environ["PATH"]
        run = subprocess.run(
            [slither, ".", "--json", str(report)], cwd=project, env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if not report.exists():
            sys.exit(f"slither did not finish:\n{run.stdout}")
        result = json.loads(report.read_text())
        if not result["success"]:
            sys.exit(f"slither failed: {result['error']}")
        return result["results"].get("detectors", [])


def main():
    slither = str(pathlib.Path(sys.argv[1]).absolute()) if len(sys.argv) > 1 else "slither"
    accepted = tomllib.loads(TRIAGE.read_text())["accepted"]
    unused = {(entry["check"], entry["where"]) for entry in accepted if entry["reason"].strip()}
    known = set(unused)
    found = findings(slither)
    unexplained = []
    for finding in found:
        keys = {(finding["check"], location(finding)), (finding["check"], "*")} & known
        unused -= keys
        if not keys:
            unexplained.append(finding)

    for finding in unexplained:
        print(f"{finding['check']} ({finding['impact']}) in {location(finding)}\n  {finding['description'].strip()}")
    for check, where in sorted(unused):
        print(f"contracts/slither.toml: {check} in {where} is accepted but not found")
    print(f"slither: {len(found)} findings, {len(found) - len(unexplained)} accepted in contracts/slither.toml")
    if unexplained or unused:
        sys.exit(1)


main()
