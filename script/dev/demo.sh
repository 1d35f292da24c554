#!/usr/bin/env bash
# The main job on a chain of its own: deploy with `atr`, register a tool, read it back, ask for access.
# ONCE=1 ends afterwards; otherwise the chain stays until Ctrl-C.
set -euo pipefail

bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'
[[ -t 1 && -z ${NO_COLOR:-} ]] || bold='' dim='' off=''
step() { printf '\n%s%s%s\n' "$bold" "$1" "$off"; }
line() { printf '  %-26s %s\n' "$1" "$2"; }

# Anvil's first two well-known accounts: public keys, worth nothing on any other chain.
creator_key=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
creator=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
agent=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
nobody=0x0000000000000000000000000000000000000000
uri=https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json
manifest='{"creatorAddress":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","description":"Returns estimated floor price for any NFT collection.","endpoint":"https://tools.example.com/nft-price-oracle","inputs":{},"name":"nft-price-oracle","outputs":{},"type":"https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1"}'

work=$(mktemp -d)
anvil_pid=
trap 'kill "$anvil_pid" 2>/dev/null || true; rm -rf "$work"' EXIT

step "A local chain"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export ETH_RPC_URL=http://127.0.0.1:$port
"$ANVIL" --port "$port" >"$work/anvil.log" 2>&1 &
anvil_pid=$!
for _ in $(seq 100); do
  "$CAST" chain-id >/dev/null 2>&1 && break
  kill -0 "$anvil_pid" 2>/dev/null || { cat "$work/anvil.log" >&2; exit 1; }
  sleep 0.1
done
line "chain id" "$("$CAST" chain-id)"
line "RPC" "$ETH_RPC_URL"

field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
send() {
  local receipt
  receipt=$("$CAST" send --json --private-key "$creator_key" "$@")
  [[ $(field status <<<"$receipt") == 0x1 ]] || { echo "demo: the transaction failed: $receipt" >&2; exit 1; }
  printf '%s' "$receipt"
}
gas_of() { printf '%d' "$(field gasUsed <<<"$1")"; }
# access WHO ADDRESS DATA EXPECTED: asks, shows the answer, and stops the demo if it is another one.
access() {
  local ok granted answer
  { read -r ok; read -r granted; } < <("$CAST" call "$registry" 'tryHasAccess(uint256,address,bytes)(bool,bool)' 1 "$2" "$3")
  case "$ok $granted" in
    "true true") answer=yes ;;
    "true false") answer=no ;;
    "false false") answer="cannot tell" ;;
    *) echo "demo: the registry answered ($ok, $granted)" >&2; exit 1 ;;
  esac
  line "may $1?" "$answer"
  [[ $answer == "$4" ]] || { echo "demo: expected '$4'" >&2; exit 1; }
}
address_of() { # NAME: where `atr deploy` put a contract
  python3 -c 'import json, sys; print(next(c["address"] for c in json.load(open(sys.argv[1]))["outcome"]["contracts"] if c["contract"] == sys.argv[2]))' \
    "$work/deployed.json" "$1"
}
gate() { send "$registry" 'setAccessPredicate(uint256,address)' 1 "$1" >/dev/null; }

step "Deploy the registry and its predicates: atr deploy --chain $ETH_RPC_URL"
cargo build --quiet -p atr-cli
export ATR_PRIVATE_KEY=$creator_key
atr() { "${CARGO_TARGET_DIR:-target}/debug/atr" "$@"; }
atr deploy --chain "$ETH_RPC_URL" --records "$work/records" --dry-run
before=$(date +%s%N)
atr deploy --chain "$ETH_RPC_URL" --records "$work/records" --yes --json >"$work/deployed.json"
line "took" "$(( ($(date +%s%N) - before) / 1000000 )) ms"
registry=$(address_of ToolRegistry)
line "name, version" "$("$CAST" call "$registry" 'name()(string)') $("$CAST" call "$registry" 'version()(string)')"

step "Anyone can check it: atr deploy check --chain $ETH_RPC_URL"
atr deploy check --chain "$ETH_RPC_URL" --only ToolRegistry

step "Register a tool"
hash=$("$CAST" keccak "$manifest")
receipt=$(send "$registry" 'registerTool(string,bytes32,address)' "$uri" "$hash" "$nobody")
line "metadata URI" "$uri"
line "manifest hash" "$hash"
line "gas" "$(gas_of "$receipt")"
line "tool" "eip155:$("$CAST" chain-id)/erc8257:${registry,,}/$("$CAST" call "$registry" 'toolCount()(uint256)')"

step "Read it back"
{ read -r got_creator; read -r got_uri; read -r got_hash; read -r got_predicate; } < <(
  "$CAST" call "$registry" 'getToolConfig(uint256)((address,string,bytes32,address))' 1 |
    python3 -c 'import re, sys; print("\n".join(re.fullmatch(r"\((\S+), \"(.*)\", (\S+), (\S+)\)", sys.stdin.read().strip()).groups()))'
)
[[ $got_creator == "$creator" && $got_uri == "$uri" && $got_hash == "$hash" && $got_predicate == "$nobody" ]] ||
  { echo "demo: what was read differs from what was registered" >&2; exit 1; }
line "creator" "$got_creator"
line "metadata URI" "$got_uri"
line "manifest hash" "$got_hash"
line "predicate" "none: open to everyone"
access "the agent" "$agent" 0x yes

step "Gate it with a predicate that is not deployed yet"
gate 0x000000000000000000000000000000000000dEaD
access "the agent" "$agent" 0x "cannot tell"

step "Gate it with an allowlist"
allowlist=$(address_of MerkleAllowlistPredicate)
line "predicate" "$("$CAST" call "$allowlist" 'name()(string)') at $allowlist"
gate "$allowlist"
access "the agent" "$agent" 0x "cannot tell" # nobody has set the list up
root=$("$CAST" call "$allowlist" 'leafOf(uint256,address)(bytes32)' 1 "$agent") # a list of one is its leaf
send "$allowlist" 'setAllowlistRoot(uint256,bytes32)' 1 "$root" >/dev/null
line "list" "the agent, root $root"
proof=$("$CAST" abi-encode 'f(bytes32[])' '[]')
access "the agent, no proof" "$agent" 0x no
access "the agent, proof" "$agent" "$proof" yes
access "a stranger, proof" "$creator" "$proof" no

step "Pause it"
gate "$(address_of AlwaysDenyPredicate)"
access "the agent, proof" "$agent" "$proof" no

step "Open it again"
gate "$nobody"
access "the agent" "$agent" 0x yes

if [[ -z ${ONCE:-} ]]; then
  printf '\n%sThe chain stays up; Ctrl-C ends it. Try:%s\n' "$dim" "$off"
  printf '  %s call --rpc-url %s %s "toolCount()(uint256)"\n' "$CAST" "$ETH_RPC_URL" "$registry"
  wait "$anvil_pid"
fi
