// A tool in Node, without dependencies, for `atr gate --upstream http://127.0.0.1:3000`.
//
//   node server.mjs [port]
//
// It listens on loopback only: the gate is the only client, so the X-Tool-* headers can be trusted.
import { createServer } from "node:http";

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const input = JSON.parse(body || "{}");
  const answer = {
    greeting: `hello ${request.headers["x-tool-caller"]}`,
    agent: request.headers["x-tool-agent"] ?? null,
    paid: request.headers["x-tool-paid"] === "true",
    input,
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
});

server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
