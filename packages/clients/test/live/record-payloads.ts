/**
 * Records what the real clients send to their hooks in the scripted session, for the fixtures of the ordinary tests: the
 * first message of each event, and all messages before tools.
 *
 *     node -C hookwarden-source packages/clients/test/live/record-payloads.ts codex [another client]
 *
 * Session ids, times and paths are replaced, and long texts are cut, so that no text of a client's own is kept.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ClientName, clientNames, clients, type Json } from "../../src/clients/index.ts";
import { binaryOf } from "./installed-clients.ts";
import { steps } from "./scripted.ts";
import { installIn, runSession } from "../../src/doctor/session.ts";

/** Longest text that is kept. */
const longest = 120;

for (const client of process.argv.slice(2) as ClientName[]) {
  if (!clientNames.includes(client)) throw new Error(`there is no client ${client}`);
  await record(client);
}
process.exit(0);

async function record(client: ClientName): Promise<void> {
  let log = "";
  const recorder = new URL("./recorder.mjs", import.meta.url).pathname;
  await runSession({
    client,
    binary: binaryOf(client),
    // Nothing is refused: the calls run in folders that go away, and reach no network.
    script:
      (place) =>
      ({ rounds, tools }) => {
        const call = steps[rounds]?.call(tools, place);
        return call ? { calls: [call] } : { text: "done" };
      },
    prepare: async (place) => {
      await mkdir(place.pack);
      await mkdir(join(place.cwd, ".git"));
      await writeFile(join(place.cwd, "credentials.json"), '{ "token": "abc" }\n');
      await installIn(place, { node: process.execPath, client: recorder });
    },
    finish: async ({ home }) => {
      const file = join(home, "pack", "recorded.jsonl");
      if (existsSync(file))
        log = readFileSync(file, "utf8").replaceAll(home, "/home/user").replaceAll(basename(home), "user");
    },
  });
  const lines = log
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.stringify(cleaned("", JSON.parse(line))));
  const nameOf = (line: string): string => String((JSON.parse(line) as Json)["hook_event_name"]);
  const unique = [...new Map(lines.toReversed().map((line) => [nameOf(line), line])).values()].toReversed();
  const calls = lines.filter((line) => clients[client].events[nameOf(line)]?.event === "PreToolUse");
  for (const [file, kept] of [
    [`${client}.jsonl`, unique],
    [`session/${client}.jsonl`, calls],
  ] as const) {
    writeFileSync(new URL(`../clients/fixtures/${file}`, import.meta.url), `${kept.join("\n")}\n`);
  }
  console.log(client, unique.length, calls.length);
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
