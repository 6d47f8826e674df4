import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import {
  type HookManifest,
  loadPackFromFiles,
  type LoadedPack,
  type PackManifest,
} from "../../src/pack/index.ts";
import { HookwardenError } from "../../src/errors/index.ts";

export { writeFiles } from "../support/write-files.ts";

/** Values of keys, right or wrong ones. */
type Loose<T> = { readonly [K in keyof T]?: unknown } | object;

/** A manifest of a hook that denies, with other values where a test needs them; `undefined` leaves a key out. */
export function hookManifest(changes: Loose<HookManifest> = {}): Record<string, unknown> {
  return {
    apiVersion: 1,
    name: "guard",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse" }],
    reads: ["tool_input.command"],
    actions: ["deny"],
    ...changes,
  };
}

export const denyScript = 'export default () => ({ action: "deny", reason: "no" });\n';

/** Files of a pack: `hooks` by folder, everything else as text or JSON by path. */
export function packFiles(
  hooks: { readonly [folder: string]: object | string },
  pack: Loose<PackManifest> = {},
  files: { readonly [path: string]: string | Uint8Array } = {},
): Map<string, Uint8Array> {
  const result = new Map<string, Uint8Array>();
  const put = (path: string, content: string | Uint8Array): void => {
    result.set(path, typeof content === "string" ? Buffer.from(content) : content);
  };
  put("hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: Object.keys(hooks), ...pack }));
  for (const [folder, manifest] of Object.entries(hooks)) {
    put(`${folder}/hook.json`, typeof manifest === "string" ? manifest : JSON.stringify(manifest));
    put(`${folder}/hook.js`, denyScript);
  }
  for (const [path, content] of Object.entries(files)) put(path, content);
  return result;
}

/** Loads a pack of one hook, `guard`. */
export function loadGuard(
  changes: Loose<HookManifest> = {},
  pack: Loose<PackManifest> = {},
  files: { readonly [path: string]: string | Uint8Array } = {},
): Promise<LoadedPack> {
  return loadPackFromFiles(packFiles({ guard: hookManifest(changes) }, pack, files));
}

/** The error that a promise is rejected with; anything but our own error fails the test. */
export async function errorOf(promise: Promise<unknown>): Promise<HookwardenError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof HookwardenError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

/** A new folder that is removed at the end of the run. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(inject("temporaryFolder"), "pack-"));
}
