#!/usr/bin/env python3
"""Prints the crate graph of the workspace as a Mermaid diagram.

    crate_graph.py                 prints the diagram
    crate_graph.py --write FILE    replaces the diagram between FILE's markers
    crate_graph.py --check FILE    exits 1 if the diagram in FILE is out of date
"""

import json
import pathlib
import re
import subprocess
import sys

MARKERS = re.compile(r"(<!-- crates: begin[^>]*-->\n).*?(<!-- crates: end -->)", re.S)


def graph():
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]
    crates = {package["name"]: package["dependencies"] for package in packages if package["name"].startswith("atr-")}
    edges = sorted(
        {
            f"    {name.removeprefix('atr-')} --> {dependency['name'].removeprefix('atr-')}"
            for name, dependencies in crates.items()
            for dependency in dependencies
            if dependency["name"] in crates and dependency["kind"] is None
        }
    )
    return "\n".join(["```mermaid", "graph TD", *edges, "```"]) + "\n"


def main(arguments):
    if not arguments:
        print(graph(), end="")
        return 0
    if len(arguments) != 2 or arguments[0] not in ("--write", "--check"):
        print(__doc__, file=sys.stderr)
        return 2
    path = pathlib.Path(arguments[1])
    text = path.read_text()
    updated, count = MARKERS.subn(lambda match: match[1] + graph() + match[2], text)
    if count != 1:
        print(f"{path}: expected one pair of crates markers, found {count}", file=sys.stderr)
        return 2
    if arguments[0] == "--write":
        path.write_text(updated)
    elif updated != text:
        print(f"{path}: the crate graph is out of date; run script/dev/crate_graph.py --write {path}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
