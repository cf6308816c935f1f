// A program with the TypeScript SDK. Usage: sdk_client.mjs CONDUCT.json: by the first message of an episode its turns,
// each with `do` (tool, args; the tool `die` ends the program), `reply` and `tells` (whether the reply says what was heard).
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { play, server } from "./conduct.mjs";

const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport({ command: server.command, args: server.args });
const client = new Client({ name: "with the TypeScript SDK", version: "1.0.0" });
await client.connect(transport);
await client.listTools();
await play((name, args) => client.callTool({ name, arguments: args }));
await client.close();
