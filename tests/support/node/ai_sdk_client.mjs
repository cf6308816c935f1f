// A program with the MCP client of the AI SDK, which is not built on the official SDKs. Usage as of sdk_client.mjs.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { play, server } from "./conduct.mjs";

const transport = server.url
  ? { type: "http", url: server.url }
  : new StdioTransport({ command: server.command, args: server.args });
const client = await createMCPClient({ transport });
// Tools are given by hand, so that one the world does not have can be called too.
const tools = client.toolsFromDefinitions({
  tools: [...(await client.listTools()).tools, { name: "depot_fetch", inputSchema: { type: "object", properties: {} } }],
});
await play((name, args) => tools[name].execute(args, { toolCallId: name, messages: [] }));
await client.close();
