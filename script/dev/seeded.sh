#!/usr/bin/env bash
# Applies the planted bugs of tests/properties/seeded/*.patch one at a time to a copy of the contracts and runs the tests: the
# Rust property named in the patch must fail, and, for bugs of the registry, a Solidity test.
# Fails if a bug survives or could not be tested, if a patch does not apply or compile, if the tests fail without a bug, and if a
# property is neither named by a patch nor listed in tests/properties/seeded/README.md.
# With arguments, tests only the named bugs and skips the last check: seeded.sh creator-slot-not-cleared low-gas-denied
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
forge=${FORGE:-contracts/node_modules/.bin/forge}
if [[ $forge == */* ]]; then forge=$(cd "$root" && cd "$(dirname "$forge")" && pwd)/$(basename "$forge"); fi

seeded=$root/tests/properties/seeded
bugs=("$@")
if ((${#bugs[@]} == 0)); then
  for patch in "$seeded"/*.patch; do bugs+=("$(basename "$patch" .patch)"); done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
# Git must not treat the trees as part of a repository, and forge must not use another build.
export GIT_CEILING_DIRECTORIES=$work
unset FOUNDRY_OUT FOUNDRY_CACHE_PATH FOUNDRY_PROFILE PROPTEST_CASES PROPTEST_RNG_SEED
# Shrinking is not needed to detect a bug.
export FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT=0 FOUNDRY_INVARIANT_SHOW_METRICS=false

# Creates a project under $work/$1 with the given tests.
plant() {
  local tree=$work/$1 tests=contracts/test path
  shift
  mkdir -p "$tree/contracts" "$tree/script/dev" "$tree/tests"
  cp "$root/foundry.toml" "$tree/"
  cp "$root/script/dev/solc" "$tree/script/dev/"
  cp -R "$root/tests/vectors" "$tree/tests/"
  ln -s "$root/contracts/node_modules" "$tree/contracts/node_modules"
  for path in "$@"; do
    mkdir -p "$tree/$tests/$(dirname "$path")"
    cp -R "$root/$tests/$path" "$tree/$tests/$(dirname "$path")/"
  done
}

# Compiling the tests takes most of the time. The quick round runs only the differential fuzz test and the invariants, without
# the optimizer, and detects nearly all bugs. The full round runs all tests for the remaining bugs.
plant quick BaseTest.sol mocks support fuzz/ToolRegistry/differential.t.sol invariant
plant full BaseTest.sol examples mocks support fuzz invariant unit

quick_round() {
  FOUNDRY_VIA_IR=false FOUNDRY_OPTIMIZER=false FOUNDRY_FUZZ_RUNS=200 FOUNDRY_INVARIANT_RUNS=4 round quick
}

full_round() {
  FOUNDRY_FUZZ_RUNS=256 FOUNDRY_INVARIANT_RUNS=16 round full
}

# Runs the tests of project $1 on the sources under $work and prints the result.
round() (
  cd "$work/$1"
  rm -rf contracts/src
  cp -R "$work/contracts/src" contracts/
  if ! "$forge" build --quiet >"$log" 2>&1; then
    echo "DOES NOT COMPILE"
  # Excluded: it compares bytecode with the committed artifacts, so it fails for every bug.
  elif "$forge" test --fail-fast --no-match-test '^test_BytecodeMatchesArtifacts' >"$log" 2>&1; then
    echo "SURVIVED"
  else
    name=$(sed -n '/^Failing tests:/,$p' "$log" | grep -oE '\b(test|invariant)[A-Za-z0-9_]*\(' | head -n 1 | tr -d '(' || true)
    echo "caught by ${name:-AN UNKNOWN TEST}"
  fi
)

fresh() {
  rm -rf "$work/contracts"
  mkdir "$work/contracts"
  cp -R "$root/contracts/src" "$work/contracts/"
}

# Runs the properties, or the named one, on the sources under $work, compiled without the optimizer.
plant properties
properties_round() (
  cd "$work/properties"
  rm -rf contracts/src
  cp -R "$work/contracts/src" contracts/
  if ! FOUNDRY_VIA_IR=false FOUNDRY_OPTIMIZER=false "$forge" build --quiet contracts/src >"$log" 2>&1; then
    echo "DOES NOT COMPILE"
  elif ATR_CODE=$PWD/contracts/out RUST_BACKTRACE=0 PROPTEST_MAX_SHRINK_ITERS=0 "$properties" "$@" >"$log" 2>&1; then
    echo "SURVIVED"
  elif grep -q '^test .* \.\.\. FAILED$' "$log"; then
    echo "caught"
  else
    echo "COULD NOT TEST"
  fi
)

# The tests of round $1 must pass without a bug.
require_clean() {
  fresh
  local verdict
  verdict=$("$1")
  if [[ $verdict != SURVIVED ]]; then
    cat "$log"
    echo "the tests fail without a bug: $verdict"
    exit 1
  fi
}

echo "building the properties"
built=$(cd "$root" && cargo test --quiet -p acceptance --test properties --no-run --message-format=json)
properties=$(sed -n 's/.*"executable":"\([^"]*properties-[^"]*\)".*/\1/p' <<<"$built")
listed=$("$properties" --list | sed -n 's/: test$//p')

# Properties that are not named by a patch, and wrong entries of README.md.
if (($# == 0)); then
  challenged=$(sed -n 's/^Caught by: //p' "$seeded"/*.patch | sort -u)
  excused=$(sed -n 's/^- `\([a-z0-9_:]*\)` ..*/\1/p' "$seeded/README.md" | sort -u)
  unchallenged=$(sort <<<"$listed" | comm -23 - <(sort -u <<<"$challenged"$'\n'"$excused"))
  stale=$(comm -23 <(echo "$excused") <(sort <<<"$listed"); comm -12 <(echo "$excused") <(echo "$challenged"))
  for name in $unchallenged; do echo "$name: not named by any patch"; done
  for name in $stale; do echo "$name: listed in tests/properties/seeded/README.md, but named by a patch or not a property"; done
  if [[ -n $unchallenged$stale ]]; then exit 1; fi
fi

require_clean quick_round
require_clean properties_round
failed=0
full_was_needed=0
fail() {
  echo "  $1"
  cat "$log"
  failed=1
}
for bug in "${bugs[@]}"; do
  patch=$seeded/$bug.patch
  expected=$(sed -n 's/^Caught by: //p' "$patch")
  echo "$bug"
  fresh
  if ! (cd "$work" && git apply "$patch") >"$log" 2>&1; then
    fail "DOES NOT APPLY"
    continue
  fi
  if ! grep -qx "$expected" <<<"$listed"; then
    fail "unknown property \`$expected\`"
    continue
  fi
  verdict=$(properties_round --exact "$expected")
  if [[ $verdict == caught ]]; then
    echo "  property  $expected"
  else
    fail "$verdict the property $expected"
  fi
  # Bugs of predicates are tested only with properties: compiling the Solidity tests for each would take too long. So are wrong
  # gas constants: forge has only Ethereum's gas prices.
  if grep -qE '^\+\+\+ b/contracts/src/(predicates/|libraries/(BoundedCall|Constants|MerkleProof|Stipend|Term|TermCall)Lib)' "$patch"; then continue; fi
  verdict=$(quick_round)
  if [[ $verdict == SURVIVED ]]; then
    verdict=$(full_round)
    full_was_needed=1
  fi
  if [[ $verdict =~ ^caught\ by\ (test|invariant) ]]; then
    echo "  forge     ${verdict#caught by }"
  else
    fail "$verdict"
  fi
done
if ((full_was_needed)); then require_clean full_round; fi
((failed)) || echo "${#bugs[@]} bugs, all caught"
exit "$failed"
