"""Accepted survivors and the reasons: contracts/test/mutants.toml."""

import tomllib

from .compiler import ROOT, CouldNotRun

PATH = "contracts/test/mutants.toml"


def read():
    """The reasons, by mutant key."""
    path = ROOT / PATH
    accepted = {}
    for entry in tomllib.loads(path.read_text()).get("accepted", []) if path.exists() else []:
        if not entry.get("reason", "").strip():
            raise CouldNotRun(f"{PATH}: the entry for {entry['file']} {entry['where']} has no reason")
        for change in entry["changes"]:
            key = (entry["file"], entry["where"], change["operator"], change["was"], change["now"], change.get("nth", 0))
            if key in accepted:
                raise CouldNotRun(f"{PATH}: duplicate entry: {key}")
            accepted[key] = entry["reason"]
    return accepted


def entry(mutant):
    """The TOML entry of a survivor, to copy into the file."""
    nth = f", nth = {mutant.nth}" if mutant.nth else ""
    was, now = (_quoted(text) for text in (mutant.was, mutant.now))
    return f'{{ operator = "{mutant.operator}", was = {was}, now = {now}{nth} }}'


def _quoted(text):
    return f"'{text}'" if "'" not in text else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
