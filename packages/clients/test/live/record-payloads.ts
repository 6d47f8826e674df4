/**
 * Records what the real clients send to their hooks, for the fixtures of the ordinary tests:
 *
 *     node -C hookwarden-source packages/clients/test/live/record-payloads.ts codex [another client]
 *
 * Session ids, times and paths are replaced, and long texts are cut, so that no text of a client's own is kept.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientName, clientNames } from "../../src/clients/index.ts";
import { binaryOf } from "./installed-clients.ts";
import { liveSession } from "./live-client.ts";

/** Longest text that is kept. */
const longest = 120;

for (const client of process.argv.slice(2) as ClientName[]) {
  if (!clientNames.includes(client)) throw new Error(`there is no client ${client}`);
  await record(client);
}
process.exit(0);

async function record(client: ClientName): Promise<void> {
  let log = "";
  await liveSession({
    client,
    binary: binaryOf(client),
    hook: { on: ["PreToolUse"], actions: ["deny"], does: "() => undefined" },
    programs: { node: process.execPath, client: new URL("./recorder.mjs", import.meta.url).pathname },
    finish: async ({ home }) => {
      const file = join(home, "pack", "recorded.jsonl");
      if (existsSync(file)) log = readFileSync(file, "utf8").replaceAll(home, "/home/user");
    },
  });
  const lines = log
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.stringify(cleaned("", JSON.parse(line))));
  const unique = [...new Map(lines.map((line) => [String(JSON.parse(line).hook_event_name), line])).values()];
  writeFileSync(new URL(`../clients/fixtures/${client}.jsonl`, import.meta.url), `${unique.join("\n")}\n`);
  console.log(client, unique.length);
}

function cleaned(field: string, value: unknown): unknown {
  if (typeof value === "string") {
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return "2026-01-01T00:00:00.000Z";
    const text = value.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "id");
    return text.length > longest ? `${text.slice(0, 20)}…` : text;
  }
  if (typeof value === "number") return /time/i.test(field) ? 0 : value;
  if (Array.isArray(value)) return value.slice(0, 3).map((one) => cleaned(field, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(name, one)]));
}
