// An MCP client with the TypeScript SDK: replays a conduct. Usage: sdk_client.mjs CONDUCT.json, as raw_mcp.py takes it.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const turns = JSON.parse(readFileSync(process.argv[2], "utf8"));
const task = JSON.parse(readFileSync(process.env.COMPANY_LAB_TASK, "utf8"));
const turn = turns[task.turn - 1] ?? { do: [], reply: "" };
const config = JSON.parse(readFileSync(process.env.COMPANY_LAB_MCP_CONFIG, "utf8"));
const [server] = Object.values(config.mcpServers);
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport({ command: server.command, args: server.args });
const client = new Client({ name: "node", version: "1.0.0" });
await client.connect(transport);
await client.listTools();
for (const step of turn.do) {
  await client.callTool({ name: step.tool, arguments: step.args });
}
await client.close();
console.log(turn.reply ?? "");
