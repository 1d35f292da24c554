#!/usr/bin/env python3
"""Prints the gas table from the committed snapshots, compared with the reference implementation.

    gas.py                    prints the full table
    gas.py --write FILE       writes the short table between the gas markers of FILE
    gas.py --check FILE       exits 1 if the short table in FILE is out of date

Exits 1 if an operation exceeds its maximum ratio in reference.json.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SNAPSHOTS = ROOT / "contracts" / "snapshots"
REFERENCE = ROOT / "contracts" / "test" / "gas" / "reference.json"
MARKERS = re.compile(r"(<!-- gas: begin[^>]*-->\n).*?(<!-- gas: end -->)", re.S)

# EIP-8037 charges for new state per byte. These are the prices of two of its drafts. They replace the state part of the
# current costs of SSTORE and CREATE.
STATE_BYTE_PRICES = (662, 1174)
SLOT_BYTES, ACCOUNT_BYTES = 32, 112
SLOT_SET_TODAY, SLOT_SET_REGULAR = 20_000, 2_900
CREATE_TODAY, CREATE_REGULAR = 32_000, 9_000
CODE_BYTE_TODAY, CODE_HASH_WORD = 200, 6


def snapshot(name, contract="ToolRegistry"):
    path = SNAPSHOTS / f"{contract}.{name}.json"
    return {key: int(value) for key, value in json.loads(path.read_text()).items()}


def with_state_prices(gas, new_slots, code_bytes, price):
    """Gas under EIP-8037 with the given price per byte of new state."""
    gas += new_slots * (SLOT_SET_REGULAR - SLOT_SET_TODAY + SLOT_BYTES * price)
    if code_bytes:
        gas += CREATE_REGULAR - CREATE_TODAY + ACCOUNT_BYTES * price
        gas += code_bytes * (price - CODE_BYTE_TODAY) + -(-code_bytes // 32) * CODE_HASH_WORD
    return gas


def rows():
    reference = json.loads(REFERENCE.read_text())
    measured = {level: snapshot(level) for level in ("transaction", "execution")}
    new_slots, runtime = snapshot("newSlots"), snapshot("bytes")["runtime"]
    for row in reference["operations"]:
        name = row["operation"]
        deployment = name == "deployment"
        ours = measured[row["level"]][name]
        slots = (row["newSlots"], new_slots.get(name, 0))
        code = (reference["runtimeBytes"], runtime) if deployment else (0, 0)
        modelled = []
        for price in STATE_BYTE_PRICES:
            theirs = with_state_prices(row["gas"], slots[0], code[0], price)
            mine = with_state_prices(ours, slots[1], code[1], price)
            modelled.append((mine, mine / theirs))
        yield {**row, "ours": ours, "ratio": ours / row["gas"], "slots": slots, "modelled": modelled}


def natural_order(names):
    return sorted(names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)])


def predicate_rows():
    """All measured predicates, with the figure of the reference implementation if there is one."""
    reference = {row["operation"]: row for row in json.loads(REFERENCE.read_text())["predicates"]}
    measured, needs = snapshot("execution", "Predicates"), snapshot("needs", "Predicates")
    unknown = reference.keys() - measured.keys()
    if unknown:
        sys.exit(f"reference.json lists predicates without a measurement: {', '.join(sorted(unknown))}")
    for name in natural_order(measured):
        row = reference.get(name)
        yield {"operation": name, "ours": measured[name], "reference": row, "needs": needs.get(name),
               "ratio": measured[name] / row["gas"] if row else None}


def short_table():
    lines = ["| operation | reference | atr | ratio |", "|---|---:|---:|---:|"]
    for row in rows():
        name = row["operation"] + (" (execution)" if row["level"] == "execution" else "")
        lines.append(f"| {name} | {row['gas']:,} | {row['ours']:,} | {row['ratio']:.2f} |")
    for row in predicate_rows():
        if row["reference"]:
            name = f"{row['operation']} (execution)"
            lines.append(f"| {name} | {row['reference']['gas']:,} | {row['ours']:,} | {row['ratio']:.2f} |")
    configuration = snapshot("configuration", "Predicates")
    for name in natural_order(configuration):
        lines.append(f"| first configuration: {name} | | {configuration[name]:,} | |")
    return "\n".join(lines) + "\n"


def print_full_table():
    print("ToolRegistry gas. Transactions net of refunds; execution gas for view functions, marked (x).")
    print("Cold storage, 67-byte well-known URI. The last columns model EIP-8037 at 662 and 1,174 gas per byte, with the ratio to the reference.\n")
    head = f"{'operation':<35}{'reference':>11}{'atr':>11}  {'ratio':>6}{'maximum':>9}{'new slots':>11}"
    print(head + "".join(f"{f'at {price:,}/byte':>20}" for price in STATE_BYTE_PRICES))
    for row in rows():
        mark = " x" if row["level"] == "execution" else "  "
        line = f"{row['operation'] + mark:<35}{row['gas']:>11,}{row['ours']:>11,}  {row['ratio']:>6.3f}{row['atMost']:>9.2f}"
        line += f"{'{} → {}'.format(*row['slots']):>11}"
        line += "".join(f"{f'{gas:,} ({ratio:.2f})':>20}" for gas, ratio in row["modelled"])
        print(line + ("   EXCEEDED" if row["ratio"] > row["atMost"] else ""))

    reference, sizes, reads = json.loads(REFERENCE.read_text()), snapshot("bytes"), snapshot("reads")
    print(f"\nruntime code {sizes['runtime']:,} bytes (reference {reference['runtimeBytes']:,}), init code {sizes['init code']:,}")
    print(f"storage slots read before the predicate is called: open {reads['tryHasAccess, open']}, gated {reads['tryHasAccess, gated']}")

    print("\nPredicates: hasAccess, execution gas, cold storage, OpenZeppelin tokens; the account holds the last entry.\nMinimum: the smallest gas limit that gives a result, required as stipend inside a composite:")
    print(f"{'predicate and entries':<55}{'minimum':>9}{'reference':>11}{'atr':>11}  {'ratio':>6}{'maximum':>9}")
    for row in predicate_rows():
        theirs = f"{row['reference']['gas']:,}" if row["reference"] else ""
        needs = f"{row['needs']:,}" if row["needs"] else ""
        line = f"{row['operation']:<55}{needs:>9}{theirs:>11}{row['ours']:>11,}"
        if row["reference"]:
            line += f"  {row['ratio']:>6.3f}{row['reference']['atMost']:>9.2f}"
            line += "   EXCEEDED" if row["ratio"] > row["reference"]["atMost"] else ""
        print(line)

    print("\nbalanceOf of an OpenZeppelin ERC-721 token, execution gas, warm account, cold storage:")
    tokens = snapshot("execution", "Tokens")
    for name in natural_order(tokens):
        print(f"{name:<55}{tokens[name]:>9,}")

    print("\nFirst configuration of a tool, transaction gas:")
    configuration = snapshot("configuration", "Predicates")
    for name in natural_order(configuration):
        print(f"{name:<55}{configuration[name]:>9,}")

    lists = snapshot("execution", "Lists")
    counts = sorted(int(name.rsplit(" ", 1)[1]) for name in lists if name.startswith("from code"))
    print("\nReading a list, execution gas, cold, number of words:" + "".join(f"{count:>9}" for count in counts))
    for how in ("from storage", "from code"):
        print(f"{how:<52}" + "".join(f"{lists[f'{how}, {count}']:>9,}" for count in counts))

    print("\nOther URIs (no reference figures):")
    transaction, execution, new_slots = snapshot("transaction"), snapshot("execution"), snapshot("newSlots")
    for name in sorted(transaction):
        if "URI" in name:
            print(f"{name:<55}{transaction[name]:>11,} transaction{execution[name]:>11,} execution{new_slots[name]:>4} new slots")


def main():
    match sys.argv[1:]:
        case []:
            print_full_table()
        case ["--write", path]:
            text = pathlib.Path(path).read_text()
            pathlib.Path(path).write_text(MARKERS.sub(lambda m: m[1] + short_table() + m[2], text))
        case ["--check", path]:
            found = MARKERS.search(pathlib.Path(path).read_text())
            if not found or found[0] != found[1] + short_table() + found[2]:
                sys.exit(f"{path}: the gas table is out of date; run `make snapshots`")
        case _:
            sys.exit(__doc__)
    above = [row["operation"] for row in rows() if row["ratio"] > row["atMost"]]
    compared = (row for row in predicate_rows() if row["reference"])
    above += [row["operation"] for row in compared if row["ratio"] > row["reference"]["atMost"]]
    if above:
        sys.exit("maximum ratio exceeded: " + "; ".join(above))


main()
