#!/usr/bin/env python3
"""Prints the gas table from the committed snapshots, beside the reference's figures.

    gas.py                    the whole table, for a terminal
    gas.py --readme FILE      writes the short table between FILE's gas marks
    gas.py --check FILE       exits 1 if the short table in FILE is out of date

Exits 1 when an operation is above the ratio it is held to in reference.json.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SNAPSHOTS = ROOT / "contracts" / "snapshots"
REFERENCE = ROOT / "contracts" / "test" / "gas" / "reference.json"
MARKS = re.compile(r"(<!-- gas: begin[^>]*-->\n).*?(<!-- gas: end -->)", re.S)

# EIP-8037 prices new state by the byte. Two of its drafts' prices; what a new word or contract costs today beyond the
# work itself makes way for them.
STATE_BYTE_PRICES = (662, 1174)
SLOT_BYTES, ACCOUNT_BYTES = 32, 112
SLOT_SET_TODAY, SLOT_SET_REGULAR = 20_000, 2_900
CREATE_TODAY, CREATE_REGULAR = 32_000, 9_000
CODE_BYTE_TODAY, CODE_HASH_WORD = 200, 6


def snapshot(name, contract="ToolRegistry"):
    path = SNAPSHOTS / f"{contract}.{name}.json"
    return {key: int(value) for key, value in json.loads(path.read_text()).items()}


def with_state_prices(gas, new_slots, code_bytes, price):
    """The same gas if new state were charged by the byte."""
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


def predicate_rows():
    """Every measured predicate; those the reference has too with its figure."""
    reference = {row["operation"]: row for row in json.loads(REFERENCE.read_text())["predicates"]}
    measured, needs = snapshot("execution", "Predicates"), snapshot("needs", "Predicates")
    unknown = reference.keys() - measured.keys()
    if unknown:
        sys.exit(f"reference.json names predicates that were not measured: {', '.join(sorted(unknown))}")
    # Numbers in names sort as numbers.
    for name in sorted(measured, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]):
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
    return "\n".join(lines) + "\n"


def print_whole_table():
    print("Gas, ToolRegistry. Transaction level net of refunds, or execution level (x) where nothing is written;")
    print("cold, 67-byte well-known URI. In brackets: ratio to the reference. Modelled: EIP-8037 at 662 and 1,174 a byte.\n")
    head = f"{'operation':<35}{'reference':>11}{'atr':>11}  {'ratio':>6}{'at most':>9}{'new slots':>11}"
    print(head + "".join(f"{f'at {price:,}/byte':>20}" for price in STATE_BYTE_PRICES))
    for row in rows():
        mark = " x" if row["level"] == "execution" else "  "
        line = f"{row['operation'] + mark:<35}{row['gas']:>11,}{row['ours']:>11,}  {row['ratio']:>6.3f}{row['atMost']:>9.2f}"
        line += f"{'{} → {}'.format(*row['slots']):>11}"
        line += "".join(f"{f'{gas:,} ({ratio:.2f})':>20}" for gas, ratio in row["modelled"])
        print(line + ("   TOO MUCH" if row["ratio"] > row["atMost"] else ""))

    reference, sizes, reads = json.loads(REFERENCE.read_text()), snapshot("bytes"), snapshot("reads")
    print(f"\nruntime code {sizes['runtime']:,} bytes (reference {reference['runtimeBytes']:,}), init code {sizes['init code']:,}")
    print(f"storage words read before the predicate is asked: open {reads['tryHasAccess, open']}, gated {reads['tryHasAccess, gated']}")

    print("\nPredicates: hasAccess, execution, cold, for a holder of the last of that many entries (real OpenZeppelin\ntokens). Needs: the least gas that gives an answer, which a composite has to give it:")
    print(f"{'predicate and entries':<55}{'needs':>9}{'reference':>11}{'atr':>11}  {'ratio':>6}{'at most':>9}")
    for row in predicate_rows():
        theirs = f"{row['reference']['gas']:,}" if row["reference"] else ""
        needs = f"{row['needs']:,}" if row["needs"] else ""
        line = f"{row['operation']:<55}{needs:>9}{theirs:>11}{row['ours']:>11,}"
        if row["reference"]:
            line += f"  {row['ratio']:>6.3f}{row['reference']['atMost']:>9.2f}"
            line += "   TOO MUCH" if row["ratio"] > row["reference"]["atMost"] else ""
        print(line)

    lists = snapshot("execution", "Lists")
    counts = sorted(int(name.rsplit(" ", 1)[1]) for name in lists if name.startswith("from code"))
    print("\nReading a list of so many words, execution, cold:   " + "".join(f"{count:>9}" for count in counts))
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
            print_whole_table()
        case ["--readme", path]:
            text = pathlib.Path(path).read_text()
            pathlib.Path(path).write_text(MARKS.sub(lambda m: m[1] + short_table() + m[2], text))
        case ["--check", path]:
            found = MARKS.search(pathlib.Path(path).read_text())
            if not found or found[0] != found[1] + short_table() + found[2]:
                sys.exit(f"{path}: the gas table is out of date; run `make snapshots`")
        case _:
            sys.exit(__doc__)
    above = [row["operation"] for row in rows() if row["ratio"] > row["atMost"]]
    compared = (row for row in predicate_rows() if row["reference"])
    above += [row["operation"] for row in compared if row["ratio"] > row["reference"]["atMost"]]
    if above:
        sys.exit("above the ratio they are held to: " + "; ".join(above))


main()
