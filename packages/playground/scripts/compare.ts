import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import type { Decision } from "hookwarden/broker";
import { comparable, firstDifference } from "../../../src/replay/difference.ts";
import { loadPackFromFiles, type LoadedPack } from "hookwarden/pack";
import { eventsText, type Example, type ExampleCase, filesFor, stateText } from "../src/example.ts";
import type { Answer, Workspace } from "../src/protocol.ts";
import { MemoryStateStore } from "hookwarden/state";
import { createWarden } from "hookwarden/warden";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** How scripts get into the page: as they were bundled when it was built, or put together there as after an edit. */
export type Way = "ready" | "edited";

export interface Comparison {
  readonly compared: number;
  /** Events decided in all. */
  readonly events: number;
  /** `example, case: where and what`. */
  readonly differences: readonly string[];
}

/** How many workspaces go to the page at a time. */
const batch = 40;

/** Decides cases in the page and as the command line does, and compares the decisions as a replay does. */
export async function compareCases(
  page: Page,
  examples: readonly Example[],
  way: Way,
  progress: (done: number) => void = () => undefined,
): Promise<Comparison> {
  await using sandbox = await createSandbox({ isolation: "process" });
  const differences: string[] = [];
  let compared = 0;
  let events = 0;
  for (const example of examples) {
    const packs = new Map<string, Promise<LoadedPack>>();
    for (let at = 0; at < example.cases.length; at += batch) {
      const cases = example.cases.slice(at, at + batch);
      const workspaces = cases.map((given) => workspaceOf(example, given, way));
      const answers = await page.evaluate(decideAll, workspaces);
      for (const [index, given] of cases.entries()) {
        const workspace = workspaces[index] as Workspace;
        const key = JSON.stringify(workspace.files);
        let pack = packs.get(key);
        if (!pack) packs.set(key, (pack = load(workspace.files)));
        const expected = await decideHere(await pack, given, sandbox);
        const found = compare(expected, answers[index] ?? null, way);
        if (found) differences.push(`${example.id}, ${given.name}: ${found}`);
        compared++;
        events += given.events.length;
      }
      progress(compared);
    }
  }
  return { compared, events, differences };
}

export function workspaceOf(example: Example, given: ExampleCase, way: Way): Workspace {
  const files = filesFor(example, given);
  const edited = Object.entries(files).map(([path, text]) => [
    path,
    path.endsWith(".ts") ? `${text}\n// edited\n` : text,
  ]);
  return {
    files: way === "ready" ? files : (Object.fromEntries(edited) as Workspace["files"]),
    events: eventsText(given),
    state: stateText(given),
    tenant: "default",
  };
}

/** Runs in the page. */
async function decideAll(workspaces: Workspace[]): Promise<(Answer | null)[]> {
  const { playground } = globalThis as unknown as {
    playground: { decide(workspace: Workspace): Promise<Answer | null> };
  };
  const answers: (Answer | null)[] = [];
  for (const workspace of workspaces) answers.push(await playground.decide(workspace));
  return answers;
}

function load(files: Workspace["files"]): Promise<LoadedPack> {
  const bytes = new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));
  return loadPackFromFiles(bytes, { nodeModules: [`${root}node_modules`] });
}

async function decideHere(
  pack: LoadedPack,
  given: ExampleCase,
  sandbox: Sandbox,
): Promise<readonly Decision[]> {
  const store = new MemoryStateStore();
  const hook = pack.hooks[0];
  const session = String((given.events[0] as { session_id?: unknown }).session_id ?? "");
  if (hook?.state && given.state !== undefined && given.state !== null) {
    const { scope } = hook.state;
    const key = { tenant: "default", hook: hook.name, scope, session: scope === "session" ? session : "" };
    store.commit([{ key, value: JSON.stringify(given.state), expected: 0 }]);
  }
  await using warden = await createWarden({ pack, sandbox, store });
  const decisions: Decision[] = [];
  for (const [index, event] of given.events.entries()) {
    decisions.push(await warden.dispatch(event, { decisionId: `case-${index + 1}` }));
  }
  return decisions;
}

function compare(expected: readonly Decision[], answer: Answer | null, way: Way): string | null {
  if (!answer) return "the page gave no answer";
  if (answer.problem) return `the page has a problem: ${answer.problem.message}`;
  if (answer.ready !== (way === "ready")) return `the script came another way than ${way}`;
  if (answer.steps.length !== expected.length) return "the page decided another number of events";
  for (const [index, decision] of expected.entries()) {
    const found = firstDifference(
      plain(decision, way),
      plain((answer.steps[index] as Answer["steps"][number]).decision, way),
    );
    if (found)
      return `event ${index + 1}: ${found.pointer}: ${found.logged} here, ${found.replayed} in the page`;
  }
  return null;
}

/** Edited scripts are other programs with other counts of steps; all else must be the same. */
function plain(decision: Decision, way: Way): { readonly [member: string]: unknown } {
  const { pack, ...rest } = comparable(decision, way === "ready");
  return way === "ready" ? { ...rest, pack } : rest;
}
