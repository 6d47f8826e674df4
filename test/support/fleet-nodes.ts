import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildBundle, openBundle } from "../../src/bundle/index.ts";
import type { NatsNode } from "@hookwarden/server/nats";

/** The tenant that trials of a fleet are made with. */
export const trialTenant = "acme";

/** Makes a pack whose decisions say which generation they are of, and lets it serve. */
export async function publish(
  control: NatsNode,
  folder: string,
  key: unknown,
  generation: number,
): Promise<void> {
  const pack = join(folder, `pack${generation}`);
  mkdirSync(join(pack, "say"), { recursive: true });
  writeFileSync(
    join(pack, "hookwarden.json"),
    JSON.stringify({ apiVersion: 1, name: "say", version: `1.0.${generation}`, hooks: ["say"] }),
  );
  writeFileSync(
    join(pack, "say", "hook.json"),
    JSON.stringify({
      apiVersion: 1,
      name: "say",
      version: `1.0.${generation}`,
      description: "Says its generation.",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["tool_name"],
      actions: ["deny"],
    }),
  );
  const script = `export default () => ({ action: "deny", reason: "generation ${generation}" });`;
  writeFileSync(join(pack, "say", "hook.js"), script);
  const { bytes, list } = await buildBundle(pack, { key });
  const opened = await openBundle(bytes, { trust: null });
  const { packs } = control.stores;
  const revision = await packs.put(
    {
      tenant: trialTenant,
      pack: opened.pack.digest,
      bundle: opened.digest,
      name: list.name,
      version: list.version,
      signedBy: "fleet",
      hooks: 1,
      createdBy: "trial",
    },
    bytes,
  );
  const step = { what: "activate", active: revision.revision, candidate: null, by: "trial" } as const;
  const rollout = await packs.change(trialTenant, step);
  if (rollout?.generation !== generation) throw new Error("the rollout has another generation");
}

/** Starts a node as a process of its own, and waits until it listens. */
export async function startNode(options: object): Promise<ChildProcess> {
  const script = join(import.meta.dirname, "../../packages/server/test/nats/fleet-node.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said = once(child.stdout!, "data");
  const gone = once(child, "exit").then(() => {
    throw new Error("a node ended before it was ready");
  });
  await Promise.race([said, gone]);
  gone.catch(() => undefined);
  return child;
}

/** Ends a node, by force where it takes too long. */
export async function endNode(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([gone, sleep(5_000).then(() => child.kill("SIGKILL"))]);
  await gone;
}
