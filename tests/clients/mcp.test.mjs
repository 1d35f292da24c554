// MCP clients written by others find a tool with `atr mcp` and `/mcp`, and call it: it is gated by an NFT and costs 0.01 USDC. The world
// is that of `atr dev`. `make test-clients` runs it.
//
// ATR and ANVIL are the binaries; PYTHON has the packages of requirements.txt.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { ATR, ANVIL, PYTHON } = process.env;
const PRICE = 10_000n;
const CLIENTS = ["@modelcontextprotocol/sdk", "@modelcontextprotocol/client", "mcp (Python)"];
const READS = ["search_tools", "get_tool", "get_wallet_tools"];

let dev;
let report;
let variables;

const atr = (args, env = {}) =>
  execFileSync(ATR, args, { encoding: "utf8", env: { ...process.env, ...variables, ...env } });

/** What a client prints. `args` are those of `atr mcp`. */
async function run(kind, answer, ...server) {
  const script = {
    "@modelcontextprotocol/sdk": ["node", "mcp-client.mjs", "sdk"],
    "@modelcontextprotocol/client": ["node", "mcp-client.mjs", "client"],
    "mcp (Python)": [PYTHON, "mcp_client.py"],
  }[kind];
  const env = { ...process.env, ...variables, ATR_PRIVATE_KEY: variables.HOLDER_KEY };
  const args = [...script.slice(1), "token price", answer, ...server];
  const { stdout } = await promisify(execFile)(script[0], args, { cwd: here, env, timeout: 90_000 });
  return JSON.parse(stdout);
}

const payments = () => JSON.parse(atr(["ledger", "--json"])).payments;

const LIMITS = ["mcp", "--max-per-call", "0.01", "--max-per-day", "1"];

before(async () => {
  const args = ["dev", "--json", "--port", "0", "--rpc-port", "0", "--index-port", "0", "--npm", here, "--anvil", ANVIL];
  dev = spawn(ATR, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const line of createInterface({ input: dev.stdout })) {
    text += line;
    if (line === "}") break;
  }
  report = JSON.parse(text);
  assert.equal(report.missing, null);
  const lines = readFileSync(report.environment, "utf8").matchAll(/^export (\w+)='(.*)'$/gm);
  variables = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
  // The paid tool is for holders, too.
  const gate = ["tool", "set-predicate", "2", "--gate", `erc721:${variables.COLLECTION}`, "--yes"];
  atr(gate, { ATR_PRIVATE_KEY: variables.PUBLISHER_KEY });
  for (let attempt = 1; ; attempt += 1) {
    const url = `${report.indexUrl}/api/v2/tools/search?query=token+price&access_type=nft_gated`;
    const { results } = await (await fetch(url)).json();
    if (results[0]?.display_name === "Token price" && results[0].access?.requirements?.length) break;
    assert.ok(attempt < 300, "the index did not see the tool");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

after(async () => {
  if (dev?.exitCode === null) {
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("exit", resolve));
  }
});

for (const kind of CLIENTS) {
  const version = kind === "@modelcontextprotocol/sdk" ? "2025-11-25" : "2026-07-28";
  describe(kind, () => {
    test("finds, pays for and calls a gated tool, after the user agreed", async () => {
      const before = payments().length;
      const seen = await run(kind, "yes", ATR, ...LIMITS);
      if (seen.version) assert.equal(seen.version, version);
      assert.deepEqual(seen.tools, [...READS, "call_tool"]);
      assert.equal(seen.tool.name, "Token price");
      assert.equal(seen.tool.access_type, "nft_gated");
      assert.equal(seen.called.isError, false, JSON.stringify(seen.called));
      const { body, payment, status, output } = seen.called.structuredContent;
      assert.deepEqual([status, output, body.query], [200, "valid", "eth"]);
      assert.equal(payment.amount, String(PRICE));
      assert.match(payment.transaction, /^0x[0-9a-f]{64}$/);
      // The user was asked once, about this payment.
      assert.equal(seen.asked.length, 1);
      assert.match(seen.asked[0].message, /^Pay 0\.01 USDC to 0x[0-9a-fA-F]{40} on base \(8453\)/);
      const [recorded] = payments().slice(-1);
      assert.equal(payments().length, before + 1);
      assert.equal(recorded.state, "settled");
      assert.equal(recorded.payer, variables.HOLDER.toLowerCase());
    });

    test("pays nothing when the user declines, or calls are off", async () => {
      const before = payments().length;
      const declined = await run(kind, "no", ATR, ...LIMITS);
      assert.equal(declined.asked.length, 1);
      assert.equal(declined.called.isError, true);
      assert.match(declined.called.content[0].text, /did not approve/);
      const off = await run(kind, "yes", ATR, "mcp");
      assert.deepEqual([off.called.isError, off.asked.length], [true, 0]);
      assert.match(off.called.content[0].text, /--max-per-call/);
      assert.equal(payments().length, before);
    });

    test("reads over streamable HTTP, where nothing can be called", async () => {
      const seen = await run(kind, "-", `${report.indexUrl}/mcp`);
      assert.deepEqual(seen.tools, READS);
      assert.equal(seen.tool.name, "Token price");
    });
  });
}

// The scenarios that need no tools of the suite's own. Later versions of the suite, for 2026-07-28, need Node.js 22.
for (const scenario of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]) {
  test(`conformance suite: ${scenario}`, async () => {
    const args = ["server", "--url", `${report.indexUrl}/mcp`, "--scenario", scenario];
    const { stdout } = await promisify(execFile)(join(here, "node_modules/.bin/conformance"), args);
    assert.match(stdout, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  });
}

test("a host that cannot ask pays within the limits, and not beyond the limit of a day", async () => {
  const spent = payments().reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  assert.equal(spent, PRICE * BigInt(CLIENTS.length));
  const day = ["--max-per-day", String(Number(spent + PRICE) / 1e6)];
  const call = () => run(CLIENTS[0], "-", ATR, "mcp", "--max-per-call", "0.01", ...day);
  assert.equal((await call()).called.isError, false);
  const beyond = await call();
  assert.equal(beyond.called.isError, true);
  assert.match(beyond.called.content[0].text, /last 24 hours/);
  assert.equal(payments().length, CLIENTS.length + 1);
});
