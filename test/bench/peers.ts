/** Other products that make such decisions, installed into a cache folder when the bench runs. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installPackages } from "../support/install-packages.ts";
import type { Case } from "./rounds.ts";
import { hookBody } from "./workload.ts";

const versions = { "quickjs-wasi": "3.6.2", "@microsoft/agent-governance-sdk": "4.0.0" };
const cache = fileURLToPath(new URL("../../node_modules/.cache/hookwarden-peers/", import.meta.url));

/** The cases of what can be installed; none without a registry. */
export async function peers(event: Record<string, unknown>, json: string): Promise<readonly Case[]> {
  try {
    installPackages(cache, versions);
    return [...(await quickjsWasi(json)), await agentGovernance(event)];
  } catch (error) {
    console.error(`the peers cannot be measured: ${String(error)}`);
    return [];
  }
}

const resolve = (specifier: string): string => createRequire(join(cache, "index.js")).resolve(specifier);

interface Handle {
  toString(): string;
  dispose(): void;
}
interface Machine {
  readonly undefined: Handle;
  readonly global: { getProp(name: string): Handle };
  evalCode(code: string): Handle;
  newString(text: string): Handle;
  callFunction(callee: Handle, self: Handle, ...args: Handle[]): Handle;
  snapshot(): object;
  dispose(): void;
}

/** A machine that is restored from a snapshot for each call, and one that is kept. */
async function quickjsWasi(json: string): Promise<readonly Case[]> {
  const folder = join(cache, "node_modules/quickjs-wasi");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    exports: { ".": { import?: { default?: string } | string } };
  };
  const { ".": door } = manifest.exports;
  const file = typeof door.import === "string" ? door.import : door.import?.default;
  const { QuickJS } = (await import(pathToFileURL(join(folder, file ?? "dist/index.js")).href)) as {
    QuickJS: {
      create(options: object): Promise<Machine>;
      restore(snapshot: object, options: object): Promise<Machine>;
    };
  };
  const wasm = new WebAssembly.Module(readFileSync(resolve("quickjs-wasi/quickjs.wasm")));
  const machine = await QuickJS.create({ wasm });
  machine
    .evalCode(
      `globalThis.decide = ((hook) => (text) => JSON.stringify(hook(JSON.parse(text))))(${hookBody}); 0`,
    )
    .dispose();
  const snapshot = machine.snapshot();
  const decide = (one: Machine): string => {
    const [callee, text] = [one.global.getProp("decide"), one.newString(json)];
    const answer = one.callFunction(callee, one.undefined, text);
    const result = answer.toString();
    for (const handle of [callee, text, answer]) handle.dispose();
    return result;
  };
  return [
    {
      name: "quickjs-wasi, restored from a snapshot",
      n: 200,
      run: async () => {
        const restored = await QuickJS.restore(snapshot, { wasm });
        const answer = decide(restored);
        restored.dispose();
        return answer;
      },
    },
    { name: "quickjs-wasi, kept", n: 1_000, run: () => decide(machine) },
  ];
}

/** Its conditions compare whole values: the rule names a command, and has no pattern. */
async function agentGovernance(event: Record<string, unknown>): Promise<Case> {
  const { PolicyEngine } = createRequire(import.meta.url)(resolve("@microsoft/agent-governance-sdk")) as {
    PolicyEngine: new (rules: readonly object[]) => {
      evaluate(action: string, context: object): string;
    };
  };
  const { command } = event["tool_input"] as { command: string };
  const engine = new PolicyEngine([
    { action: "Bash", conditions: { command: "rm -rf /" }, effect: "deny" },
    { action: "*", effect: "allow" },
  ]);
  if (
    engine.evaluate("Bash", { command: "rm -rf /" }) !== "deny" ||
    engine.evaluate("Bash", { command }) !== "allow"
  )
    throw new Error("the Agent Governance Toolkit decides otherwise");
  return {
    name: "Agent Governance Toolkit, a rule without a pattern (no sandbox)",
    n: 4_000,
    run: () => engine.evaluate("Bash", { command }),
  };
}
