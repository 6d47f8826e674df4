import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface WrittenHook {
  readonly name: string;
  readonly on: readonly (string | { readonly event: string; readonly matcher: string })[];
  readonly reads?: readonly string[];
  readonly actions: readonly string[];
  /** An ES module. */
  readonly script: string;
}

/** Writes a pack of JavaScript hooks. @returns its folder. */
export async function writePack(folder: string, hooks: readonly WrittenHook[], grants = {}): Promise<string> {
  for (const { name, on, reads = ["*"], actions, script } of hooks) {
    await mkdir(join(folder, name), { recursive: true });
    const manifest = {
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: on.map((one) => (typeof one === "string" ? { event: one } : one)),
      reads,
      actions,
      limits: { wallMs: 2_000, inputBytes: 4_194_304, outputBytes: 4_194_304 },
    };
    await writeFile(join(folder, name, "hook.json"), JSON.stringify(manifest));
    await writeFile(join(folder, name, "hook.js"), script);
  }
  const pack = { apiVersion: 1, hooks: hooks.map(({ name }) => name), grants };
  await writeFile(join(folder, "hookwarden.json"), JSON.stringify(pack));
  return folder;
}
