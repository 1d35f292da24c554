#!/usr/bin/env bash
# Runs every property, fuzz test and invariant on INPUTS inputs (default 100,000) per seed. Takes hours.
#   deep.sh                 with the fixed seed and with the seed of this week
#   deep.sh fixed           with the fixed seed only; or `week`, or a number
# Exits with 1 if a test fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
inputs=${INPUTS:-100000}
depth=200 # of an invariant run, as in foundry.toml
log=target/deep.log
mkdir -p target

[[ $# -gt 0 ]] || set -- fixed week
for seed in "$@"; do
  case $seed in
    fixed) seed=$((0x8257)) ;;
    week) seed=$(date -u +%G%V) ;;
  esac
  echo "deep: $inputs inputs, seed $seed"
  PROPTEST_CASES=$inputs PROPTEST_RNG_SEED=$seed \
    cargo nextest run --release --profile deep -p acceptance -E 'binary(properties)' 2>&1 | tee "$log"
  properties=$(grep -cE "\b$inputs inputs" "$log")
  FOUNDRY_PROFILE=deep FOUNDRY_FUZZ_RUNS=$inputs FOUNDRY_INVARIANT_RUNS=$(((inputs + depth - 1) / depth)) \
    "$FORGE" test --match-test '^(testFuzz|invariant)_' --fuzz-seed "$seed" 2>&1 | tee "$log"
  solidity=$(grep -cE '^\[PASS\] (testFuzz|invariant)_' "$log")
  seeds="${seeds:+$seeds, }$seed"
done
echo "$((properties + solidity)) properties, fuzz tests and invariants hold on $inputs inputs or calls each; seeds: $seeds"
