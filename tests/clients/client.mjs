// Calls a tool with one of the public x402 clients and prints status, body and receipt as JSON.
// Usage: PRIVATE_KEY=… node client.mjs <x402-fetch|@x402/fetch|viem> <url> <body>
import { randomBytes } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";

const [kind, url, body] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);

const clients = {
  // x402 v1.
  async "x402-fetch"() {
    const { wrapFetchWithPayment } = await import("x402-fetch");
    return wrapFetchWithPayment(fetch, account);
  },
  // x402 v2.
  async "@x402/fetch"() {
    const { wrapFetchWithPaymentFromConfig } = await import("@x402/fetch");
    const { ExactEvmScheme } = await import("@x402/evm");
    const schemes = [{ network: "eip155:8453", client: new ExactEvmScheme(account) }];
    return wrapFetchWithPaymentFromConfig(fetch, { schemes });
  },
  // The guide's flow by hand: x402 v1, typed data signed by viem.
  async viem() {
    return async (target, init) => {
      const bare = await fetch(target, init);
      if (bare.status !== 402) return bare;
      const { accepts } = await bare.json();
      const { payTo, maxAmountRequired, asset, network, extra } = accepts[0];
      const authorization = {
        from: account.address,
        to: payTo,
        value: maxAmountRequired,
        validAfter: "0",
        validBefore: String(Math.floor(Date.now() / 1000) + 300),
        nonce: `0x${randomBytes(32).toString("hex")}`,
      };
      const signature = await account.signTypedData({
        domain: { name: extra.name, version: extra.version, chainId: 8453, verifyingContract: asset },
        primaryType: "TransferWithAuthorization",
        types: {
          TransferWithAuthorization: [
            { name: "from", type: "address" },
            { name: "to", type: "address" },
            { name: "value", type: "uint256" },
            { name: "validAfter", type: "uint256" },
            { name: "validBefore", type: "uint256" },
            { name: "nonce", type: "bytes32" },
          ],
        },
        message: authorization,
      });
      const payment = { x402Version: 1, scheme: "exact", network, payload: { signature, authorization } };
      const header = Buffer.from(JSON.stringify(payment)).toString("base64");
      return fetch(target, { ...init, headers: { ...init.headers, "X-PAYMENT": header } });
    };
  },
};

const pay = await clients[kind]();
const headers = { "content-type": "application/json" };
if (process.env.DELEGATE_FOR) headers["X-Delegate-For"] = process.env.DELEGATE_FOR;
const response = await pay(url, { method: "POST", headers, body });
const receipt = response.headers.get("payment-response") ?? response.headers.get("x-payment-response");
console.log(
  JSON.stringify({
    status: response.status,
    body: await response.json().catch(() => null),
    receipt: receipt && JSON.parse(Buffer.from(receipt, "base64").toString("utf8")),
  }),
);
