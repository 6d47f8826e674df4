import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import {
  type DiffEvent,
  diffEvent,
  type DiffOptions,
  diffPacks,
  type PackDiff,
} from "../../src/diff/index.ts";
import { loadPackFromFiles, type LoadedPack } from "hookwarden/pack";

const root = fileURLToPath(new URL("../../../../policies", import.meta.url));
const nodeModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

/** A change to a file of a pack: the text must be there. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Some of the shipped policies as a pack, without their cases, with an edit. */
export async function shipped(hooks: readonly string[], edit?: Edit): Promise<LoadedPack> {
  const files = new Map<string, Uint8Array>();
  for (const folder of [...hooks, "lib"]) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === "cases.json") continue;
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length + 1), readFileSync(path));
    }
  }
  files.set("hookwarden.json", Buffer.from(JSON.stringify({ apiVersion: 1, hooks })));
  if (edit) {
    const text = Buffer.from(files.get(edit.file) ?? "").toString();
    if (!text.includes(edit.from)) throw new Error(`${edit.file} has no ${edit.from}`);
    files.set(edit.file, Buffer.from(text.replace(edit.from, () => edit.to)));
  }
  return loadPackFromFiles(files, { nodeModules: [nodeModules] });
}

/** A pack with one guard of shell commands. */
export function tiny(script: string, manifest: object = {}, pack: object = {}): Promise<LoadedPack> {
  const hook = {
    apiVersion: 1,
    name: "guard",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse", matcher: "Bash" }],
    reads: ["tool_input.command"],
    actions: ["deny", "ask"],
    limits: { wallMs: 5_000 },
    ...manifest,
  };
  return loadPackFromFiles(
    new Map(
      Object.entries({
        "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["guard"], ...pack }),
        "guard/hook.json": JSON.stringify(hook),
        "guard/hook.js": script,
      }).map(([path, text]) => [path, Buffer.from(text)]),
    ),
  );
}

export function commands(...texts: readonly string[]): readonly DiffEvent[] {
  return texts.map((command, index) =>
    diffEvent(
      { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command } },
      "recorded",
      `events.jsonl:${index + 1}`,
      `diff-${index}`,
    ),
  );
}

export async function diff(
  old: LoadedPack,
  next: LoadedPack,
  events: readonly DiffEvent[],
  more: Partial<DiffOptions> = {},
): Promise<PackDiff> {
  await using sandbox = await createQuickjsSandbox({});
  return diffPacks({ packs: { old, new: next }, events, sandbox, ...more });
}

/** A guard that denies what holds any of these words. */
export const guard = (...words: readonly string[]): string =>
  `const words = ${JSON.stringify(words)};
export default ({ tool_input }) => {
  const found = words.find((word) => tool_input.command.includes(word));
  return found ? { action: "deny", reason: "it says " + found } : undefined;
};
`;
