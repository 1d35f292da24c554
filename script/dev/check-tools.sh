#!/usr/bin/env bash
# Checks that the Foundry binaries exist. The pinned npm packages are for Linux on x86-64 only.
set -euo pipefail
missing=()
for tool in "$FORGE" "$ANVIL" "$CAST"; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]})); then
  version=$(sed -n 's/.*forge-linux-amd64": "\(.*\)".*/\1/p' contracts/package.json)
  cat >&2 <<MESSAGE
make deps: not found: ${missing[*]}
The pinned Foundry binaries are for Linux on x86-64. On other systems install Foundry $version and pass its binaries:
  make test FORGE=forge ANVIL=anvil CAST=cast
MESSAGE
  exit 1
fi
script/dev/solc --version >/dev/null
