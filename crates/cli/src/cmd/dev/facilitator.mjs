// An x402 facilitator from the packages @x402/core and @x402/evm: verifies and settles payments on one chain.
// Usage: RPC_URL=… PRIVATE_KEY=… node facilitator.mjs [port]. Prints its URL when it is ready.
import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, http, publicActions } from "viem";
import { nonceManager, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

const account = privateKeyToAccount(process.env.PRIVATE_KEY, { nonceManager });
const transport = http(process.env.RPC_URL);
const client = createWalletClient({ account, chain: base, transport, pollingInterval: 100 }).extend(publicActions);
const signer = toFacilitatorEvmSigner({
  address: account.address,
  getCode: (args) => client.getCode(args),
  readContract: (args) => client.readContract(args),
  verifyTypedData: (args) => client.verifyTypedData(args),
  writeContract: (args) => client.writeContract(args),
  sendTransaction: (args) => client.sendTransaction(args),
  waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
});
const facilitator = registerExactEvmScheme(new x402Facilitator(), { signer, networks: `eip155:${base.id}` });

const MAX_BODY_BYTES = 64 * 1024;

async function body(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

const operations = {
  "GET /supported": () => facilitator.getSupported(),
  "POST /verify": ({ paymentPayload, paymentRequirements }) => facilitator.verify(paymentPayload, paymentRequirements),
  "POST /settle": ({ paymentPayload, paymentRequirements }) => facilitator.settle(paymentPayload, paymentRequirements),
};

const server = createServer(async (request, response) => {
  const operation = operations[`${request.method} ${request.url}`];
  let status = 404;
  let result = { error: "not found" };
  if (operation) {
    try {
      result = await operation(request.method === "POST" ? await body(request) : undefined);
      status = 200;
    } catch (error) {
      status = 500;
      result = { error: String(error.message ?? error) };
    }
  }
  const text = JSON.stringify(result, (_, value) => (typeof value === "bigint" ? value.toString() : value));
  response.writeHead(status, { "content-type": "application/json" }).end(text);
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
