/**
 * `node test/bench/mcp.ts [--rounds N]`: what the MCP proxy adds to a tool call, as ratios to the bare client and server
 * in the same rounds. Prints tables; it reports, and asserts nothing.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { createMcpProxy } from "@hookwarden/mcp";
import { createWarden } from "../../src/warden/index.ts";
import { type WrittenHook, writePack } from "../../packages/mcp/test/packs.ts";
import {
  connect,
  everything,
  freePort,
  overHttp,
  overStdio,
  Program,
  proxied,
} from "../../packages/mcp/test/reference.ts";
import { type Case, measure } from "./rounds.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);

const both: WrittenHook = {
  name: "both",
  on: ["PreToolUse", "PostToolUse"],
  reads: ["tool_input", "tool_response"],
  actions: ["deny", "replace_result"],
  script: `export default (event) => JSON.stringify(event).includes("no such text") ? { action: "deny", reason: "no" } : undefined;`,
};

const scratch = await mkdtemp(join(tmpdir(), "hookwarden-bench-"));
await using running = new AsyncDisposableStack();
running.defer(() => rm(scratch, { recursive: true, force: true }));
const empty = await writePack(join(scratch, "empty"), [
  { name: "elsewhere", on: ["SessionEnd"], actions: ["notify"], script: "export default () => undefined;" },
]);
const hooked = await writePack(join(scratch, "hooked"), [both]);

async function client(transport: Parameters<typeof connect>[0]): Promise<Client> {
  const { client: one } = await connect(transport);
  running.defer(() => one.close());
  return one;
}

function calling(name: string, one: Client, message: string): Case {
  return { name, n: 300, run: () => one.callTool({ name: "echo", arguments: { message } }) };
}

async function report(title: string, clients: readonly (readonly [string, Client])[]): Promise<void> {
  for (const [size, message] of [
    ["20 bytes", "x".repeat(20)],
    ["20,000 bytes", "x".repeat(20_000)],
  ] as const) {
    console.log(`\n### ${title}, echo of ${size}\n`);
    console.log("| | ratio | least to most | µs | p99 µs |\n|---|---:|---:|---:|---:|");
    const cases = clients.map(([name, one]) => calling(name, one, message));
    for (const { name, ratio, least, most, us, p99 } of await measure(cases, rounds)) {
      const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
      console.log(`| ${name} | ${ratio.toFixed(2)}× | ${range} | ${us.toFixed(0)} | ${p99.toFixed(0)} |`);
    }
  }
}

/** Client and server in this process: what is left is the work, without the wait for other processes. */
async function inProcess(pack: string | null): Promise<Client> {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: { message: z.string() } }, ({ message }) => ({
    content: [{ type: "text", text: message }],
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  if (pack === null) {
    await server.connect(far);
    return client(near);
  }
  const [behind, before] = InMemoryTransport.createLinkedPair();
  await server.connect(behind);
  const warden = running.use(await createWarden({ pack, isolation: "inline" }));
  await createMcpProxy({ warden, name: "everything", client: far, server: () => before });
  return client(near);
}

await report("in one process", [
  ["client and server", await inProcess(null)],
  ["with the proxy, no hook listening", await inProcess(empty)],
  ["with a hook before and after", await inProcess(hooked)],
]);

const separate = (pack: string, ...options: string[]): readonly string[] =>
  proxied(pack, "everything", everything, "--isolation", "process", ...options);
await report("stdio", [
  ["client and server", await client(overStdio(everything))],
  ["with the proxy, no hook listening", await client(overStdio(proxied(empty, "everything", everything)))],
  [
    "with a hook before and after, in the proxy's process",
    await client(overStdio(proxied(hooked, "everything", everything))),
  ],
  ["with a hook before and after, in processes of its own", await client(overStdio(separate(hooked)))],
]);

const port = await freePort();
const listening = [/listening on port/, { PORT: String(port) }] as const;
running.use(await Program.start([...everything, "streamableHttp"], ...listening));
const url = `http://127.0.0.1:${port}/mcp`;
const line = proxied(hooked, "everything", [], "--url", url, "--listen", "127.0.0.1:0");
const proxy = running.use(await Program.start(line, /listening at http/));
await report("Streamable HTTP at both ends", [
  ["client and server", await client(overHttp(url))],
  [
    "with a hook before and after, in the proxy's process",
    await client(overHttp(/listening at (\S+)/.exec(proxy.output)?.[1] as string)),
  ],
]);
