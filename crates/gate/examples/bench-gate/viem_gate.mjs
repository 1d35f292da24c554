// A gate in Node.js with viem that makes the checks of `atr gate`: fields and signature of the credential, one use of its nonce, access
// at the latest block, cached per block. Then it forwards the request. It is the comparison of `make bench-gate`.
import { Agent, createServer, request as send } from "node:http";
import { createPublicClient, http, parseAbi, verifyTypedData } from "viem";
import { base } from "viem/chains";

const { RPC_URL, REGISTRY, OPERATOR, UPSTREAM_PORT } = process.env;
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const client = createPublicClient({ chain: base, transport: http(RPC_URL) });
const abi = parseAbi(["function tryHasAccess(uint256, address, bytes) view returns (bool, bool)"]);
const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
};
const domain = { name: "USD Coin", version: "2", chainId: base.id, verifyingContract: USDC };

let block = await client.getBlockNumber();
let cache = new Map();
setInterval(async () => {
  const latest = await client.getBlockNumber({ cacheTime: 0 });
  if (latest !== block) [block, cache] = [latest, new Map()];
}, 1000).unref();

function access(account) {
  if (!cache.has(account)) {
    const call = { address: REGISTRY, abi, functionName: "tryHasAccess", args: [1n, account, "0x"], blockNumber: block };
    cache.set(account, client.readContract(call));
  }
  return cache.get(account);
}

const used = new Map();
setInterval(() => {
  const now = Date.now() / 1000;
  for (const [nonce, expiry] of used) if (expiry <= now) used.delete(nonce);
}, 30_000).unref();

async function admit(header) {
  const payment = JSON.parse(Buffer.from(header, "base64").toString("utf8"));
  const { authorization, signature } = payment.payload;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const now = Date.now() / 1000;
  const isValid =
    payment.network === "base" &&
    payment.scheme === "exact" &&
    to.toLowerCase() === OPERATOR.toLowerCase() &&
    BigInt(value) === 0n &&
    Number(validAfter) <= now &&
    Number(validBefore) > now &&
    !used.has(nonce);
  if (!isValid) return null;
  const typed = { domain, types, primaryType: "TransferWithAuthorization", message: authorization };
  if (!(await verifyTypedData({ ...typed, address: from, signature }))) return null;
  const [ok, granted] = await access(from);
  if (!ok || !granted) return null;
  used.set(nonce, Number(validBefore));
  return from;
}

const agent = new Agent({ keepAlive: true });
const server = createServer(async (request, response) => {
  const header = request.headers["x-payment"];
  const caller = header && (await admit(header));
  if (!caller) return response.writeHead(402).end();
  const { host, "x-payment": _, ...headers } = request.headers;
  const options = { agent, port: UPSTREAM_PORT, method: "POST", path: request.url, headers: { ...headers, "x-tool-caller": caller } };
  const forwarded = send(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  request.pipe(forwarded);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
