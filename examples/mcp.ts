/**
 * The reference filesystem server behind a proxy in this process, with a hook that keeps one file from being read and
 * takes keys out of all others.
 *
 *     node examples/mcp.ts
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { createWarden, loadPackFromFiles } from "hookwarden";
import { createMcpProxy } from "@hookwarden/mcp";

const manifest = {
  apiVersion: 1,
  name: "guard-files",
  version: "1.0.0",
  entry: "hook.js",
  on: [
    { event: "PreToolUse", matcher: "mcp__files__read_text_file" },
    { event: "PostToolUse", matcher: "mcp__files__read_text_file" },
  ],
  reads: ["tool_input.path", "tool_response"],
  actions: ["deny", "replace_result"],
};
const script = `
import { deny, replaceResult } from "hookwarden/hook";

export default {
  PreToolUse: ({ tool_input }) => (tool_input.path.endsWith(".env") ? deny("ask a person for settings") : undefined),
  PostToolUse: ({ tool_response }) =>
    replaceResult(JSON.parse(JSON.stringify(tool_response).replace(/sk-[a-z0-9]+/g, "[key]"))),
};
`;

const files = {
  "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["guard-files"] }),
  "guard-files/hook.json": JSON.stringify(manifest),
  "guard-files/hook.js": script,
};
const pack = await loadPackFromFiles(
  new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
);

const folder = await mkdtemp(join(tmpdir(), "hookwarden-example-"));
await writeFile(join(folder, "notes.txt"), "the key is sk-abcdef0123456789\n");
await writeFile(join(folder, ".env"), "KEY=sk-abcdef0123456789\n");

const server = new URL(
  "../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
  import.meta.url,
);
const [near, far] = InMemoryTransport.createLinkedPair();

{
  await using warden = await createWarden({ pack, isolation: "inline" });
  await using _proxy = await createMcpProxy({
    warden,
    name: "files",
    server: { command: process.execPath, args: [server.pathname, folder] },
    client: far,
    onProblem: console.error,
  });

  const client = new Client({ name: "example", version: "1.0.0" });
  await client.connect(near);
  for (const name of ["notes.txt", ".env"]) {
    const { content } = await client.callTool({
      name: "read_text_file",
      arguments: { path: join(folder, name) },
    });
    console.log(`${name}:`, (content as { text: string }[])[0]?.text);
  }
  await client.close();
}
await rm(folder, { recursive: true });
