#!/usr/bin/env bash
# Plants the bugs of tests/properties/seeded/*.patch one at a time in a copy of the contracts, and runs the suites on each:
# the Rust properties, which must catch it by the name its patch gives, and, for bugs of the registry, the Solidity suites.
# Fails when a bug survives or could not be tried, when a patch no longer applies or compiles, when the suites fail without any bug, and when no
# patch names a property that tests/properties/seeded/README.md does not list as one without a bug.
# With arguments, only the bugs named, and not that last check: seeded.sh lost-creator aliasing-slot
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
# The trees must not be taken for part of a repository they happen to lie in, nor use somebody else's build.
export GIT_CEILING_DIRECTORIES=$work
unset FOUNDRY_OUT FOUNDRY_CACHE_PATH FOUNDRY_PROFILE PROPTEST_CASES PROPTEST_RNG_SEED
# A bug need only be found, not explained.
export FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT=0 FOUNDRY_INVARIANT_SHOW_METRICS=false

# A tree with the tests named, under $work/$1.
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

# Most of the time goes into compiling tests, so there are two rounds: the differential fuzz and the invariants, compiled
# the cheapest way, which are few files and see nearly everything; and, for what they miss, all suites as they always run.
plant quick BaseTest.sol mocks support fuzz/ToolRegistry/differential.t.sol invariant
plant whole BaseTest.sol examples mocks support fuzz invariant unit

quick_round() {
  FOUNDRY_VIA_IR=false FOUNDRY_OPTIMIZER=false FOUNDRY_FUZZ_RUNS=200 FOUNDRY_INVARIANT_RUNS=4 round quick
}

whole_round() {
  FOUNDRY_FUZZ_RUNS=256 FOUNDRY_INVARIANT_RUNS=16 round whole
}

# Runs the suites of tree $1 on the sources under $work; says what came of it.
round() (
  cd "$work/$1"
  rm -rf contracts/src
  cp -R "$work/contracts/src" contracts/
  if ! "$forge" build --quiet >"$log" 2>&1; then
    echo "DOES NOT COMPILE"
  elif "$forge" test --fail-fast >"$log" 2>&1; then
    echo "SURVIVED"
  else
    name=$(sed -n '/^Failing tests:/,$p' "$log" | grep -oE '\b(test|invariant)[A-Za-z0-9_]*\(' | head -n 1 | tr -d '(' || true)
    echo "caught by ${name:-NOTHING KNOWN}"
  fi
)

fresh() {
  rm -rf "$work/contracts"
  mkdir "$work/contracts"
  cp -R "$root/contracts/src" "$work/contracts/"
}

# The properties, or the one named, on the sources under $work compiled the cheapest way.
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
    echo "COULD NOT TRY"
  fi
)

# What the suites say without any bug, in round $1, must be nothing.
require_clean() {
  fresh
  local verdict
  verdict=$("$1")
  if [[ $verdict != SURVIVED ]]; then
    cat "$log"
    echo "the suites fail without any bug: $verdict"
    exit 1
  fi
}

echo "building the properties"
built=$(cd "$root" && cargo test --quiet -p acceptance --test properties --no-run --message-format=json)
properties=$(sed -n 's/.*"executable":"\([^"]*properties-[^"]*\)".*/\1/p' <<<"$built")
listed=$("$properties" --list | sed -n 's/: test$//p')

# Properties that no patch names, and what is listed as without a bug by mistake.
if (($# == 0)); then
  challenged=$(sed -n 's/^Caught by: //p' "$seeded"/*.patch | sort -u)
  excused=$(sed -n 's/^- `\([a-z0-9_:]*\)` ..*/\1/p' "$seeded/README.md" | sort -u)
  unchallenged=$(sort <<<"$listed" | comm -23 - <(sort -u <<<"$challenged"$'\n'"$excused"))
  stale=$(comm -23 <(echo "$excused") <(sort <<<"$listed"); comm -12 <(echo "$excused") <(echo "$challenged"))
  for name in $unchallenged; do echo "$name: no planted bug shows that it can fail"; done
  for name in $stale; do echo "$name: tests/properties/seeded/README.md lists it as without a bug, but there is one, or no such property"; done
  if [[ -n $unchallenged$stale ]]; then exit 1; fi
fi

require_clean quick_round
require_clean properties_round
failed=0
whole_was_needed=0
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
    fail "there is no property \`$expected\`"
    continue
  fi
  verdict=$(properties_round --exact "$expected")
  if [[ $verdict == caught ]]; then
    echo "  property  $expected"
  else
    fail "$verdict the property $expected"
  fi
  # Bugs of predicates are the properties' business: the Solidity suites would have to be compiled anew for each.
  if grep -qE '^\+\+\+ b/contracts/src/(predicates/|libraries/BoundedCallLib)' "$patch"; then continue; fi
  verdict=$(quick_round)
  if [[ $verdict == SURVIVED ]]; then
    verdict=$(whole_round)
    whole_was_needed=1
  fi
  if [[ $verdict =~ ^caught\ by\ (test|invariant) ]]; then
    echo "  forge     ${verdict#caught by }"
  else
    fail "$verdict"
  fi
done
if ((whole_was_needed)); then require_clean whole_round; fi
((failed)) || echo "${#bugs[@]} bugs, each caught by name"
exit "$failed"
