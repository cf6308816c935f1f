// A program with the second version of the TypeScript SDK. Usage as of sdk_client.mjs.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { play, server } from "./conduct.mjs";

const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport({ command: server.command, args: server.args });
const client = new Client({ name: "with the second TypeScript SDK", version: "1.0.0" });
await client.connect(transport);
await client.listTools();
await play((name, args) => client.callTool({ name, arguments: args }));
await client.close();
