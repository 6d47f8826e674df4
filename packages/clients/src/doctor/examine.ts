import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { clients, type ClientName, type Json } from "../clients/index.ts";
import { programs } from "../hook/programs.ts";
import { findClients, type FoundClient } from "../settings/find-clients.ts";
import { type Place, placesOf } from "../settings/places.ts";
import { describeSwitch } from "../settings/switches.ts";
import { type CanaryHook, denies, passes, writeCanaryPack } from "./canary-pack.ts";
import { type FaultResult, faults, hangingProgram, tryFault } from "./faults.ts";
import { type PathResult, paths, type ToolResult, tryEveryTool, tryPath } from "./paths.ts";
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
  /** Every tool that the client offered to its model. */
  readonly tools: readonly ToolResult[];
  readonly faults: readonly FaultResult[];
  /** Tools that are known to run without a hook. */
  readonly knownGaps: readonly string[];
  /** What makes the examination fail, one line each. */
  readonly problems: readonly string[];
  /** Ways to fail open that the client leaves no means against, one line each. */
  readonly warnings: readonly string[];
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
  const own = installed ? copyHooks(client, cwd) : null;
  const pathResults: PathResult[] = [];
  for (const path of paths) {
    onProgress?.(path.name);
    pathResults.push(await tryPath({ client, binary, prepare: own ?? freshInstall(passes) }, path));
  }
  onProgress?.("every tool");
  const tools = await tryEveryTool({ client, binary, prepare: own ?? freshInstall(denies) }, own !== null);
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
    tools,
    faults: faultResults,
    knownGaps: clients[client].gaps,
    problems: [
      ...(found?.off ?? []).map(describeSwitch),
      ...problemsOf(installed, pathResults, faultResults),
      ...toolProblems(tools),
    ],
    warnings: faultResults
      .filter(isOpenByDesign)
      .map(({ fault }) => `${fault}: the tool ran, and ${clients[client].title} gives no way to prevent it`),
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
    ...faultResults.flatMap((result) =>
      result.outcome === "denied" || isOpenByDesign(result)
        ? []
        : [`${result.fault}: the tool ${result.outcome === "ran" ? "ran" : "was not called"}`],
    ),
  ];
}

function toolProblems(tools: readonly ToolResult[]): string[] {
  return tools.flatMap(({ tool, outcome }) =>
    outcome === "no hook" ? [`the call of \`${tool}\` met no hook`] : [],
  );
}

/** Whether only the client could have kept the tool from running: nothing of ours answers any more. */
function isOpenByDesign({ fault, outcome }: FaultResult): boolean {
  return fault === hangingProgram && outcome === "ran";
}

/** Installs a pack of one hook. With one that refuses nothing, only the canary is refused. */
export const freshInstall =
  (hook: CanaryHook) =>
  async (place: SessionPlace): Promise<void> => {
    await writeCanaryPack(place.pack, hook);
    await installIn(place, { node: process.execPath, client: programs().client });
  };

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
