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

const file = new URL("../../proven.json", import.meta.url);
/** A pattern of the actions that are run again, such as `^Subagent`; the others keep what the last run has shown. */
const only = process.env["HOOKWARDEN_LIVE_ACTIONS"]
  ? new RegExp(process.env["HOOKWARDEN_LIVE_ACTIONS"])
  : undefined;
const verbose = process.env["HOOKWARDEN_LIVE_VERBOSE"] === "1";

/** The parts of a proof, each of which yields one member of the client's entry. */
const parts: { readonly [name: string]: (client: ClientName, binary: string) => Promise<object> } = {
  actions: (client, binary) =>
    proveActions(
      client,
      binary,
      (what, outcome, session) => {
        console.log(`${client}: ${what}: ${outcome} (${session.ms} ms)`);
        if (verbose && outcome !== "carried") {
          const { conversations, output, code, ran, ranAgain, rounds } = session;
          const last = conversations.at(-1);
          console.log({
            code,
            ran,
            ranAgain,
            rounds,
            results: last?.results,
            tools: last?.tools.map(({ name }) => name),
          });
          console.log(output.slice(-1_500));
        }
      },
      (what) => only === undefined || only.test(what),
    ),

  paths: async (client, binary) => {
    const found: { [path: string]: string } = {};
    for (const path of paths) {
      const { outcome, tool, ms } = await tryPath({ client, binary, prepare: freshInstall(passes) }, path);
      found[path.name] = outcome;
      console.log(`${client}: ${path.name}: ${outcome} (${tool}, ${ms} ms)`);
    }
    return found;
  },

  tools: async (client, binary) => {
    const found: { [tool: string]: string } = {};
    const options = { client, binary, prepare: freshInstall(denies) };
    for (const { tool, outcome, shown } of await tryEveryTool(options, false)) {
      found[tool] = outcome;
      console.log(`${client}: ${tool}: ${outcome}${outcome === "denied" ? "" : `: ${shown}`}`);
    }
    return found;
  },

  faults: async (client, binary) => {
    const found: { [fault: string]: string } = {};
    for (const fault of faults) {
      const { outcome, ms } = await tryFault(client, binary, fault);
      found[fault.name] = outcome;
      console.log(`${client}: ${fault.name}: ${outcome} (${ms} ms)`);
    }
    return found;
  },

  session: async (client, binary) => {
    const decisions = await runScripted(client, binary);
    console.log(`${client}: ${decisions.map(({ tool, verdict }) => `${tool} ${verdict}`).join(", ")}`);
    return Object.fromEntries(
      steps.map(({ name }, index) => [name, decisions[index]?.verdict ?? "not reached"]),
    );
  },
};

const [name, ...chosen] = process.argv.slice(2);
const client = clientNames.find((one) => one === name);
if (!client) throw new Error(`there is no client ${name}`);
const binary = binaryOf(client);
for (const part of chosen.length > 0 ? chosen : Object.keys(parts)) {
  const found = await parts[part]?.(client, binary);
  if (!found) throw new Error(`there is no part ${part}`);
  const proven = JSON.parse(readFileSync(file, "utf8")) as { clients: Record<string, object> };
  const before = (proven.clients[client] as { [part: string]: object } | undefined)?.[part];
  const date = new Date().toISOString().slice(0, 10);
  proven.clients[client] = {
    ...proven.clients[client],
    version: versions[client],
    date,
    [part]: only && part === "actions" ? joined(before ?? {}, found) : found,
  };
  writeFileSync(file, `${JSON.stringify(proven, null, 2)}\n`);
}
process.exit(0);

/** The results of a run of some actions, added to those of another by event. */
function joined(before: object, found: object): object {
  const all = { ...before } as { [event: string]: object };
  for (const [event, actions] of Object.entries(found))
    all[event] = { ...all[event], ...(actions as object) };
  return all;
}
