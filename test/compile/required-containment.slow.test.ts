import type { ChildProcess } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { realpath } from "node:fs/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { describeContainment, setDefaultContainment } from "@hookwarden/sandbox";
import { checkTypes } from "../../src/check/types/index.ts";
import { lintScripts } from "../../src/check/lint/lint-scripts.ts";
import { compileEach } from "../../src/compile/compile-scripts.ts";
import { folder } from "../cli/cli.ts";

// The child itself is under test.
vi.unmock("../../src/compile/run-child.ts");

const { walls } = await describeContainment("auto");
const isContained = walls.every(({ inForce }) => inForce);

const script = `import { deny, type PreToolUse } from "hookwarden/hook";
const hook: PreToolUse = (event) => (event.tool_name === "Bash" ? deny("no") : undefined);
export default hook;
`;

/** The children that are started during `work`. */
async function childrenOf(work: () => Promise<void>): Promise<readonly ChildProcess[]> {
  const children: ChildProcess[] = [];
  const listen = (message: unknown): void => {
    children.push((message as { readonly process: ChildProcess }).process);
  };
  const processes = channel("child_process");
  processes.subscribe(listen);
  try {
    await work();
  } finally {
    processes.unsubscribe(listen);
  }
  return children;
}

// Attack: a bug of esbuild, of the TypeScript compiler or of the linter lets the author of a pack run native code while
// a stranger's pack is only being compiled or checked.
describe.runIf(isContained)("under `required`", { timeout: 60_000 }, () => {
  afterEach(() => setDefaultContainment("auto"));

  it.each([
    [
      "the bundler",
      async () => {
        const [result] = await compileEach("policies", [{ name: "h", path: "allow-models/hook.ts" }]);
        expect(result).toHaveProperty("program");
      },
    ],
    [
      "the type checker",
      async () => {
        await using dir = await folder({ "h/hook.ts": script });
        expect(await checkTypes(await realpath(dir.path), ["h/hook.ts"], {})).toEqual({
          checked: true,
          problems: [],
        });
      },
    ],
    [
      "the linter",
      async () => {
        const source = "export default () => { while (true) {} };\n";
        const [result] = await lintScripts([{ program: { key: "", name: "h", source }, map: null }]);
        expect(result?.findings.map(({ code }) => code)).not.toContain("unparsable-code");
      },
    ],
  ])("%s does its work behind every wall", async (_, work) => {
    setDefaultContainment("required");
    const children = await childrenOf(work);
    expect(children.length).toBeGreaterThan(0);
    for (const { spawnargs } of children) {
      expect(spawnargs).toEqual(expect.arrayContaining(["/usr/bin/bwrap", "--unshare-net", "--seccomp"]));
    }
  });
});

it.skipIf(isContained)("is not tested here, because this machine lacks a wall", () => {
  expect(walls.some(({ inForce }) => !inForce)).toBe(true);
});
