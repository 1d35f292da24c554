// Clients written by others call tools behind `atr gate`, and a facilitator written by others settles the payments, on an anvil with
// the chain id of Base and an EIP-3009 token at the address of USDC. `make test-clients` runs it.
//
// ATR and ANVIL are the binaries; PYTHON has the packages of requirements.txt.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestClient, erc20Abi, http, publicActions, walletActions, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const DELEGATE_REGISTRY = "0x00000000000000447e69651d841bD8D104Bed493";
const PRICE = 10_000n;
const BODY = '{"query":"eth"}';

// Accounts of anvil.
const [creatorKey, callerKey, operatorKey, strangerKey, facilitatorKey, agentKey] = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
  "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
  "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
  "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
];
const addressOf = (key) => privateKeyToAccount(key).address;
const [creator, caller, operator, agent] = [creatorKey, callerKey, operatorKey, agentKey].map(addressOf);

const folder = mkdtempSync(join(tmpdir(), "atr-clients-"));
const processes = [];
let chain;
let rpcUrl;
let registry;
let predicate;
let gates;

/** Starts a program and returns the text of its first line that matches. */
function start(command, args, env, pattern, cwd) {
  const options = { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] };
  const child = spawn(command, args, options);
  processes.push(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command} ${args[0]} ended with code ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const match = line.match(pattern);
      if (match) resolve(match[1] ?? match[0]);
    });
  });
}

const artifact = (name, crate = "harness") =>
  JSON.parse(readFileSync(join(root, `crates/${crate}/artifacts/${name}.json`), "utf8"));

async function deploy({ abi, bytecode }, args = []) {
  const hash = await chain.deployContract({ abi, bytecode, args, account: creator });
  return (await chain.waitForTransactionReceipt({ hash })).contractAddress;
}

async function send(address, abi, functionName, args, account = creator) {
  const hash = await chain.writeContract({ address, abi, functionName, args, account });
  const receipt = await chain.waitForTransactionReceipt({ hash });
  assert.equal(receipt.status, "success", functionName);
}

/** Places the code of a contract that does not depend on its constructor. */
async function place(name, address) {
  const deployed = await deploy(artifact(name));
  await chain.setCode({ address, bytecode: await chain.getCode({ address: deployed }) });
}

/** Registers a tool, and starts a gate in front of the upstream. Returns the URL of the endpoint. */
async function gate(slug, upstream, accessPredicate, isPaid, flags) {
  const manifest = {
    type: "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
    name: slug,
    description: "Echoes its arguments.",
    endpoint: `https://tools.example.com/${slug}`,
    inputs: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    outputs: { type: "object", required: ["echo"] },
    creatorAddress: creator.toLowerCase(),
  };
  if (isPaid) {
    const recipient = `eip155:8453:${operator.toLowerCase()}`;
    const asset = `eip155:8453/erc20:${USDC.toLowerCase()}`;
    manifest.pricing = [{ amount: String(PRICE), asset, recipient, protocol: "x402" }];
  }
  const file = join(folder, `${slug}.json`);
  writeFileSync(file, JSON.stringify(manifest));
  const hash = JSON.parse(execFileSync(process.env.ATR, ["manifest", "hash", "--json", file], { encoding: "utf8" }));
  const uri = `https://tools.example.com/.well-known/ai-tool/${slug}.json`;
  const { abi } = artifact("ToolRegistry", "bindings");
  await send(registry, abi, "registerTool", [uri, hash.hash, accessPredicate]);
  const id = await chain.readContract({ address: registry, abi, functionName: "toolCount" });
  const tool = `eip155:8453/erc8257:${registry.toLowerCase()}/${id}`;
  const args = ["gate", "--tool", tool, "--upstream", upstream, "--manifest", file, "--operator", operator];
  const env = { ATR_RPC_URL: rpcUrl };
  const url = await start(
    process.env.ATR,
    [...args, "--listen", "127.0.0.1:0", ...flags],
    env,
    /(http:\/\/127\.0\.0\.1:\d+)/,
  );
  return `${url}/${slug}`;
}

async function call(kind, url, key, env = {}) {
  const [command, script] = kind === "python x402" ? [process.env.PYTHON, ["client.py"]] : ["node", ["client.mjs", kind]];
  const options = { cwd: here, env: { ...process.env, ...env, PRIVATE_KEY: key }, timeout: 90_000 };
  const { stdout } = await promisify(execFile)(command, [...script, url, BODY], options);
  return JSON.parse(stdout);
}

/** Calls until the status is the expected one: the gate sees a block some time after it is mined. */
async function callUntil(status, ...args) {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await call(...args);
    if (reply.status === status || attempt === 10) {
      assert.equal(reply.status, status, JSON.stringify(reply));
      return reply;
    }
  }
}

const balance = (account) =>
  chain.readContract({ address: USDC, abi: erc20Abi, functionName: "balanceOf", args: [account] });

before(async () => {
  rpcUrl = `http://${await start(process.env.ANVIL, ["--port", "0", "--chain-id", "8453"], {}, /Listening on (\S+)/)}`;
  const options = { mode: "anvil", chain: base, transport: http(rpcUrl), pollingInterval: 100 };
  chain = createTestClient(options).extend(publicActions).extend(walletActions);
  registry = await deploy(artifact("ToolRegistry", "bindings"));
  predicate = await deploy(artifact("SettablePredicate"));
  await place("PlainERC3009", USDC);
  await place("StandInDelegateRegistry", DELEGATE_REGISTRY);
  await send(USDC, artifact("PlainERC3009").abi, "mint", [caller, 1_000_000n]);
  const facilitatorEnv = { RPC_URL: rpcUrl, PRIVATE_KEY: facilitatorKey };
  const script = readFileSync(join(root, "crates/cli/src/cmd/dev/facilitator.mjs"), "utf8");
  // The packages of the script are those of this folder.
  const evaluate = ["--input-type=module", "--eval", script];
  const facilitator = await start("node", evaluate, facilitatorEnv, /http:\S+/, here);
  const upstream = await start("node", [join(here, "upstream.mjs")], {}, /http:\S+/);
  const pay = ["--facilitator", facilitator];
  gates = {
    identity: await gate("identity", upstream, predicate, false, []),
    v1: await gate("v1", upstream, zeroAddress, true, [...pay, "--challenge", "v1", "--store", join(folder, "v1.db")]),
    paid: await gate("paid", upstream, zeroAddress, true, [...pay, "--store", join(folder, "paid.db")]),
    both: await gate("both", upstream, predicate, true, [...pay, "--ephemeral"]),
  };
});

after(() => {
  for (const child of processes) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const setGranted = (granted) => send(predicate, artifact("SettablePredicate").abi, "setGranted", [granted]);
const CLIENTS = ["x402-fetch", "@x402/fetch", "python x402", "viem"];

describe("identity gate", () => {
  for (const kind of CLIENTS) {
    test(`${kind}: denied, then granted from the next block on`, async () => {
      await setGranted(false);
      await callUntil(403, kind, gates.identity, callerKey);
      await setGranted(true);
      const granted = await callUntil(200, kind, gates.identity, callerKey);
      assert.deepEqual(granted.body.echo, JSON.parse(BODY));
      assert.equal(granted.body.headers["x-tool-caller"].toLowerCase(), caller.toLowerCase());
    });
  }

  test("an agent calls for the holder that delegated to it", async () => {
    await setGranted(true);
    const env = { DELEGATE_FOR: caller };
    const without = await call("viem", gates.identity, agentKey, env);
    assert.equal(without.status, 403);
    const { abi } = artifact("StandInDelegateRegistry");
    const zero = `0x${"00".repeat(32)}`;
    await send(DELEGATE_REGISTRY, abi, "delegateAll", [agent, zero, true], caller);
    const delegated = await callUntil(200, "viem", gates.identity, agentKey, env);
    assert.equal(delegated.body.headers["x-tool-caller"].toLowerCase(), caller.toLowerCase());
    assert.equal(delegated.body.headers["x-tool-agent"].toLowerCase(), agent.toLowerCase());
  });
});

describe("paid gate", () => {
  for (const [kind, name] of [...CLIENTS.map((kind) => [kind, "paid"]), ["x402-fetch", "v1"], ["python x402", "v1"]]) {
    test(`${kind}, --challenge ${name === "v1" ? "v1" : "both"}: the price moves once`, async () => {
      const [ofCaller, ofOperator] = [await balance(caller), await balance(operator)];
      const paid = await call(kind, gates[name], callerKey);
      assert.equal(paid.status, 200, JSON.stringify(paid));
      assert.equal(paid.receipt.success, true);
      assert.match(paid.receipt.transaction, /^0x[0-9a-f]{64}$/);
      assert.equal(await balance(caller), ofCaller - PRICE);
      assert.equal(await balance(operator), ofOperator + PRICE);
    });
  }

  test("an account without money gets no answer, and nothing moves", async () => {
    const ofOperator = await balance(operator);
    const refused = await call("viem", gates.paid, strangerKey);
    assert.equal(refused.status, 402, JSON.stringify(refused));
    assert.equal(await balance(operator), ofOperator);
  });

  test("a denied account does not pay", async () => {
    await setGranted(false);
    // An account without money, so that nothing is paid while the gate still sees the block before.
    await callUntil(403, "viem", gates.both, strangerKey);
    const ofCaller = await balance(caller);
    const denied = await call("@x402/fetch", gates.both, callerKey);
    assert.equal(denied.status, 403, JSON.stringify(denied));
    assert.equal(await balance(caller), ofCaller);
    await setGranted(true);
    await callUntil(200, "@x402/fetch", gates.both, callerKey);
    assert.equal(await balance(caller), ofCaller - PRICE);
  });
});
