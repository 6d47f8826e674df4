/**
 * Every file of the hostile corpus, on both engines, with the default isolation, against the whole oracle of its
 * README: the outcome, the marker, the parent's event loop and globals, the next benign hook of two tenants, the
 * sanitised texts, and the processes that are left.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProcessSandbox } from "@hookwarden/sandbox/process";
import type { EngineName, Sandbox } from "@hookwarden/sandbox";
import { HookwardenError } from "../../src/errors/index.ts";
import { completePack } from "../../src/pack/assemble.ts";
import { compileEach } from "../../src/compile/compile-scripts.ts";
import { folderSource } from "../../src/files/folder.ts";
import { loadPack, type LoadedPack } from "../../src/pack/index.ts";
import { readManifests } from "../../src/pack/load.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import { sampleEvent } from "../catalogue/sample.ts";
import {
  faultOf,
  hostileScripts,
  hostileTools,
  isExpected,
  isRefusedChange,
  returnsAction,
  unsanitised,
  writeHostilePack,
} from "../support/hostile-corpus.ts";

const secret = "PLANTED-SECRET";
const root = mkdtempSync(join(tmpdir(), "hookwarden-hostile-"));
const packs = new Map<string, LoadedPack | HookwardenError>();
const globalsBefore = Reflect.ownKeys(globalThis).length;
const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);

beforeAll(async () => {
  process.env["HOSTILE_TEST_SECRET"] = secret;
  process.on("unhandledRejection", onRejection);
  const folders = hostileScripts.map((script) => writeHostilePack(root, script));
  // All in one process, as one pack would have it: a process for each of them takes minutes.
  const entries = folders.map((folder) => ({
    name: basename(folder),
    path: `${basename(folder)}/hostile/hook.js`,
  }));
  const bundled = await compileEach(root, entries, { compileTimeoutMs: 200_000 });
  for (const [index, script] of hostileScripts.entries()) {
    const one = bundled[index];
    if (one instanceof HookwardenError) {
      packs.set(script.file, one);
      continue;
    }
    const source = await folderSource(folders[index] as string);
    const { manifest, hooks } = await readManifests(source);
    packs.set(script.file, completePack(manifest, hooks, [one!.program], source.root));
  }
}, 300_000);

afterAll(() => {
  process.off("unhandledRejection", onRejection);
  rmSync(root, { recursive: true, force: true });
});

/** A pack whose one hook says nothing; it holds a secret in its configuration. */
async function benignPack(): Promise<LoadedPack> {
  const pack = join(root, "benign");
  mkdirSync(join(pack, "benign"), { recursive: true });
  writeFileSync(
    join(pack, "hookwarden.json"),
    JSON.stringify({ apiVersion: 1, hooks: ["benign"], config: { benign: { secret } } }),
  );
  writeFileSync(
    join(pack, "benign", "hook.js"),
    "export default (event, ctx) => ({ action: 'continue' });\n",
  );
  writeFileSync(
    join(pack, "benign", "hook.json"),
    JSON.stringify({
      apiVersion: 1,
      name: "benign",
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["tool_name"],
      actions: ["deny"],
      // Ten times the default: the machines that run tests have other work to do.
      limits: { wallMs: 1_000 },
      config: { type: "object" },
    }),
  );
  return loadPack(pack);
}

function childrenOf(pid: number): string[] {
  return execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("child"));
}

describe.each(["quickjs", "isolate"] as const)("%s", (engine: EngineName) => {
  let sandbox: Sandbox;
  let benign: Warden;

  beforeAll(async () => {
    sandbox = await createProcessSandbox({ engine, processes: 3 });
    benign = await createWarden({ pack: await benignPack(), sandbox });
  });

  afterAll(async () => {
    await benign[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
    await new Promise((done) => setTimeout(done, 1_000));
    expect(childrenOf(process.pid)).toEqual([]);
    expect(rejections).toEqual([]);
  });

  test.each(hostileScripts)("$file: $note", { timeout: 60_000 }, async (script) => {
    const pack = packs.get(script.file);
    if (pack instanceof HookwardenError) {
      // The bundler refused it, before any of its code ran.
      expect(pack.code).toBe("load-failed");
      expect(isExpected(script, "load-failed")).toBe(true);
      expect(pack.message).not.toContain("CANARY");
      expect(pack.message).not.toContain(root);
      return;
    }
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const warden = await createWarden({ pack: pack!, sandbox, tools: hostileTools });
    try {
      delay.enable();
      const event = {
        ...sampleEvent(script.event, true),
        hook_event_name: script.event,
        session_id: "s1",
        ...(script.event === "PreToolUse" || script.event === "PermissionRequest"
          ? { tool_name: "Bash", tool_input: { command: "ls -la" } }
          : {}),
      };
      // Cross-tenant attacks leave something as one tenant and look for it as another, and as the first one again.
      const tenants = script.class === "cross-tenant" ? ["a", "b", "a"] : ["a"];
      for (const tenant of tenants) {
        const decision = await warden.dispatch(event, { tenant });
        const fault = faultOf(decision);
        const isRight =
          isExpected(script, fault) || (script.file.startsWith("tam-") && isRefusedChange(decision));
        expect(isRight, `${script.file} ended as ${fault ?? decision.verdict}`).toBe(true);
        const text = JSON.stringify(decision);
        expect(text).not.toContain("CANARY");
        expect(text).not.toContain(secret);
        expect(unsanitised(decision)).toEqual([]);
        if (fault === null && decision.verdict !== "continue") {
          expect(returnsAction(script, decision.verdict), `${script.file} gave ${decision.verdict}`).toBe(
            true,
          );
        }
      }
      delay.disable();
      // Ten times the promised 50 ms: the machines that run tests have other work to do.
      expect(delay.max / 1e6).toBeLessThan(500);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect(Reflect.ownKeys(globalThis)).toHaveLength(globalsBefore);
      for (const tenant of ["a", "b"]) {
        const next = await benign.dispatch(
          { hook_event_name: "PreToolUse", session_id: "s2", tool_name: "Read", tool_input: {} },
          { tenant },
        );
        expect(next.trace.map(({ fault }) => fault)).toEqual([null]);
        expect(next.verdict).toBe("continue");
      }
    } finally {
      await warden[Symbol.asyncDispose]();
    }
  });
});

test("the corpus is whole", () => {
  expect(hostileScripts.length).toBeGreaterThanOrEqual(237);
  for (const { file } of hostileScripts) {
    expect(readFileSync(new URL(`scripts/${file}`, import.meta.url), "utf8").length).toBeGreaterThan(0);
  }
});
