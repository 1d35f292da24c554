#!/usr/bin/env bash
# After `npm ci`: are the tools there? The pinned Foundry packages exist for Linux on x86-64 only.
set -euo pipefail
missing=()
for tool in "$FORGE" "$ANVIL" "$CAST"; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]})); then
  cat >&2 <<MESSAGE
make deps: not found: ${missing[*]}
The pinned Foundry binaries come for Linux on x86-64. Elsewhere install Foundry 1.7.1 yourself and name its binaries:
  make test FORGE=forge ANVIL=anvil CAST=cast
MESSAGE
  exit 1
fi
script/dev/solc --version >/dev/null
