#!/usr/bin/env python3
"""Builds what MCP hosts and registries install, from crates/cli/mcp.

    mcp_bundle.py --check ATR MCPB               compares the sources with the binary
    mcp_bundle.py ATR MCPB FOLDER NAME URL       builds the bundle, server.json and the skill in FOLDER

ATR is the binary and MCPB the packer of npm. NAME is the name in the registry, URL the folder where the bundle is published.
"""

import hashlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "crates/cli/mcp"
SKILL = "agent-tool-registry"
# The namespace of the name is that of the publisher.
NAME = re.compile(r"[a-z0-9.-]+\.[a-z0-9-]+/[a-zA-Z0-9._-]+")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def version(atr):
    return run(atr, "--version").split()[1]


def commands(text):
    """The commands of code blocks and code spans."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.S | re.M)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines + re.findall(r"`(atr [^`]+)`", text) if line.startswith("atr ")]


def unknown_parts(atr, command):
    """Commands and flags that the help of the binary does not have."""
    words = shlex.split(command)[1:]
    path = []
    for word in words:
        if not re.fullmatch(r"[a-z0-9-]+", word) or word.startswith("-"):
            break
        candidate = subprocess.run([atr, *path, word, "--help"], capture_output=True, text=True, check=False)
        if candidate.returncode != 0 or (path and candidate.stdout == run(atr, *path, "--help")):
            break
        path.append(word)
    if not path:
        return [command]
    text = run(atr, *path, "--help")
    flags = [word.split("=")[0] for word in words if word.startswith("--")]
    return [f"{command}: {flag}" for flag in flags if not re.search(rf"(?<![\w-]){flag}(?![\w-])", text)]


def listed_tools(atr):
    """The tools that the binary lists, against an index that is not asked."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "check", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    process = subprocess.Popen(
        [atr, "mcp", "--api", "http://127.0.0.1:9"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    process.stdin.close()
    process.wait(timeout=30)
    return [tool["name"] for tool in answer["result"]["tools"]]


def server(template, values):
    """server.json with its values, checked by the rules of the registry."""
    for name, value in values.items():
        template = template.replace("{" + name + "}", value)
    document = json.loads(template)
    package = document["packages"][0]
    rules = {
        "name is not <reverse DNS>/<name>": NAME.fullmatch(document["name"]),
        "description has more than 100 characters": len(document["description"]) <= 100,
        "fileSha256 is not a hash": re.fullmatch("[0-9a-f]{64}", package["fileSha256"]),
        "identifier is not an https URL with mcp in it": re.fullmatch(r"https://\S*mcp\S*", package["identifier"]),
        "a value is missing": not re.search(r"{[a-z0-9]+}", template),
    }
    failed = [rule for rule, holds in rules.items() if not holds]
    if failed:
        sys.exit(f"server.json: {'; '.join(failed)}")
    return document


def check(atr, mcpb):
    problems = []
    manifest = json.loads((SOURCES / "manifest.json").read_text())
    if manifest["version"] != version(atr):
        problems.append(f"manifest.json has version {manifest['version']}, the binary {version(atr)}")
    named = [tool["name"] for tool in manifest["tools"]]
    if named != listed_tools(atr):
        problems.append(f"manifest.json has the tools {named}, the binary {listed_tools(atr)}")
    skill = (SOURCES / SKILL / "SKILL.md").read_text()
    front = re.match(r"---\nname: (\S+)\ndescription: (.+)\n(?:.+\n)*---\n", skill)
    if not front or front[1] != SKILL or len(front[2]) > 1024:
        problems.append("SKILL.md: the name is not that of its folder, or the description has more than 1,024 characters")
    configurations = json.dumps(manifest["server"]["mcp_config"]["args"])
    texts = [skill, (SOURCES / "README.md").read_text()]
    arguments = re.findall(r'\["mcp"[^\]]*\]', configurations + "".join(texts), re.S)
    found = [command for text in texts for command in commands(text)]
    found += ["atr " + shlex.join(json.loads(array)) for array in arguments]
    if len(found) < 15:
        problems.append(f"only {len(found)} commands were found in the texts")
    for command in found:
        problems += [f"unknown: {part}" for part in unknown_parts(atr, command)]
    values = {"name": "com.example/atr", "version": version(atr), "sha256": "0" * 64}
    server((SOURCES / "server.json").read_text(), values | {"url": "https://example.com", "bundle": "x.mcpb"})
    print(run(mcpb, "validate", str(SOURCES / "manifest.json")).strip().splitlines()[-1])
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def build(atr, mcpb, folder, name, url):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    bundle = f"atr-mcp-{version(atr)}-linux.mcpb"
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "server").mkdir()
        shutil.copy(atr, work / "server/atr")
        shutil.copy(SOURCES / "manifest.json", work)
        run(mcpb, "pack", str(work), str(folder / bundle))
    digest = hashlib.sha256((folder / bundle).read_bytes()).hexdigest()
    values = {"name": name, "version": version(atr), "sha256": digest, "url": url.rstrip("/"), "bundle": bundle}
    document = server((SOURCES / "server.json").read_text(), values)
    (folder / "server.json").write_text(json.dumps(document, indent=2) + "\n")
    shutil.copytree(SOURCES / SKILL, folder / SKILL)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            print(f"{path} ({path.stat().st_size} bytes)")
    return 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--check":
        return check(*arguments[1:])
    if len(arguments) == 5:
        return build(*arguments)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
