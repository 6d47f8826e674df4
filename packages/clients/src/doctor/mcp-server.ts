/**
 * A program that serves one tool by MCP over standard input and output: it leaves a file if it runs. It has no
 * dependencies, so that Node runs it as text.
 */
export function mcpServer(canary: string): string {
  return `
const { writeFileSync } = require("node:fs");
const lines = require("node:readline").createInterface({ input: process.stdin });
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize")
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "canary", version: "1.0.0" } } });
  else if (method === "tools/list")
    say({ id, result: { tools: [{ name: "run", description: "Runs the canary.", inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } }] } });
  else if (method === "tools/call") {
    writeFileSync(${JSON.stringify(canary)}, "");
    say({ id, result: { content: [{ type: "text", text: "canary-42" }] } });
  } else if (method === "ping") say({ id, result: {} });
  else say({ id, error: { code: -32601, message: "method not found" } });
});
`;
}
