#!/usr/bin/env bash
# Runs the Solidity tests, writes a JUnit report to $1 for coverage-matrix, and prints failures in full.
set -euo pipefail
report=$1
mkdir -p "$(dirname "$report")"
rm -f "$report"
"$FORGE" build --quiet
status=0
"$FORGE" test --junit >"$report" || status=$?
count() { grep -oE "<testsuites [^>]*\b$1=\"[0-9]+\"" "$report" | grep -oE '[0-9]+"$' | tr -d '"' || echo 0; }
total=$(count tests) failed=$(count failures)
if ((status != 0)); then
  # Run the failed tests again with readable output.
  "$FORGE" test --rerun || true
fi
echo "forge: $((total - failed)) passed, $failed failed"
if ((total == 0)); then
  echo "no Solidity tests found: run \`rm -r contracts/out contracts/cache\` and try again" >&2
  exit 1
fi
exit "$status"
