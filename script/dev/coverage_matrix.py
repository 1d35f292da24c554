#!/usr/bin/env python3
"""Prints which requirement of tests/requirements.md is proved by which test of the last `make test`.

    coverage_matrix.py              groups, requirements with their tests, errors
    coverage_matrix.py --json       the same as JSON
    coverage_matrix.py --errors     a summary and the errors
    coverage_matrix.py --sources    the same without reports: every test that cites a requirement counts

Exit codes: 0 no errors, 1 errors, 2 usage, 3 a report is missing or stale, or a list is malformed.
"""

import collections
import json
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

MAX_CITATIONS = 4  # of one test
STATES = ["proved", "pending", "reviewed", "declined", "open"]

# Whole words only: not in CAIP-19, P-256 or X-A-01.
ID = re.compile(r"(?<![\w-])[A-Z]-\d\d(?![\w-])")
ROW = re.compile(r"^\| ([A-S]-\d\d) \| (MUST|SHOULD|MAY) \| ((?:\\\||[^|\n])+) \||^\| (T-\d\d) \| ((?:\\\||[^|\n])+) \|", re.M)
HEADING = re.compile(r"^## ([A-S]\. .+|Traps .+)$", re.M)
REVIEW = re.compile(r"\| ([A-Z]-\d\d) \| (reviewed|declined) \| [^ |].*\|")

# `cargo fmt` and `forge fmt` align the closing brace of an item with its first line.
RUST_TEST = re.compile(r"^( *)#\[(?:\w+::)*test(?:\([^\]]*)?\]\n(?:\1[ #)][^\n]*\n)*?\1(?:pub )?(?:async )?fn (\w+)(.*?)^\1\}$", re.M | re.S)
RUST_MODULE = re.compile(r"^( *)(?:pub(?:\(\w+\))? )?mod (\w+) \{$.*?^\1\}$", re.M | re.S)
CONTRACT = re.compile(r"^(abstract )?contract (\w+)(?: is ([^{]*?))?\s*\{(.*?)^\}$", re.M | re.S)
SOLIDITY_TEST = re.compile(
    r"^    function ((?:test|invariant)\w*)\([^{;]*\b(?:public|external)\b[^{;]*(\{[^\n]*\}$|\{\n.*?^    \}$)", re.M | re.S
)

# Label, cited ids, and the (suite, name) pairs of the test in the reports.
Test = collections.namedtuple("Test", "label ids cases")


class Unusable(Exception):
    """A report or a list that cannot be used."""


def parse_requirements(text):
    """Id to level and text. A trap (T-01 …) binds like a MUST."""
    rows = {}
    for match in ROW.finditer(text):
        identifier, level, row = (match[1], match[2], match[3]) if match[1] else (match[4], "TRAP", match[5])
        if identifier in rows:
            raise Unusable(f"tests/requirements.md lists {identifier} twice")
        rows[identifier] = (level, row.replace(r"\|", "|"))
    return rows


def parse_pending(text):
    """One id, or one range `A-01..A-04` within a group, per line; `#` starts a comment."""
    ids = []
    for line in text.splitlines():
        entry = line.split("#")[0].strip()
        if not entry:
            continue
        first, _, last = entry.partition("..")
        last = last or first
        if not (ID.fullmatch(first) and ID.fullmatch(last) and first[0] == last[0] and first <= last):
            raise Unusable(f"tests/pending.txt: `{entry}` is not a requirement id or an ascending range within one group")
        ids += [f"{first[0]}-{number:02}" for number in range(int(first[2:]), int(last[2:]) + 1)]
    return ids


def parse_reviews(text):
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]  # after header and rule
    matches = [REVIEW.fullmatch(row) for row in rows]
    if None in matches:
        row = rows[matches.index(None)]
        raise Unusable(f"tests/reviewed.md: expected `| id | reviewed or declined | reasoning |`, found `{row}`")
    return [match.groups() for match in matches]


def rust_suite(path):
    """Name of the test binary in nextest's report and module path of the file; None if the file is not part of a suite."""
    match path.removesuffix(".rs").split("/"):
        case ["crates", package, "src", *modules]:
            suite = f"atr-{package}"
        case ["crates", package, "tests", target, *modules]:
            suite = f"atr-{package}::{target}"
        case ["tests", ("properties" | "differential") as target, *modules]:
            suite = f"acceptance::{target}"
        case _:
            return None
    if modules and modules[-1] in ("lib", "main", "mod"):
        modules.pop()
    return suite, modules


def rust_tests(files):
    for path, text in files.items():
        if not (suite := rust_suite(path)):
            continue
        for match in RUST_TEST.finditer(text):
            inline = [module[2] for module in modules_around(text, match.start())]
            name = "::".join([*inline, match[2]])
            case = (suite[0], "::".join([*suite[1], name]))
            yield Test(f"{path}::{name}", set(ID.findall(match[3])), [case])


def modules_around(text, position, start=0):
    """The inline modules that contain a position, from the outermost."""
    for module in RUST_MODULE.finditer(text, start):
        if module.start() < position < module.end():
            yield module
            yield from modules_around(text, position, module.start() + 1 + len(module[1]))
            return


def solidity_tests(files):
    """A test in a base contract counts through the concrete contracts that inherit it without overriding it."""
    contracts = {}
    for path, text in files.items():
        for match in CONTRACT.finditer(text):
            bases = [re.split(r"[\s(.]", base.strip())[0] for base in (match[3] or "").split(",")]
            tests = {test[1]: set(ID.findall(test[2])) for test in SOLIDITY_TEST.finditer(match[4])}
            is_suite = not match[1] and path.endswith(".t.sol")
            contracts[path, match[2]] = (is_suite, bases, tests)
    found = {}
    for (path, contract), (is_suite, _, _) in contracts.items():
        lineage, seen = [(path, contract)] if is_suite else [], set()
        for owner in lineage:
            _, bases, tests = contracts[owner]
            lineage += [key for key in contracts if key[1] in bases and key not in lineage]
            for name in tests.keys() - seen:
                test = found.setdefault((owner, name), Test(f"{owner[0]}::{name}", tests[name], []))
                test.cases.append((f"{path}:{contract}", name))
            seen |= tests.keys()
    return list(found.values())


def parse_report(text, outcomes):
    """Adds the outcomes of a JUnit report. Of several runs of one test the last in this order counts: skipped, passed, failed."""
    order = ["skipped", "passed", "failed"]
    for suite in xml.etree.ElementTree.fromstring(text).iter("testsuite"):
        # nextest names the tests of a binary `package::bin/name`; forge appends the parameter types to a test's name.
        suite_name = suite.get("name").split("::bin/")[0]
        for case in suite.iter("testcase"):
            failed = case.find("failure") is not None or case.find("error") is not None
            outcome = "failed" if failed else "passed" if case.find("skipped") is None else "skipped"
            key = (suite_name, case.get("name").split("(")[0])
            outcomes[key] = max(outcome, outcomes.get(key, outcome), key=order.index)


def read_report(path, command, sources, outcomes):
    if not path.exists():
        raise Unusable(f"{path} is missing: run `{command}`")
    for source in sources:
        if os.stat(source).st_mtime > path.stat().st_mtime:
            raise Unusable(f"{path} is older than {source}: run `{command}`")
    try:
        parse_report(path.read_text(), outcomes)
    except xml.etree.ElementTree.ParseError as error:
        raise Unusable(f"{path} is not a JUnit report: run `{command}` ({error})") from error


def judge(requirements, pending, reviews, tests, outcomes):
    """Returns the state of each requirement with the tests that prove it, and the errors. `outcomes` is None without reports."""
    errors, proofs = [], collections.defaultdict(list)
    for name, ids in [("pending.txt", pending), ("reviewed.md", [identifier for identifier, _ in reviews])]:
        errors += [f"tests/{name} lists {each}, which is not in tests/requirements.md" for each in ids if each not in requirements]
        errors += [f"tests/{name} lists {each} twice" for each, count in collections.Counter(ids).items() if count > 1]
    for label, ids, cases in tests:
        cited = ", ".join(sorted(ids))
        errors += [f"{label} cites {each}, which is not in tests/requirements.md" for each in ids if each not in requirements]
        if len(ids) > MAX_CITATIONS:
            errors.append(f"{label} cites {len(ids)} requirements ({cited}); the limit is {MAX_CITATIONS}: split the test")
        results = ["passed"] if outcomes is None else [outcomes[case] for case in cases if case in outcomes]
        if "failed" in results:
            errors.append(f"{label} cites {cited} but failed")
        elif "passed" in results:
            for each in ids:
                proofs[each].append(label)
        elif ids:
            reason = "was skipped" if results else "is not in the test report: run `make test`"
            errors.append(f"{label} cites {cited} but {reason}")
    states = {}
    for each, (level, _) in requirements.items():
        found = ["proved"] * (each in proofs) + ["pending"] * (each in pending)
        found += [state for reviewed, state in reviews if reviewed == each][:1]
        states[each] = (found or ["open"])[0]
        if not found:
            errors.append(f"{each} ({level}) is not cited by a test that passed, nor listed in tests/pending.txt or tests/reviewed.md")
        elif len(found) > 1:
            errors.append(f"{each} is {' and '.join(found)}, not only one of them {proofs[each]}")
        elif found == ["declined"] and level not in ("SHOULD", "MAY"):
            errors.append(f"{each} ({level}) is declined: only SHOULD and MAY can be declined")
    return states, proofs, errors


def counts(states, group=""):
    """Number of requirements of a group in each state."""
    found = [state for each, state in states.items() if each.startswith(group)]
    return {state: found.count(state) for state in STATES}


def summary(states, errors):
    total = "".join(f", {count} {state}" for state, count in counts(states).items())
    return f"{len(states)} requirements{total}; {len(errors)} errors\n" + "".join(f"- {error}\n" for error in errors)


def table(titles, requirements, states, proofs):
    def line(title, cells):
        return f"{title:<46}" + "".join(f" {cell:>8}" for cell in cells)

    lines = [line("group", STATES), *(line(title, counts(states, title[0]).values()) for title in titles)]
    lines += [line("total", counts(states).values()), "", "id    level   state     proved by"]
    for each, (level, _) in requirements.items():
        tests = f"\n{'':24}".join(proofs[each])
        lines.append(f"{each:<5} {level:<7} {states[each]:<9} {tests}".rstrip())
    return "\n".join(lines) + "\n\n"


def main(arguments):
    if len(arguments) > 1 or not set(arguments) <= {"--json", "--errors", "--sources"}:
        print(__doc__, file=sys.stderr)
        return 2
    os.chdir(pathlib.Path(__file__).resolve().parents[2])

    def files(folder, ending):
        return {path.as_posix(): path.read_text() for path in sorted(pathlib.Path(folder).rglob(f"*{ending}"))}

    text = {name: pathlib.Path("tests", name).read_text() for name in ["requirements.md", "pending.txt", "reviewed.md"]}
    solidity = files("contracts/test", ".sol")
    rust = files("crates", ".rs") | files("tests/properties", ".rs") | files("tests/differential", ".rs")
    try:
        requirements = parse_requirements(text["requirements.md"])
        pending, reviews = parse_pending(text["pending.txt"]), parse_reviews(text["reviewed.md"])
        outcomes = None
        if arguments != ["--sources"]:
            outcomes = {}
            sources = solidity | files("contracts/src", ".sol")
            read_report(pathlib.Path("target/reports/sol.xml"), "make test-sol", sources, outcomes)
            # nextest's store is below the workspace root, whatever CARGO_TARGET_DIR is.
            read_report(pathlib.Path("target/nextest/default/junit.xml"), "make test-rust", rust, outcomes)
    except Unusable as error:
        print(f"coverage-matrix: {error}", file=sys.stderr)
        return 3
    tests = [*solidity_tests(solidity), *rust_tests(rust)]
    states, proofs, errors = judge(requirements, pending, reviews, tests, outcomes)
    titles = HEADING.findall(text["requirements.md"])
    if arguments == ["--json"]:
        rows = [
            {"id": each, "level": level, "state": states[each], "text": row, "tests": proofs[each]}
            for each, (level, row) in requirements.items()
        ]
        groups = {title[0]: counts(states, title[0]) for title in titles}
        print(json.dumps({"ok": not errors, "groups": groups, "requirements": rows, "errors": errors}, indent=2, ensure_ascii=False))
    else:
        if not arguments:
            print(table(titles, requirements, states, proofs), end="")
        print(summary(states, errors), end="")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
