/**
 * Runs the real clients, one at a time, and records in `proven.json` which calls met a hook and what happened while
 * hookwarden failed. `npm run generate` makes `docs/clients.md` of it.
 *
 *     HOOKWARDEN_LIVE_CACHE=<folder> node -C hookwarden-source packages/clients/test/live/prove.ts codex [another]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type ClientName, clientNames } from "../../src/clients/index.ts";
import { denies, writeCanaryPack } from "../../src/doctor/canary-pack.ts";
import { faults, tryFault } from "../../src/doctor/faults.ts";
import { paths, tryPath } from "../../src/doctor/paths.ts";
import { installIn, type SessionPlace } from "../../src/doctor/session.ts";
import { programs } from "../../src/hook/programs.ts";
import { binaryOf, versions } from "./installed-clients.ts";

const file = new URL("../../proven.json", import.meta.url);

const prepare = async (place: SessionPlace): Promise<void> => {
  await writeCanaryPack(place.pack, denies);
  await installIn(place, { node: process.execPath, client: programs().client });
};

for (const name of process.argv.slice(2)) {
  const client = clientNames.find((one) => one === name);
  if (!client) throw new Error(`there is no client ${name}`);
  await prove(client);
}
process.exit(0);

async function prove(client: ClientName): Promise<void> {
  const binary = binaryOf(client);
  const found: { paths: Record<string, string>; faults: Record<string, string> } = { paths: {}, faults: {} };
  for (const path of paths) {
    const { outcome } = await tryPath({ client, binary, prepare }, path);
    found.paths[path.name] = outcome;
    console.log(`${client}: ${path.name}: ${outcome}`);
  }
  for (const fault of faults) {
    const { outcome } = await tryFault(client, binary, fault);
    found.faults[fault.name] = outcome;
    console.log(`${client}: ${fault.name}: ${outcome}`);
  }
  const proven = JSON.parse(readFileSync(file, "utf8")) as { clients: Record<string, unknown> };
  proven.clients[client] = { version: versions[client], ...found };
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(file, `${JSON.stringify({ ...proven, date }, null, 2)}\n`);
}
