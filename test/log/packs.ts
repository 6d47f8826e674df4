import type { LoadedPack } from "../../src/pack/types.ts";
import { loadPackFromFiles } from "../../src/pack/load.ts";

/** A hook of a pack in memory: what differs from a plain one, and its script. */
export interface SourceHook {
  readonly script: string;
  readonly manifest?: object;
}

export function filesOf(
  hooks: { readonly [name: string]: SourceHook },
  pack: object = {},
): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const write = (path: string, text: string): void => void files.set(path, Buffer.from(text));
  write("hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: Object.keys(hooks), ...pack }));
  for (const [name, { script, manifest }] of Object.entries(hooks)) {
    const all = {
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["*"],
      actions: ["deny", "ask", "notify", "modify_input", "set_state"],
      state: { scope: "session", maxBytes: 1_024 },
      ...manifest,
    };
    write(`${name}/hook.json`, JSON.stringify(all));
    write(`${name}/hook.js`, script);
  }
  return files;
}

export function packOf(
  hooks: { readonly [name: string]: SourceHook },
  pack: object = {},
): Promise<LoadedPack> {
  return loadPackFromFiles(filesOf(hooks, pack));
}

/** Hooks whose answers depend on all that a replay must bring back: the clock, chance, state, a rewrite. */
export const moody: { readonly [name: string]: SourceHook } = {
  dice: {
    script: `export default (event, ctx) => {
      const roll = Math.random();
      console.log("rolled", roll, new Date().toISOString(), Date.now());
      return roll < 0.3 ? { action: "deny", reason: "drawn at " + new Date().toISOString() } : { action: "notify", text: String(roll) };
    }`,
  },
  counter: {
    script: `export default (event, ctx) => {
      const seen = (ctx.state?.seen ?? 0) + 1;
      const actions = [{ action: "set_state", value: { seen } }];
      if (seen % 7 === 0) actions.push({ action: "ask", reason: "call " + seen });
      return actions;
    }`,
  },
  rewriter: {
    script: `export default (event) => event.tool_input.command.includes("sudo")
      ? { action: "modify_input", input: { ...event.tool_input, command: event.tool_input.command.replace("sudo ", "") } }
      : undefined;`,
    manifest: { actions: ["modify_input"], state: undefined },
  },
  thrower: {
    script: `export default (event) => { if (event.tool_input.command.includes("boom")) throw new Error("boom: " + event.tool_input.command); };`,
    manifest: { actions: ["notify"], state: undefined },
  },
};
