import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface CanaryHook {
  readonly on: readonly string[];
  readonly actions: readonly string[];
  /** The text of a function. */
  readonly does: string;
  /** Whether it keeps state for the session. */
  readonly state?: true;
}

/** A hook that may deny every tool, and denies it. */
export const denies: CanaryHook = {
  on: ["PreToolUse"],
  actions: ["deny"],
  does: '() => ({ action: "deny", reason: "denied by the canary policy" })',
};

/** A hook that may deny every tool, and denies none: what is refused then was refused because something failed. */
export const passes: CanaryHook = { ...denies, does: "() => undefined" };

/** Writes a pack of one hook. */
export async function writeCanaryPack(folder: string, hook: CanaryHook): Promise<void> {
  const { on, actions, does, state } = hook;
  const files = {
    "hookwarden.json": { apiVersion: 1, hooks: ["canary"], grants: { canary: { actions } } },
    "canary/hook.json": {
      apiVersion: 1,
      name: "canary",
      version: "1.0.0",
      entry: "hook.js",
      on: on.map((event) => ({ event })),
      reads: ["*"],
      actions,
      ...(state ? { state: { scope: "session", maxBytes: 1_000 } } : {}),
    },
    "canary/hook.js": `export default ${does};\n`,
  };
  await mkdir(join(folder, "canary"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await writeFile(join(folder, path), typeof text === "string" ? text : JSON.stringify(text, null, 2));
  }
}
