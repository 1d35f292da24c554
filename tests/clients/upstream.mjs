// A tool: answers with the arguments and the headers that the gate sets. Prints its URL when it is ready.
import { createServer } from "node:http";

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const tool = Object.entries(request.headers).filter(([name]) => name.startsWith("x-tool-"));
  const answer = { echo: JSON.parse(Buffer.concat(chunks).toString("utf8")), headers: Object.fromEntries(tool) };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
