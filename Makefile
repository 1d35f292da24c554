# Every chore of this repository. `make help` lists them; CI runs these targets and nothing else.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The pinned binaries, unless FORGE= (ANVIL=, CAST=) names another: formatter, lints and snapshots differ by version.
BIN := contracts/node_modules/.bin
FORGE ?= $(BIN)/forge
ANVIL ?= $(BIN)/anvil
CAST ?= $(BIN)/cast
export FORGE ANVIL CAST

# Fuzz ladder: 256 runs at the desk, 1,000 in CI, 100,000 in `make deep`.
FOUNDRY_PROFILE ?= $(if $(filter true,$(CI)),ci,default)
export FOUNDRY_PROFILE
export FOUNDRY_DISABLE_NIGHTLY_WARNING := 1
# Failing property tests take minutes to print a backtrace nobody asked for.
export RUST_BACKTRACE ?= 0

NEXTEST_VERSION := 0.9.143
DENY_VERSION := 0.20.2
SLITHER_VERSION := 0.11.6
CARGO_MUTANTS_VERSION := 27.1.0
# Crates without sockets, files, clock or environment: quick to test, so worth mutating whole.
PURE_CRATES := atr-bindings atr-ids atr-manifest atr-schema
HALMOS_VERSION := 0.3.3
FUZZ_VERSION := 0.13.2
REPORTS := target/reports
MANIFEST_JS := crates/manifest/benches/js

.PHONY: help
help: ## This list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##### Setting up

.PHONY: deps
deps: contracts/node_modules/.stamp $(MANIFEST_JS)/node_modules/.stamp ## Install what the lock files pin (quick when nothing changed)
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest@$(NEXTEST_VERSION)

contracts/node_modules/.stamp: contracts/package.json contracts/package-lock.json
	npm ci --prefix contracts --no-audit --no-fund --loglevel=error
	@script/dev/check-tools.sh
	@touch $@

$(MANIFEST_JS)/node_modules/.stamp: $(MANIFEST_JS)/package.json $(MANIFEST_JS)/package-lock.json
	npm ci --prefix $(MANIFEST_JS) --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: build
build: deps ## Compile contracts and crates
	$(FORGE) build
	cargo build --workspace --all-targets

##### Testing

.PHONY: test
test: test-sol test-rust architecture ## All tests

.PHONY: test-sol
test-sol: deps ## Solidity: unit, fuzz, invariants, gas snapshots
	@script/dev/test-sol.sh $(REPORTS)/sol.xml

.PHONY: test-rust
test-rust: deps ## Rust: every suite but `architecture`
	cargo nextest run --workspace -E 'not binary(architecture)'
	cargo test --workspace --doc --quiet

.PHONY: architecture
architecture: ## Crate layers, layout rules, requirements proved by tests that passed
	cargo test --quiet -p acceptance --test architecture
	@cargo run --quiet -p acceptance --bin coverage-matrix -- --errors

.PHONY: coverage-matrix
coverage-matrix: ## Requirements and the tests of the last `make test` that prove them
	@cargo run --quiet -p acceptance --bin coverage-matrix -- $(ARGS)

.PHONY: deep
deep: deps ## Every property, fuzz test and invariant on 100,000 inputs, from the fixed seed and this week's (hours; goes on where it stopped)
	@script/dev/deep.py $(ARGS)

.PHONY: deep-manifest
deep-manifest: deps ## Our canonical form against two others on 100,000 random documents
	ATR_DIFFERENTIAL_DOCUMENTS=100000 cargo nextest run --release --profile architecture -p atr-manifest -E 'test(/^differential/)'

# Seconds for each target.
FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: ## Fuzz every parser for a minute each (FUZZ_SECONDS=600 for longer)
	@command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz@$(FUZZ_VERSION)
	@for target in document manifest ids schema requirements; do \
	  mkdir -p tests/fuzz/corpus/$$target && cp tests/vectors/manifest/*.json tests/fuzz/corpus/$$target/ && \
	  cargo fuzz run --fuzz-dir tests/fuzz --sanitizer none $$target -- -dict=tests/fuzz/json.dict -max_len=16384 \
	    -max_total_time=$(FUZZ_SECONDS) || exit 1; done

.PHONY: seeded
seeded: deps ## Plant known bugs one by one and see that properties and Solidity suites catch each by name
	@script/dev/seeded.sh

.PHONY: mutants
mutants: ## Change contracts and pure crates in every small way and see that the suites notice (long)
	@$(MAKE) --no-print-directory mutants-sol ARGS=
	@$(MAKE) --no-print-directory mutants-rust ARGS=

.PHONY: mutants-sol
mutants-sol: deps ## The contracts alone (ARGS='--only URITextLib')
	@script/dev/mutants.py $(ARGS)

.PHONY: mutants-rust
mutants-rust: deps ## The pure crates alone, with cargo-mutants (PURE_CRATES=atr-ids ARGS=--jobs=2)
	@cargo mutants --version 2>/dev/null | grep -qF '$(CARGO_MUTANTS_VERSION)' || \
	  cargo install --locked cargo-mutants@$(CARGO_MUTANTS_VERSION)
	@script/dev/mutants_rust.py $(PURE_CRATES) $(ARGS)

.PHONY: prove
prove: deps .venv/halmos/.stamp ## Prove what contracts/test/symbolic states for every value, at sampled lengths, and that planted bugs are refuted
	@script/dev/prove.py .venv/halmos/bin/python $(ARGS)

.venv/halmos/.stamp:
	python3 -m venv .venv/halmos
	.venv/halmos/bin/pip install --quiet --disable-pip-version-check halmos==$(HALMOS_VERSION)
	@touch $@

##### Figures

.PHONY: gas
gas: deps ## Gas table beside the reference's; fails above the ratios we hold ourselves to
	@$(FORGE) test --match-path 'contracts/test/gas/*' --quiet
	@script/dev/gas.py

.PHONY: bench-verify
bench-verify: deps ## atr verify --all over 1,000 tools on loopback, beside fetching alone; fails above three times
	@cargo build --quiet --release -p atr-cli -p acceptance --bin atr --bin bench-verify
	@$${CARGO_TARGET_DIR:-target}/release/bench-verify $${CARGO_TARGET_DIR:-target}/release/atr $(ARGS)

.PHONY: evidence
evidence: ## Run what README's "How we know" is made of, and write its table (hours; ONLY="prove deep" for some)
	@script/dev/evidence.py README.md $(ONLY)

.PHONY: snapshots
snapshots: deps ## Take new gas snapshots and rewrite README's table (look at the diff!)
	FORGE_SNAPSHOT_CHECK=false $(FORGE) test --match-path 'contracts/test/gas/*' --quiet
	@script/dev/gas.py --readme README.md

.PHONY: bench-manifest
bench-manifest: deps ## Our manifest pipeline against npm's in CPU time, and its memory; fails below the ratios we hold ourselves to
	@cargo bench --quiet -p atr-manifest --bench manifest
	@cargo bench --quiet -p atr-manifest --bench memory

.PHONY: artifacts
artifacts: deps ## Compile the contracts into crates/bindings/artifacts
	cargo run --quiet -p atr-artifacts

##### Tidying

.PHONY: fmt
fmt: deps ## Format everything
	$(FORGE) fmt
	cargo fmt --all

.PHONY: lint
lint: deps ## Formatting, lints (warnings are errors), dependencies' licences and sources, README's table
	$(FORGE) fmt --check
	# Apart from the builds: what it compiles has no bytecode, and forge would take it for up to date.
	FOUNDRY_OUT=target/lint/out FOUNDRY_CACHE_PATH=target/lint/cache $(FORGE) lint --deny warnings
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --locked --quiet
	@script/dev/gas.py --check README.md
	@script/dev/mutants.py --check
	@if command -v cargo-deny >/dev/null; then cargo deny --config .deny.toml check bans licenses sources; \
	  else echo "cargo-deny is not installed: skipped (make cargo-deny)"; fi

.PHONY: lint-sol
lint-sol: deps .venv/slither/.stamp ## Slither on the contracts; every finding fixed or explained in contracts/slither.toml
	@script/dev/slither.py .venv/slither/bin/slither

.venv/slither/.stamp:
	python3 -m venv .venv/slither
	.venv/slither/bin/pip install --quiet --disable-pip-version-check slither-analyzer==$(SLITHER_VERSION)
	@touch $@

.PHONY: check-signers
check-signers: ## Do the signers behind features compile? Ledger, AWS and Google Cloud bring many crates: not in CI
	cargo check --locked -p atr-cli --features ledger,aws,gcp

.PHONY: cargo-deny
cargo-deny: ## Install cargo-deny
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny@$(DENY_VERSION)

.PHONY: check
check: lint test ## Everything a merge needs

##### Showing

.PHONY: demo
demo: deps ## Deploy the registry, register a tool, read it back and gate it, on a local chain (ONCE=1: do not stay)
	@script/dev/demo.sh
