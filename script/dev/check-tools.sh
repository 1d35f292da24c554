#!/usr/bin/env bash
# Checks that the Foundry binaries exist. The pinned npm packages are for Linux on x86-64 only.
set -euo pipefail
missing=()
for tool in "$FORGE" "$ANVIL" "$CAST"; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]})); then
  cat >&2 <<MESSAGE
make deps: not found: ${missing[*]}
The pinned Foundry binaries are for Linux on x86-64. On other systems install Foundry 1.7.1 and pass its binaries:
  make test FORGE=forge ANVIL=anvil CAST=cast
MESSAGE
  exit 1
fi
script/dev/solc --version >/dev/null
