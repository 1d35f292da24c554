# `make help` lists the targets. CI runs only these targets (.ci/run).
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The pinned Foundry binaries. FORGE=, ANVIL= and CAST= select others; formatter, lints and snapshots differ by version.
BIN := contracts/node_modules/.bin
FORGE ?= $(BIN)/forge
ANVIL ?= $(BIN)/anvil
CAST ?= $(BIN)/cast
export FORGE ANVIL CAST

# Fuzz runs: 256 locally, 1,000 in CI, 100,000 in `make deep`.
FOUNDRY_PROFILE ?= $(if $(filter true,$(CI)),ci,default)
export FOUNDRY_PROFILE
export FOUNDRY_DISABLE_NIGHTLY_WARNING := 1
# Backtraces of failing property tests take minutes to print.
export RUST_BACKTRACE ?= 0

NEXTEST_VERSION := 0.9.143
DENY_VERSION := 0.20.2
SLITHER_VERSION := 0.11.6
CARGO_MUTANTS_VERSION := 27.1.0
HALMOS_VERSION := 0.3.3
FUZZ_VERSION := 0.13.2
# Crates without I/O, clock and environment.
PURE_CRATES := atr-agent-card atr-bindings atr-ids atr-manifest atr-schema
# Crates of `make mutants-rust`. Tests of the others start nodes and servers: hours for each crate.
CRATES ?= atr-rpc atr-deploy atr-registry atr-fetch atr-verify atr-cli $(PURE_CRATES)
REPORTS := target/reports
MANIFEST_JS := crates/manifest/benches/js
# Also the packages of the facilitator of `atr dev`.
CLIENTS := tests/clients
CARD_JS := crates/agent-card/tests/js
# Compiled contracts of ENS.
ENS := tests/ens

.PHONY: help
help: ## Print this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 } \
	  /^##### / { printf "\n%s\n", substr($$0, 7) }' $(MAKEFILE_LIST)

##### Set-up

.PHONY: deps
deps: contracts/node_modules/.stamp $(MANIFEST_JS)/node_modules/.stamp $(CARD_JS)/node_modules/.stamp $(ENS)/node_modules/.stamp ## Install the pinned dependencies
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest@$(NEXTEST_VERSION)

contracts/node_modules/.stamp: contracts/package.json contracts/package-lock.json
	npm ci --prefix contracts --no-audit --no-fund --loglevel=error
	@script/dev/check-tools.sh
	@touch $@

$(MANIFEST_JS)/node_modules/.stamp: $(MANIFEST_JS)/package.json $(MANIFEST_JS)/package-lock.json
	npm ci --prefix $(MANIFEST_JS) --no-audit --no-fund --loglevel=error
	@touch $@

$(CARD_JS)/node_modules/.stamp: $(CARD_JS)/package.json $(CARD_JS)/package-lock.json
	npm ci --prefix $(CARD_JS) --no-audit --no-fund --loglevel=error
	@touch $@

$(ENS)/node_modules/.stamp: $(ENS)/package.json $(ENS)/package-lock.json
	npm ci --prefix $(ENS) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: build
build: deps ## Compile contracts and crates
	$(FORGE) build
	cargo build --workspace --all-targets

.PHONY: artifacts
artifacts: deps ## Compile the contracts into crates/bindings/artifacts
	cargo run --quiet -p atr-artifacts

.PHONY: demo
demo: deps $(CLIENTS)/node_modules/.stamp ## Run the main workflow on a local chain (ONCE=1 exits)
	@script/dev/demo.sh

##### Tests

.PHONY: quick
quick: deps ## Fast tests only, under two minutes when warm
	@start=$$(date +%s); \
	$(FORGE) test --match-path 'contracts/test/{unit,fuzz,examples}/**' --summary && \
	cargo nextest run --workspace --profile quick && \
	echo "make quick: $$(($$(date +%s) - start)) s"

.PHONY: test
test: test-sol test-rust architecture ## All tests

.PHONY: test-sol
test-sol: deps ## Solidity: unit, fuzz, invariants, gas snapshots
	@script/dev/test-sol.sh $(REPORTS)/sol.xml

.PHONY: test-rust
test-rust: deps $(CLIENTS)/node_modules/.stamp ## Rust: all suites except `architecture`
	cargo nextest run --workspace -E 'not binary(architecture)'
	cargo test --workspace --doc --quiet

.PHONY: test-clients
test-clients: deps $(CLIENTS)/node_modules/.stamp .venv/clients/.stamp ## Public x402 clients against `atr gate`, MCP clients against `atr mcp`
	# The same packages as `make demo`, so that nothing is compiled again.
	cargo build --quiet -p atr-cli -p atr-loopback
	ATR="$$(realpath "$${CARGO_TARGET_DIR:-target}/debug/atr")" ANVIL=$(abspath $(ANVIL)) PYTHON=$(abspath .venv/clients/bin/python) \
	  node --test --test-reporter=spec $(CLIENTS)/gate.test.mjs $(CLIENTS)/mcp.test.mjs

# Name in the MCP registry and place of the bundle: the publisher's.
MCP_NAME ?= com.example/atr
MCP_URL ?= https://example.com/mcp
MCPB := $(CLIENTS)/node_modules/.bin/mcpb

.PHONY: mcp-check
mcp-check: $(CLIENTS)/node_modules/.stamp ## Bundle, server.json, skill and configuration of MCP against the binary
	cargo build --quiet -p atr-cli -p atr-loopback
	@script/dev/mcp_bundle.py --check "$${CARGO_TARGET_DIR:-target}/debug/atr" $(MCPB)

.PHONY: mcp-bundle
mcp-bundle: $(CLIENTS)/node_modules/.stamp ## Bundle, server.json and skill in target/mcp (MCP_NAME=, MCP_URL=)
	cargo build --quiet --release -p atr-cli --bin atr
	@script/dev/mcp_bundle.py "$${CARGO_TARGET_DIR:-target}/release/atr" $(MCPB) target/mcp $(MCP_NAME) $(MCP_URL)

CHROMIUM ?= /usr/bin/chromium
# The browser is installed in CI, where the user is root.
.PHONY: chromium
chromium:
	@test -x $(CHROMIUM) || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; } || \
	  { echo "install chromium, or set CHROMIUM= to its path"; exit 1; }

EXPLORER_TEST = cargo build --quiet -p atr-api --example sample-index && \
	  EXPLORER="$$(realpath "$${CARGO_TARGET_DIR:-target}/debug/examples/sample-index")" CHROMIUM=$(CHROMIUM)

.PHONY: test-explorer
test-explorer: chromium $(CLIENTS)/node_modules/.stamp ## The explorer in Chromium: use, accessibility, attacks
	$(EXPLORER_TEST) node --test --test-reporter=spec $(CLIENTS)/explorer.test.mjs

.PHONY: screenshots
screenshots: chromium $(CLIENTS)/node_modules/.stamp ## Screenshots of the explorer in target/screenshots; one for the docs
	@mkdir -p target/screenshots crates/api/docs
	$(EXPLORER_TEST) SCREENSHOTS=target/screenshots node --test --test-reporter=dot $(CLIENTS)/explorer.test.mjs
	cp target/screenshots/start-light-1280.png crates/api/docs/explorer.png

$(CLIENTS)/node_modules/.stamp: $(CLIENTS)/package.json $(CLIENTS)/package-lock.json
	npm ci --prefix $(CLIENTS) --no-audit --no-fund --loglevel=error
	@touch $@

.venv/clients/.stamp: $(CLIENTS)/requirements.txt
	python3 -m venv .venv/clients
	.venv/clients/bin/pip install --quiet --disable-pip-version-check -r $(CLIENTS)/requirements.txt
	@touch $@

.PHONY: architecture
architecture: ## Layers, layout, requirements (after the tests)
	cargo test --quiet -p acceptance --test architecture
	@python3 -B -m unittest discover --start-directory script/dev --pattern '*_test.py'
	@script/dev/coverage_matrix.py --errors

.PHONY: coverage-matrix
coverage-matrix: ## Requirements and the tests that prove them
	@script/dev/coverage_matrix.py $(ARGS)

.PHONY: check
check: lint test ## Lints and tests: everything a merge needs

##### Long tests

.PHONY: seeded
seeded: deps ## Plant known bugs; the named tests must catch them
	@script/dev/seeded.sh

.PHONY: deep
deep: deps ## All random tests on 100,000 inputs (hours)
	@script/dev/deep.sh $(ARGS)

.PHONY: deep-manifest
deep-manifest: deps ## Canonical form against two others, 100,000 documents
	ATR_DIFFERENTIAL_DOCUMENTS=100000 cargo nextest run --release --profile architecture -p atr-manifest -E 'test(/^differential/)'

FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: ## Fuzz every parser for FUZZ_SECONDS=60
	@command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz@$(FUZZ_VERSION)
	@for target in $(basename $(notdir $(wildcard tests/fuzz/fuzz_targets/*.rs))); do \
	  mkdir -p tests/fuzz/corpus/$$target && cp tests/vectors/manifest/*.json tests/vectors/x402/* tests/fuzz/corpus/$$target/ && \
	  cargo fuzz run --fuzz-dir tests/fuzz --sanitizer none $$target -- -dict=tests/fuzz/json.dict -max_len=16384 \
	    -max_total_time=$(FUZZ_SECONDS) || exit 1; done

.PHONY: mutants
mutants: ## Mutation tests of contracts and crates (hours)
	@$(MAKE) --no-print-directory mutants-sol ARGS=
	@$(MAKE) --no-print-directory mutants-rust ARGS=

.PHONY: mutants-sol
mutants-sol: deps ## Contracts only (ARGS='--only URITextLib')
	@script/dev/mutants.py $(ARGS)

.PHONY: mutants-rust
mutants-rust: deps cargo-mutants ## Crates only (CRATES=atr-ids)
	@script/dev/mutants_rust.py $(CRATES) $(ARGS)

MINUTES ?= 10
.PHONY: mutants-changed
mutants-changed: deps cargo-mutants ## Crates, lines changed since BASE=main (MINUTES=10)
	@script/dev/mutants_rust.py --changed=$(or $(BASE),main) --minutes=$(MINUTES) $(CRATES) $(ARGS)

.PHONY: cargo-mutants
cargo-mutants:
	@cargo mutants --version 2>/dev/null | grep -qF '$(CARGO_MUTANTS_VERSION)' || \
	  cargo install --locked cargo-mutants@$(CARGO_MUTANTS_VERSION)

.PHONY: prove
prove: deps .venv/halmos/.stamp ## Symbolic proofs of the registry
	@script/dev/prove.py .venv/halmos/bin/python $(ARGS)

.venv/halmos/.stamp:
	python3 -m venv .venv/halmos
	.venv/halmos/bin/pip install --quiet --disable-pip-version-check halmos==$(HALMOS_VERSION)
	@touch $@

##### Measurements

.PHONY: gas
gas: deps ## Gas table; fails above the allowed ratios
	@$(FORGE) test --match-path 'contracts/test/gas/*' --quiet
	@script/dev/gas.py

.PHONY: snapshots
snapshots: deps ## Update gas snapshots and table (review the diff)
	FORGE_SNAPSHOT_CHECK=false $(FORGE) test --match-path 'contracts/test/gas/*' --quiet
	@script/dev/gas.py --write contracts/README.md

.PHONY: bench-verify
bench-verify: deps ## `atr verify --all` on 1,000 tools; fails if slow
	@cargo build --quiet --release -p atr-cli -p acceptance --bin atr --bin bench-verify
	@$${CARGO_TARGET_DIR:-target}/release/bench-verify $${CARGO_TARGET_DIR:-target}/release/atr $(ARGS)

.PHONY: bench-gate
bench-gate: deps $(CLIENTS)/node_modules/.stamp ## `atr gate` against Node.js with viem; fails above the bounds (ARGS='--requests 1000000')
	@cargo build --quiet --release -p atr-cli -p atr-gate --bin atr --example bench-gate
	@bin=$${CARGO_TARGET_DIR:-target}/release; $$bin/examples/bench-gate $$(realpath $$bin/atr) $(CLIENTS) $(ARGS)

.PHONY: schema-suite
schema-suite: ## Figures of crates/schema: official JSON Schema suite, hostile inputs
	@cargo test --quiet --release -p atr-schema --test it --test hostile -- --nocapture --test-threads=1 suite:: real_schemas:: hostile_inputs

.PHONY: bench-index
bench-index: deps ## Backfill of the index beside anvil, with search; fails if slow
	@cargo run --quiet --release -p atr-cli --example bench-index -- $(ARGS)

.PHONY: bench-search
bench-search: ## Search and lists at 10,000 to 1,000,000 tools; fails if slow (ARGS: sizes)
	@cargo bench --quiet -p atr-api --bench scale -- $(ARGS)

.PHONY: bench-manifest
bench-manifest: deps ## Manifest pipeline against npm packages; fails if slow
	@cargo bench --quiet -p atr-manifest --bench manifest
	@cargo bench --quiet -p atr-manifest --bench memory

.PHONY: evidence
evidence: ## Run the long checks; write tests/README.md's table
	@script/dev/evidence.py tests/README.md $(ONLY)

##### Lints

.PHONY: fmt
fmt: deps ## Format all code
	$(FORGE) fmt
	cargo fmt --all

.PHONY: lint
lint: deps ## Formatting, clippy, forge lint, docs, cargo-deny
	$(FORGE) fmt --check
	# Separate output: lint artifacts have no bytecode, but `forge build` would consider them up to date.
	FOUNDRY_OUT=target/lint/out FOUNDRY_CACHE_PATH=target/lint/cache $(FORGE) lint --deny warnings
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --locked --quiet
	@script/dev/gas.py --check contracts/README.md
	@script/dev/crate_graph.py --check ARCHITECTURE.md
	@script/dev/coverage_matrix.py --sources
	@script/dev/mutants.py --check
	@if command -v cargo-deny >/dev/null; then cargo deny --config .deny.toml check bans licenses sources; \
	  else echo "cargo-deny is not installed, skipped (make cargo-deny)"; fi

.PHONY: lint-sol
lint-sol: deps .venv/slither/.stamp ## Slither; findings fixed or in contracts/slither.toml
	@script/dev/slither.py .venv/slither/bin/slither

.venv/slither/.stamp:
	python3 -m venv .venv/slither
	.venv/slither/bin/pip install --quiet --disable-pip-version-check slither-analyzer==$(SLITHER_VERSION)
	@touch $@

.PHONY: cargo-deny
cargo-deny: ## Install cargo-deny
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny@$(DENY_VERSION)

# Ledger, AWS and Google Cloud have many dependencies: not in CI.
.PHONY: check-signers
check-signers: ## Compile the optional signers (Ledger, AWS, GCP)
	cargo check --locked -p atr-cli --features ledger,aws,gcp
