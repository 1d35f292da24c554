#!/usr/bin/env bash
# Demo on a local chain: deploys the contracts, serves a manifest over HTTPS, registers the tool with an access predicate, verifies
# it, checks access, combines predicates, and detects a changed manifest.
# ONCE=1 exits at the end; otherwise the chain and the server keep running until Ctrl-C.
set -euo pipefail

bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'
[[ -t 1 && -z ${NO_COLOR:-} ]] || bold='' dim='' off=''
step() { printf '\n%s%s%s\n' "$bold" "$1" "$off"; }
line() { printf '  %-26s %s\n' "$1" "$2"; }

# Anvil's default accounts; the private keys are public.
creator_key=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
creator=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
holder=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
other=0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC

work=$(mktemp -d)
anvil_pid='' server_pid=''
trap 'kill $anvil_pid $server_pid 2>/dev/null || true; rm -rf "$work"' EXIT

cargo build --quiet -p atr-cli -p atr-loopback
bin=${CARGO_TARGET_DIR:-target}/debug

# Prints and runs an atr command; fails if the exit code is not the expected one.
run() { # EXPECTED_EXIT_CODE ARGUMENTS…
  local expected=$1 code=0
  shift
  local quoted='' argument
  for argument in "$@"; do
    [[ $argument =~ [^A-Za-z0-9_./:,=@%+-] ]] && argument="'$argument'"
    quoted+=" $argument"
  done
  printf '%s$ atr%s%s\n' "$dim" "$quoted" "$off"
  "$bin/atr" "$@" "${allow[@]}" || code=$?
  [[ $code == "$expected" ]] || { echo "demo: exit code $code, expected $expected" >&2; exit 1; }
}
atr() { allow=(); run "$@"; }
# For commands that fetch the manifest: allows the server on loopback.
atr_fetch() { allow=(--allow-host "${origin#https://}" --ca-file "$work/ca.pem"); run "$@"; }

step "Start a local chain"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export ATR_RPC_URL=http://127.0.0.1:$port ETH_RPC_URL=http://127.0.0.1:$port
"$ANVIL" --port "$port" >"$work/anvil.log" 2>&1 &
anvil_pid=$!
for _ in $(seq 100); do
  "$CAST" chain-id >/dev/null 2>&1 && break
  kill -0 "$anvil_pid" 2>/dev/null || { cat "$work/anvil.log" >&2; exit 1; }
  sleep 0.1
done
line "chain id" "$("$CAST" chain-id)"
line "RPC" "$ATR_RPC_URL"
export ATR_PRIVATE_KEY=$creator_key ATR_STATE_DIR=$work/state

step "Deploy the registry and its predicates"
atr 0 deploy --records "$work/records" --dry-run
before=$(date +%s%N)
atr 0 deploy --records "$work/records" --yes --quiet --json >"$work/deployed.json"
line "time" "$(( ($(date +%s%N) - before) / 1000000 )) ms"

step "Audit the deployment"
atr 0 deploy check --only ToolRegistry

step "Create a manifest and serve it over HTTPS"
mkdir -p "$work/www/.well-known/ai-tool"
"$bin/https-file-server" --dir "$work/www" --ca-out "$work/ca.pem" >"$work/origin" &
server_pid=$!
for _ in $(seq 100); do [[ -s $work/origin ]] && break; sleep 0.1; done
origin=$(<"$work/origin")
manifest=$work/www/.well-known/ai-tool/nft-price-oracle.json
manifest_url=$origin/.well-known/ai-tool/nft-price-oracle.json
atr 0 manifest init --name nft-price-oracle --description "Returns estimated floor price for any NFT collection." \
  --endpoint "$origin/nft-price-oracle" --creator-address "$creator" --tag nft --output "$manifest"
atr_fetch 0 manifest validate "$manifest_url"

step "Deploy an ERC-721 collection and mint a token"
create() { # MOCK: deploys it and prints the address
  local code created
  code=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["bytecode"])' "crates/harness/artifacts/$1.json")
  created=$("$CAST" send --json --private-key "$creator_key" --create "$code")
  python3 -c 'import json, sys; print(json.load(sys.stdin)["contractAddress"])' <<<"$created"
}
collection=$(create PlainERC721)
"$CAST" send --private-key "$creator_key" "$collection" 'mint(address,uint256)' "$holder" 1 >/dev/null
line "collection" "$collection"
line "holder" "$holder"

step "Register the tool for holders of the collection"
atr_fetch 0 tool register "$manifest_url" --gate "erc721:$collection" --dry-run
atr_fetch 0 tool register "$manifest_url" --gate "erc721:$collection" --yes

step "Verify the tool"
atr_fetch 0 verify 1

step "Check access: a holder and another account"
atr 0 access check 1 "$holder"
atr 1 access check 1 "$other"

step "Change the gate: ERC-721 or 100 units of an ERC-20, and not denied (ERC-1155)"
token=$(create PlainERC20)
denied=$(create PlainERC1155)
"$CAST" send --private-key "$creator_key" "$token" 'mint(address,uint256)' "$creator" 1000000000000000000000 >/dev/null
atr 0 tool set-predicate 1 --gate "any(erc721:$collection, erc20:$token:100) and not erc1155:$denied:7" --yes
# The same composition, by the names of the predicates that are configured now.
atr 0 predicate set-composite 1 --expr '(erc721 or erc20) and not erc1155' --yes
atr 0 predicate show 1
atr 1 access check 1 "$other"
atr 0 access check 1 "$holder"
"$CAST" send --private-key "$creator_key" "$denied" 'mint(address,uint256,uint256)' "$holder" 7 1 >/dev/null
atr 1 access check 1 "$holder"

step "Pause and unpause the tool"
atr 0 tool pause 1 --yes
atr 1 access check 1 "$creator"
atr 0 tool unpause 1 --yes
atr 0 access check 1 "$creator"

step "Change the served manifest: verification fails"
sed -i 's/estimated floor price/very good price/' "$manifest"
atr_fetch 1 verify 1

step "Register the new hash: verification succeeds"
atr_fetch 0 tool update 1 --yes
atr_fetch 0 verify 1

step "Set a predicate without code: access is unknown, not denied"
atr 0 tool set-predicate 1 0x000000000000000000000000000000000000dEaD --yes
atr 3 access check 1 "$holder"

step "Open the tool"
atr 0 tool set-predicate 1 open --yes
atr 0 access check 1 "$other"
atr 0 tool list

if [[ -z ${ONCE:-} ]]; then
  printf '\n%sThe chain and the server keep running until Ctrl-C. Try:%s\n' "$dim" "$off"
  printf '  export ATR_RPC_URL=%s ATR_PRIVATE_KEY=%s\n' "$ATR_RPC_URL" "$creator_key"
  printf '  %s/atr verify 1 --allow-host %s --ca-file %s\n' "$bin" "${origin#https://}" "$work/ca.pem"
  wait "$anvil_pid"
fi
