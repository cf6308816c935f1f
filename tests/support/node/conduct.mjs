// What every client here does: find its task and its server, carry out a step list, print the reply and what it heard.
import { readFileSync } from "node:fs";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const task = read(process.env.COMPANY_LAB_TASK);
const turns = read(process.argv[2])[task.conversation[0]?.message ?? task.message];
const turn = turns[task.turn - 1] ?? { do: [], reply: "" };
export const [server] = Object.values(read(process.env.COMPANY_LAB_MCP_CONFIG).mcpServers);

/** Carries out the turn; `call(tool, args)` gives a result as MCP spells it. */
export async function play(call) {
  const heard = [];
  for (const step of turn.do) {
    if (step.tool === "die") process.exit(step.args.code);
    const result = await call(step.tool, step.args);
    heard.push(result.isError ? result.structuredContent.code : "done");
  }
  console.log(`${turn.reply ?? ""}${turn.tells ? ` [${heard.join(", ")}]` : ""}`);
}
