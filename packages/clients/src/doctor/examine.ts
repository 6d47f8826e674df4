import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { clients, type ClientName, type Json } from "../clients/index.ts";
import { programs } from "../hook/programs.ts";
import { findClients, type FoundClient } from "../settings/find-clients.ts";
import { type Place, placesOf } from "../settings/places.ts";
import { denies, writeCanaryPack } from "./canary-pack.ts";
import { type FaultResult, faults, tryFault } from "./faults.ts";
import { type PathResult, paths, tryPath } from "./paths.ts";
import { installIn, type SessionPlace } from "./session.ts";

/** What was found out about one client. */
export interface Examination {
  readonly client: ClientName;
  readonly title: string;
  readonly binary: string;
  readonly version: string | null;
  /** Whether its configuration names hookwarden. */
  readonly installed: boolean;
  /** Calls with the person's own configuration, or, without one of hookwarden's, with a fresh one. */
  readonly paths: readonly PathResult[];
  readonly faults: readonly FaultResult[];
  /** Tools that are known to run without a hook. */
  readonly knownGaps: readonly string[];
  /** What makes the examination fail, one line each. */
  readonly problems: readonly string[];
}

export interface ExamineOptions {
  readonly client: ClientName;
  readonly binary: string;
  readonly version: string | null;
  /** Whose project configuration counts. */
  readonly cwd: string;
  /** Whether hookwarden fails on purpose as well. */
  readonly withFaults: boolean;
  /** Called before each session of the client. */
  readonly onProgress?: (what: string) => void;
}

/** Runs one real client until it is known which of its calls meet a hook, and what happens where hookwarden fails. */
export async function examine(options: ExamineOptions): Promise<Examination> {
  const { client, binary, cwd, onProgress } = options;
  const [found] = (await findClients(cwd)).filter(({ name }) => name === client);
  const installed = isInstalled(found);
  const prepare = installed ? copyHooks(client, cwd) : freshInstall;
  const pathResults: PathResult[] = [];
  for (const path of paths) {
    onProgress?.(path.name);
    pathResults.push(await tryPath({ client, binary, prepare }, path));
  }
  const faultResults: FaultResult[] = [];
  for (const fault of options.withFaults ? faults : []) {
    onProgress?.(fault.name);
    faultResults.push(await tryFault(client, binary, fault));
  }
  return {
    client,
    title: clients[client].title,
    binary,
    version: options.version,
    installed,
    paths: pathResults,
    faults: faultResults,
    knownGaps: clients[client].gaps,
    problems: problemsOf(installed, pathResults, faultResults),
  };
}

function isInstalled(found: FoundClient | undefined): boolean {
  return found?.places.some(({ hooks }) => hooks.some(({ ours }) => ours)) ?? false;
}

function problemsOf(
  installed: boolean,
  pathResults: readonly PathResult[],
  faultResults: readonly FaultResult[],
): string[] {
  return [
    ...(installed ? [] : ["its configuration does not name hookwarden; `hookwarden install` adds it"]),
    ...pathResults.flatMap(({ path, outcome, tool }) =>
      outcome === "ran"
        ? [`${path}: \`${tool}\` ran without meeting a hook`]
        : outcome === "unclear"
          ? [`${path}: \`${tool}\` did not run, and no hook refused it`]
          : [],
    ),
    ...(pathResults.some(({ outcome }) => outcome === "denied")
      ? []
      : ["no call was refused, so that nothing is proven"]),
    ...faultResults.flatMap(({ fault, outcome }) =>
      outcome === "denied" ? [] : [`${fault}: the tool ${outcome === "ran" ? "ran" : "was not called"}`],
    ),
  ];
}

async function freshInstall(place: SessionPlace): Promise<void> {
  await writeCanaryPack(place.pack, denies);
  await installIn(place, { node: process.execPath, client: programs().client });
}

/** Copies the hooks of the person and the project, and nothing else, into the folders of a session. */
function copyHooks(client: ClientName, cwd: string): (place: SessionPlace) => Promise<void> {
  return async (place) => {
    const copies = placesOf(client, { cwd: place.cwd, home: place.home, env: {} });
    for (const from of placesOf(client, { cwd })) {
      const to = copies.find(({ scope }) => scope === from.scope);
      if (to && from.scope !== "managed") await copyPlace(from, to);
    }
  };
}

async function copyPlace(from: Place, to: Place): Promise<void> {
  try {
    if (from.kind === "folder") return await cp(from.path, to.path, { recursive: true });
    const text = await readFile(from.path, "utf8");
    const settings = parse(text, [], { allowTrailingComma: true }) as Json;
    const kept = from.layout === "at-root" ? settings : { hooks: settings["hooks"] ?? {} };
    await mkdir(dirname(to.path), { recursive: true });
    await writeFile(join(to.path), JSON.stringify(kept, null, 2));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
