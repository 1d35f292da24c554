#!/usr/bin/env bash
# The main job on a chain of its own: deploy, publish a manifest over TLS, register it behind a gate, verify it, ask who may
# call it, and see a change of the manifest caught. All by `atr`.
# ONCE=1 ends afterwards; otherwise chain and server stay until Ctrl-C.
set -euo pipefail

bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'
[[ -t 1 && -z ${NO_COLOR:-} ]] || bold='' dim='' off=''
step() { printf '\n%s%s%s\n' "$bold" "$1" "$off"; }
line() { printf '  %-26s %s\n' "$1" "$2"; }

# Anvil's first accounts: public keys, worth nothing on any other chain.
creator_key=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
creator=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
holder=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
stranger=0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC

work=$(mktemp -d)
anvil_pid='' server_pid=''
trap 'kill $anvil_pid $server_pid 2>/dev/null || true; rm -rf "$work"' EXIT

cargo build --quiet -p atr-cli -p atr-loopback
bin=${CARGO_TARGET_DIR:-target}/debug

# atr, as a person would type it: the command is shown, and must end as expected (0 yes, 1 no, 3 could not find out).
show() { # EXPECTED ARGUMENTS…
  local expected=$1 code=0
  shift
  printf '%s$ atr %s%s\n' "$dim" "$*" "$off"
  "$bin/atr" "$@" "${allow[@]}" || code=$?
  [[ $code == "$expected" ]] || { echo "demo: ended with $code, expected $expected" >&2; exit 1; }
}
plain() { allow=(); show "$@"; }
# Loopback is never reached by itself: the server below is an exception, made aloud.
fetching() { allow=(--allow-host "${origin#https://}" --ca-file "$work/ca.pem"); show "$@"; }

step "A local chain"
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
export ATR_PRIVATE_KEY=$creator_key

step "Deploy the registry and its predicates"
plain 0 deploy --records "$work/records" --dry-run
before=$(date +%s%N)
plain 0 deploy --records "$work/records" --yes --quiet --json >"$work/deployed.json"
line "took" "$(( ($(date +%s%N) - before) / 1000000 )) ms"
contract() { # NAME: where it is
  python3 -c 'import json, sys; text = open(sys.argv[1]).read(); text = text[text.index("{"):]; print(next(c["address"] for c in json.loads(text)["outcome"]["contracts"] if c["contract"] == sys.argv[2]))' \
    "$work/deployed.json" "$1"
}

step "Anyone can check it"
plain 0 deploy check --only ToolRegistry

step "A publisher serves a manifest over TLS, on loopback"
mkdir -p "$work/www/.well-known/ai-tool"
"$bin/tls-files" --folder "$work/www" --ca-out "$work/ca.pem" >"$work/origin" &
server_pid=$!
for _ in $(seq 100); do [[ -s $work/origin ]] && break; sleep 0.1; done
origin=$(<"$work/origin")
manifest=$work/www/.well-known/ai-tool/nft-price-oracle.json
place=$origin/.well-known/ai-tool/nft-price-oracle.json
plain 0 manifest init --name nft-price-oracle --description "Returns estimated floor price for any NFT collection." \
  --endpoint "$origin/nft-price-oracle" --creator-address "$creator" --tag nft --output "$manifest"
fetching 0 manifest validate "$place"

step "An ERC-721 collection, of which one account holds a token"
artifact=crates/harness/artifacts/PlainERC721.json
code=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["bytecode"])' "$artifact")
created=$("$CAST" send --json --private-key "$creator_key" --create "$code")
collection=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["contractAddress"])' <<<"$created")
"$CAST" send --private-key "$creator_key" "$collection" 'mint(address,uint256)' "$holder" 1 >/dev/null
line "collection" "$collection"
line "holder" "$holder"

step "Register the tool, gated by that collection"
fetching 0 tool register "$place" --nft-gate "$collection" --dry-run
fetching 0 tool register "$place" --nft-gate "$collection" --yes

step "Is it what it claims to be?"
fetching 0 verify 1

step "Who may call it?"
plain 0 access check 1 "$holder"
plain 1 access check 1 "$stranger"

step "Somebody changes the manifest on the server"
sed -i 's/estimated floor price/very good price/' "$manifest"
fetching 1 verify 1

step "It was the publisher: a new commitment"
fetching 0 tool update 1 --yes
fetching 0 verify 1

step "A gate that is not deployed yet lets nobody in, and is no no"
plain 0 tool set-predicate 1 0x000000000000000000000000000000000000dEaD --yes
plain 3 access check 1 "$holder"

step "Pause, then open"
plain 0 tool set-predicate 1 "$(contract AlwaysDenyPredicate)" --yes
plain 1 access check 1 "$holder"
plain 0 tool set-predicate 1 open --yes
plain 0 access check 1 "$stranger"
plain 0 tool list

if [[ -z ${ONCE:-} ]]; then
  printf '\n%sChain and server stay up; Ctrl-C ends them. Try:%s\n' "$dim" "$off"
  printf '  export ATR_RPC_URL=%s ATR_PRIVATE_KEY=%s\n' "$ATR_RPC_URL" "$creator_key"
  printf '  %s/atr verify 1 --allow-host %s --ca-file %s\n' "$bin" "${origin#https://}" "$work/ca.pem"
  wait "$anvil_pid"
fi
