#!/usr/bin/env bash
# The main workflow on a local chain. First the registry: deploy the contracts, publish a manifest, register the tool for holders of an NFT
# collection, verify it, check access, combine predicates, and detect a changed manifest. Then the gate, with `atr dev`: a call that is
# denied, one that is granted, one by the ENS name of an Agent Card, one that is paid, one by an agent, and one after the access was
# revoked. Then the index: a search, a call by an agent over MCP, and a tool that is not listed. Every command is printed as it is typed.
# ONCE=1 exits at the end; otherwise `atr dev` keeps running until Ctrl-C.
set -euo pipefail

bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'
[[ -t 1 && -z ${NO_COLOR:-} ]] || bold='' dim='' off=''
step() { printf '\n%s# %s%s\n' "$bold" "$1" "$off"; }

# Prints a command, quoted where a shell needs it, and runs it; fails if the exit code is not the expected one.
run() { # EXPECTED_EXIT_CODE COMMAND ARGUMENTS…
  local expected=$1 code=0 line=${prefix:+ $prefix} word
  shift
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./:,=-]+$ ]]; then line+=" $word"; else line+=" '$word'"; fi
  done
  printf '%s$%s%s\n' "$dim" "$line" "$off"
  "$@" || code=$?
  [[ $code == "$expected" ]] || { echo "demo: exit code $code, expected $expected" >&2; exit 1; }
}
# The same with the key of an account of `atr dev`.
run_as() { # VARIABLE EXPECTED_EXIT_CODE COMMAND ARGUMENTS…
  local prefix="ATR_PRIVATE_KEY=\$$1" key=${!1}
  shift
  ATR_PRIVATE_KEY=$key run "$@"
}
set_variable() { printf '%s$ export %s=%s%s\n' "$dim" "$1" "$2" "$off"; export "$1=$2"; }

# Anvil's first accounts; their keys are public.
creator=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
creator_key=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
holder=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
other=0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC

cargo build --quiet -p atr-cli -p atr-loopback
started=$SECONDS
repository=$PWD
bin=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd)
anvil=$(realpath "$ANVIL") cast=$(realpath "$CAST")
export PATH=$bin:$PATH

work=$(mktemp -d)
anvil_pid='' server_pid='' dev_pid=''
trap 'kill $anvil_pid $server_pid $dev_pid 2>/dev/null || true; wait; rm -rf "$work"' EXIT
cd "$work"
# Records and journals of the demo stay in its directory.
export XDG_DATA_HOME=$work XDG_STATE_HOME=$work

# Deploys a test token of the repository and prints its address.
create() { # NAME
  local code created
  code=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["bytecode"])' "$repository/crates/harness/artifacts/$1.json")
  created=$("$cast" send --json --private-key "$creator_key" --create "$code")
  python3 -c 'import json, sys; print(json.load(sys.stdin)["contractAddress"])' <<<"$created"
}
send() { "$cast" send --private-key "$creator_key" "$@" >/dev/null; }
step "A local chain, and a key with funds on it"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$anvil" --port "$port" >anvil.log 2>&1 &
anvil_pid=$!
printf '%s$ anvil --port %s &%s\n' "$dim" "$port" "$off"
set_variable ETH_RPC_URL "http://127.0.0.1:$port"
set_variable ATR_PRIVATE_KEY "$creator_key"
for _ in $(seq 100); do
  "$cast" chain-id >/dev/null 2>&1 && break
  kill -0 "$anvil_pid" 2>/dev/null || { cat anvil.log >&2; exit 1; }
  sleep 0.1
done

step "Deploy the registry and its predicates: first the plan, then the transactions"
run 0 atr deploy --dry-run
run 0 atr deploy --yes --quiet

step "Audit the deployment"
run 0 atr deploy check --only ToolRegistry

step "A web server for manifests; its host is on this machine, so it must be allowed"
mkdir -p www/.well-known/ai-tool
https-file-server --dir www --ca-out ca.pem >origin &
server_pid=$!
printf '%s$ https-file-server --dir www --ca-out ca.pem &%s\n' "$dim" "$off"
for _ in $(seq 100); do [[ -s origin ]] && break; sleep 0.1; done
origin=$(<origin)
set_variable ATR_ALLOW_HOST "${origin#https://}"
set_variable ATR_CA_FILE "$work/ca.pem"

step "Create a manifest and serve it"
file=www/.well-known/ai-tool/nft-price-oracle.json
url=$origin/.well-known/ai-tool/nft-price-oracle.json
run 0 atr manifest init --name 'NFT price oracle' --description 'Returns the estimated floor price of any NFT collection.' \
  --endpoint "$origin/nft-price-oracle" --creator-address "$creator" --tag nft --output "$file"
run 0 atr manifest validate "$url"

step "Register the tool for holders of an NFT collection; one account holds a token of it"
collection=$(create PlainERC721)
send "$collection" 'mint(address,uint256)' "$holder" 1
run 0 atr tool register "$url" --gate "erc721:$collection" --dry-run
run 0 atr tool register "$url" --gate "erc721:$collection" --yes --quiet

step "What is registered"
run 0 atr tool list
run 0 atr tool inspect 1

step "Verify the tool"
run 0 atr verify 1

step "Check access: the holder, and another account"
run 0 atr access check 1 "$holder"
run 1 atr access check 1 "$other"

step "Change the gate: a token of the collection or 100 tokens of an ERC-20, but no ERC-1155 token 7"
token=$(create PlainERC20)
denied=$(create PlainERC1155)
send "$token" 'mint(address,uint256)' "$creator" 1000000000000000000000
run 0 atr tool set-predicate 1 --gate "any(erc721:$collection, erc20:$token:100) and not erc1155:$denied:7" --yes --quiet
run 0 atr predicate show 1
run 1 atr access check 1 "$other"
run 0 atr access check 1 "$holder"

step "The holder receives ERC-1155 token 7, and access is denied"
send "$denied" 'mint(address,uint256,uint256)' "$holder" 7 1
run 1 atr access check 1 "$holder"

step "Pause the tool, and unpause it"
run 0 atr tool pause 1 --yes --quiet
run 1 atr access check 1 "$creator"
run 0 atr tool unpause 1 --yes --quiet
run 0 atr access check 1 "$creator"

step "The served manifest changes: verification fails"
sed -i 's/estimated floor price/very good price/' "$file"
run 1 atr verify 1

step "Register the new hash: verification succeeds"
run 0 atr tool update 1 --yes
run 0 atr verify 1

step "A predicate without code: access is unknown, not denied"
run 0 atr tool set-predicate 1 0x000000000000000000000000000000000000dEaD --yes --quiet
run 3 atr access check 1 "$holder"

step "Open the tool to everyone"
run 0 atr tool set-predicate 1 open --yes --quiet
run 0 atr access check 1 "$other"
run 0 atr tool list

kill "$anvil_pid" "$server_pid"
unset ETH_RPC_URL ATR_PRIVATE_KEY ATR_ALLOW_HOST ATR_CA_FILE

step "A gate: a local chain with two sample tools behind it, one for holders of an NFT, one with a price"
printf '%s$ atr dev &%s\n' "$dim" "$off"
atr dev --anvil "$anvil" --npm "$repository/tests/clients" --rpc-port 0 --port 0 --index-port 0 >dev.log &
dev_pid=$!
for _ in $(seq 300); do
  grep -q 'Ctrl-C' dev.log && break
  kill -0 "$dev_pid" 2>/dev/null || exit 1
  sleep 0.1
done
sed '/In another terminal/,$d' dev.log
environment=$(sed -n 's/^ *source //p' dev.log)
printf '%s$ source %s%s\n' "$dim" "$environment" "$off"
# shellcheck disable=SC1090
source "$environment"
export PATH=$(dirname "$cast"):$PATH
input='{"query":"eth"}'
usdc() { cast call "$USDC" 'balanceOf(address)(uint256)' "$1" | awk '{ printf "%.2f", $1 / 1e6 }'; }
balances() { printf 'balances     holder %s USDC, publisher %s USDC\n' "$(usdc "$HOLDER")" "$(usdc "$PUBLISHER")"; }
# The gate sees a block at most two seconds after it is mined.
next_block() { sleep 2; }

step "An account without a token: denied, with what is missing"
run 1 atr access preview 1 "$OTHER"
run_as OTHER_KEY 1 atr call 1 --data "$input"

step "The holder of a token proves its identity, and pays nothing"
run_as HOLDER_KEY 0 atr call 1 --data "$input"

step "An Agent Card: the ENS name oracleagent.eth binds the verb fetch to the gated tool"
# ENS's own contracts, from the packages of tests/ens. The publisher owns the name.
ens=$repository/tests/ens/node_modules/@ensdomains
cards=www
mkdir -p "$cards/commons/fetch/requests" "$cards/commons/fetch/receipts"
# Cards must not have private addresses, so their server has a public name, which only this name server knows.
https-file-server --dir "$cards" --name cards.example.org --dns-out name-server --ca-out cards-ca.pem >cards-origin &
server_pid=$!
for _ in $(seq 100); do [[ -s cards-origin ]] && break; sleep 0.1; done
cards_origin=$(<cards-origin)
cat cards-ca.pem >>"$ATR_CA_FILE"
set_variable ATR_NAME_SERVER "$(<name-server)"
set_variable ATR_ALLOW_HOST "$ATR_ALLOW_HOST,${cards_origin#https://}"
ens_send() { cast send --quiet --unlocked --from "$PUBLISHER" "$@"; }
ens_create() { # ARTIFACT [CONSTRUCTOR_ARGUMENTS]
  local code
  code=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["bytecode"])' "$1")
  cast send --json --unlocked --from "$PUBLISHER" --create "$code${2:-}" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["contractAddress"])'
}
ens_registry=$(ens_create "$ens/contracts/abis/ens/ENSRegistry.json")
ens_resolver=$(ens_create "$ens/resolver/build/contracts/PublicResolver.json" "$(printf '%064s' "${ens_registry#0x}" | tr ' ' 0)")
root=$(printf '0x%064d' 0)
ens_send "$ens_registry" 'setSubnodeOwner(bytes32,bytes32,address)' "$root" "$(cast keccak eth)" "$PUBLISHER"
ens_send "$ens_registry" 'setSubnodeOwner(bytes32,bytes32,address)' "$(cast namehash eth)" "$(cast keccak oracleagent)" "$PUBLISHER"
ens_send "$ens_registry" 'setResolver(bytes32,address)' "$(cast namehash oracleagent.eth)" "$ens_resolver"
set_variable ATR_ENS_REGISTRY "$ens_registry"
for kind in request receipt; do
  required=query
  [[ $kind == request ]] || required=price
  schema=commons/fetch/${kind}s/fetch.$kind.schema.json
  printf '{"$id":"%s","type":"object","required":["%s"]}\n' "$cards_origin/$schema" "$required" >"$cards/$schema"
done
run 0 atr card init --ens oracleagent.eth --owner publisher.eth --verb fetch --network eip155:8453 \
  --display-name 'Oracle Agent' --description 'Returns the floor price of an NFT collection.' \
  --request-schema "$cards_origin/commons/fetch/requests/fetch.request.schema.json" \
  --receipt-schema "$cards_origin/commons/fetch/receipts/fetch.receipt.schema.json" --output "$cards/oracleagent.eth.json"
run_as PUBLISHER_KEY 0 atr card bind "$cards/oracleagent.eth.json" --card-url "$cards_origin/oracleagent.eth.json" \
  --tool "eip155:8453/erc8257:$REGISTRY/1" --yes
run 0 atr card resolve oracleagent.eth

step "A call by name: the card is trusted, the tool is verified, the answer is a receipt that the card promises"
run_as HOLDER_KEY 0 atr call oracleagent.eth fetch --data "$input"

step "The served card changes: it is not trusted any more, and nothing is called"
sed -i 's/floor price/best price/' "$cards/oracleagent.eth.json"
run 1 atr card resolve oracleagent.eth
run_as HOLDER_KEY 1 atr call oracleagent.eth fetch --data "$input"
sed -i 's/best price/floor price/' "$cards/oracleagent.eth.json"

step "A paid call: what it costs, then the payment"
run_as HOLDER_KEY 0 atr call 2 --data "$input" --dry-run
balances
run_as HOLDER_KEY 0 atr call 2 --data "$input" --max-amount 0.01 --yes
balances
run 0 atr ledger

step "An agent calls for the holder: denied, until the holder delegates to it"
run_as AGENT_KEY 1 atr call 1 --data "$input" --delegate-for "$HOLDER"
run 0 cast send --quiet --unlocked --from "$HOLDER" "$DELEGATE_REGISTRY" 'delegateAll(address,bytes32,bool)' "$AGENT" "$(printf '0x%064d' 0)" true
next_block
run_as AGENT_KEY 0 atr call 1 --data "$input" --delegate-for "$HOLDER"

step "The holder burns the token: denied from the next block on, for the agent too"
run 0 cast send --quiet --unlocked --from "$HOLDER" "$COLLECTION" 'burn(uint256)' 1
next_block
run_as HOLDER_KEY 1 atr call 1 --data "$input"
run_as AGENT_KEY 1 atr call 1 --data "$input" --delegate-for "$HOLDER"

step "The index: search for verified tools"
# The index sees a block at most two seconds after it is mined.
wait_for_index() { # NUMBER_OF_TOOLS
  for _ in $(seq 100); do
    atr search price --all --json | python3 -c "import json, sys; sys.exit(len(json.load(sys.stdin)['results']) < $1)" && return
    sleep 0.1
  done
  echo "demo: the index does not have $1 tools" >&2
  exit 1
}
wait_for_index 2
run 0 atr search price --max-price 0.01
run 0 atr index status

step "An agent finds the paid tool over MCP and calls it, within the limits of its user"
agent() { # TOOL ARGUMENTS
  printf '%s$ atr mcp --max-per-call 0.01 --max-per-day 1   # %s %s%s\n' "$dim" "$1" "$2" "$off"
  python3 -c 'import json, sys
meta = {"protocolVersion": "2026-07-28", "clientInfo": {"name": "demo", "version": "1"}, "clientCapabilities": {}}
meta = {"io.modelcontextprotocol/" + name: value for name, value in meta.items()}
params = {"name": sys.argv[1], "arguments": json.loads(sys.argv[2]), "_meta": meta}
print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))' "$1" "$2" |
    ATR_PRIVATE_KEY=$HOLDER_KEY atr mcp --max-per-call 0.01 --max-per-day 1 | python3 -c 'import json, sys
result = json.load(sys.stdin)["result"]
tool = result["structuredContent"]
tool = {name: value for name, value in tool.get("results", [tool])[0].items() if name in ("tool_ref", "display_name", "body", "payment")}
print(json.dumps(tool, indent=2))
sys.exit(result["isError"])'
}
agent search_tools '{"query":"token price"}'
agent call_tool "{\"tool_ref\":\"eip155:8453/erc8257:${REGISTRY,,}/2\",\"arguments\":{\"query\":\"eth\"}}"
run 0 atr ledger

step "Another account registers the publisher's manifest as its own: it is not listed, and the index says why"
manifest=$(atr tool list --json | python3 -c 'import json, sys; tool = json.load(sys.stdin)["tools"][1]; print(tool["metadataUri"], tool["manifestHash"])')
# shellcheck disable=SC2086
run 0 cast send --quiet --unlocked --from "$OTHER" "$REGISTRY" 'registerTool(string,bytes32,address)' $manifest "$(printf '0x%040d' 0)"
wait_for_index 3
run 0 atr search token price
run 0 atr search token price --all
run 1 atr verify 3

printf '\n%sThe demo took %s seconds.%s\n' "$dim" "$((SECONDS - started))" "$off"
if [[ -z ${ONCE:-} ]]; then
  printf '\nThe chain and the gate keep running until Ctrl-C. In another terminal:\n\n  source %s\n  atr search price\n\nThe index: %s\n' "$environment" "$ATR_API"
  wait "$dev_pid"
fi
