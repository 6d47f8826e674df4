import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { folder, write } from "../../../../test/cli/cli.ts";

export interface PackHook {
  readonly on: readonly string[];
  readonly matcher?: string;
  readonly actions: readonly string[];
  /** The text of a function. */
  readonly does: string;
  readonly limits?: object;
  readonly state?: object;
}

/** The files of a pack with one hook. */
export function packFiles({ on, matcher, actions, does, limits, state }: PackHook): {
  [path: string]: string | object;
} {
  return {
    "hookwarden.json": { apiVersion: 1, hooks: ["one"], grants: { one: { actions } } },
    "one/hook.json": {
      apiVersion: 1,
      name: "one",
      version: "1.0.0",
      entry: "hook.js",
      on: on.map((event) => ({ event, ...(matcher === undefined ? {} : { matcher }) })),
      reads: ["*"],
      actions,
      ...(limits ? { limits } : {}),
      ...(state ? { state } : {}),
    },
    "one/hook.js": `export default ${does};\n`,
  };
}

/** A folder with a pack of one hook and room for a session; it goes away with the test. */
export async function packFolder(hook: PackHook) {
  const made = await folder();
  const pack = join(made.path, "pack");
  await write(pack, packFiles(hook));
  await mkdir(join(made.path, "run"), { mode: 0o700 });
  return { path: made.path, pack, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}
