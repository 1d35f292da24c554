// Finds a tool with an MCP client of npm and calls it. Prints what the client saw as JSON.
//
// Usage: node mcp-client.mjs <sdk|client> <query> <answer of the user> <command> <argument>…
//        node mcp-client.mjs <sdk|client> <query> - <URL>
const [kind, query, answer, ...server] = process.argv.slice(2);

const isRemote = server[0].startsWith("http");
const info = { name: "atr-test", version: "1.0.0" };
const asked = [];
const answerQuestion = async (request) => {
  asked.push(request.params);
  return answer === "yes" ? { action: "accept", content: { approve: true } } : { action: "decline" };
};

async function connect() {
  const capabilities = answer === "-" ? {} : { elicitation: { form: {} } };
  const process_ = { command: server[0], args: server.slice(1), env: process.env, stderr: "inherit" };
  if (kind === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info, { capabilities });
    if (answer !== "-") client.setRequestHandler(ElicitRequestSchema, answerQuestion);
    await client.connect(
      isRemote ? new StreamableHTTPClientTransport(new URL(server[0])) : new StdioClientTransport(process_),
    );
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { capabilities, versionNegotiation: { mode: "auto" } });
  if (answer !== "-") client.setRequestHandler("elicitation/create", answerQuestion);
  await client.connect(
    isRemote ? new StreamableHTTPClientTransport(new URL(server[0])) : new StdioClientTransport(process_),
  );
  return client;
}

const client = await connect();
const { tools } = await client.listTools();
const found = await client.callTool({ name: "search_tools", arguments: { query } });
const tool_ref = found.structuredContent.results[0].tool_ref;
const tool = await client.callTool({ name: "get_tool", arguments: { tool_ref } });
const called = isRemote
  ? null
  : await client.callTool({ name: "call_tool", arguments: { tool_ref, arguments: { query: "eth" } } });
const version = client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion ?? null;
console.log(
  JSON.stringify({ version, tools: tools.map(({ name }) => name), tool: tool.structuredContent, called, asked }),
);
await client.close();
