/**
 * Runs the real clients, one at a time, and records in `proven.json` what each was seen to do: the actions that it carried
 * out, the paths and tools that met a hook, what happened while hookwarden failed, and the verdicts of a scripted session.
 * `npm run generate` derives `docs/clients.md` from it.
 *
 *     HOOKWARDEN_LIVE_CACHE=<folder> node -C hookwarden-source packages/clients/test/live/prove.ts codex [part...]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type ClientName, clientNames } from "../../src/clients/index.ts";
import { freshInstall } from "../../src/doctor/examine.ts";
import { denies, passes } from "../../src/doctor/canary-pack.ts";
import { faults, tryFault } from "../../src/doctor/faults.ts";
import { paths, tryEveryTool, tryPath } from "../../src/doctor/paths.ts";
import { binaryOf, versions } from "./installed-clients.ts";
import { proveActions } from "./proofs.ts";
import { runScripted, steps } from "./scripted.ts";
import { proveManaged, proveSwitches } from "./switched-off.ts";

const file = new URL("../../proven.json", import.meta.url);
const verbose = process.env["HOOKWARDEN_LIVE_VERBOSE"] === "1";
/** Whether only what has no result yet is run, so that a run that was cut short can be continued. */
const missing = process.env["HOOKWARDEN_LIVE_MISSING"] === "1";

type Results = { [what: string]: string | Results };
const partNames = ["actions", "paths", "tools", "faults", "session", "switches", "managed"] as const;

const { clients } = read();

function read(): { clients: { [client: string]: Results } } {
  return JSON.parse(readFileSync(file, "utf8")) as { clients: { [client: string]: Results } };
}

/** The results of one part so far, and how one more is kept. */
interface Part {
  readonly has: (...path: readonly string[]) => boolean;
  readonly keep: (outcome: string, ...path: readonly string[]) => void;
}

function partOf(client: ClientName, part: string): Part {
  const before = missing ? clients[client]?.[part] : undefined;
  const found: Results = typeof before === "object" ? before : {};
  return {
    has: (...path) =>
      path.reduce<unknown>((at, name) => (at as Results | undefined)?.[name], found) !== undefined,
    keep: (outcome, ...path) => {
      const last = path.at(-1) as string;
      let at = found;
      for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Results;
      at[last] = outcome;
      console.log(`${client}: ${path.join(" ")}: ${outcome}`);
      const proven = read();
      const date = new Date().toISOString().slice(0, 10);
      proven.clients[client] = { ...proven.clients[client], version: versions[client], date, [part]: found };
      writeFileSync(file, `${JSON.stringify(proven, null, 2)}\n`);
    },
  };
}

/** The parts of a proof, each of which yields one member of the client's entry. */
const parts: {
  readonly [name in (typeof partNames)[number]]: (
    client: ClientName,
    binary: string,
    part: Part,
  ) => Promise<void>;
} = {
  actions: async (client, binary, { has, keep }) => {
    await proveActions(
      client,
      binary,
      (what, outcome, session) => {
        keep(outcome, ...what.split(" "));
        if (!verbose || outcome === "carried") return;
        const { conversations, output, code, ran, ranAgain, rounds } = session;
        console.log({ code, ran, ranAgain, rounds, results: conversations.at(-1)?.results });
        console.log(output.slice(-1_500));
      },
      (what) => !has(...what.split(" ")),
    );
  },

  paths: async (client, binary, { has, keep }) => {
    for (const path of paths) {
      if (has(path.name)) continue;
      const { outcome } = await tryPath({ client, binary, prepare: freshInstall(passes) }, path);
      keep(outcome, path.name);
    }
  },

  tools: async (client, binary, { keep }) => {
    const options = { client, binary, prepare: freshInstall(denies) };
    for (const { tool, outcome, shown } of await tryEveryTool(options, false)) {
      keep(outcome, tool);
      if (verbose && outcome !== "denied") console.log(shown);
    }
  },

  faults: async (client, binary, { has, keep }) => {
    for (const fault of faults) {
      if (!has(fault.name)) keep((await tryFault(client, binary, fault)).outcome, fault.name);
    }
  },

  session: async (client, binary, { keep }) => {
    const decisions = await runScripted(client, binary);
    for (const [index, { name }] of steps.entries()) keep(decisions[index]?.verdict ?? "not reached", name);
  },

  switches: (client, binary, { keep }) =>
    proveSwitches(client, binary, (setting, outcome) => keep(outcome, setting)),

  managed: async (client, binary, { keep }) => {
    // It writes below `/etc`.
    if (process.env["HOOKWARDEN_LIVE_MANAGED"] !== "1") return;
    const outcome = await proveManaged(client, binary);
    if (outcome !== null) keep(outcome, "shell");
  },
};

const [name, ...chosen] = process.argv.slice(2);
const client = clientNames.find((one) => one === name);
if (!client) throw new Error(`there is no client ${name}`);
const binary = binaryOf(client);
for (const part of partNames) {
  if (chosen.length === 0 || chosen.includes(part)) await parts[part](client, binary, partOf(client, part));
}
process.exit(0);
