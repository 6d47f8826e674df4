import { describe, expect, it } from "vitest";
import { bash, folder, pack } from "./cli.ts";
import { cli } from "./in-process.ts";

const noRm = pack["no-rm/hook.json"];
const tidy = { ...pack, "mark/hook.json": { ...pack["mark/hook.json"], reads: [] } };
const aCase = { name: "one", event: bash("ls"), expect: { verdict: "continue" } };

describe("check", () => {
  it("finds nothing in a good pack", async () => {
    await using dir = await folder({
      ...tidy,
      "no-rm/cases.json": [
        aCase,
        {
          ...aCase,
          name: "two",
          events: [bash("rm")],
          event: undefined,
          expect: [{ verdict: "deny", reason: "it" }],
        },
      ],
    });
    const { code, out, err } = await cli(["check", "."], { cwd: dir.path });
    expect({ code, out, err }).toEqual({ code: 0, out: "2 hooks checked: nothing found\n", err: "" });
  });

  it("prints code, place, sentence and remedy", async () => {
    await using dir = await folder({ ...tidy, "no-rm/hook.json": { ...noRm, actions: ["deny", "augment"] } });
    const { code, out } = await cli(["check", ".", "--isolation", "inline"], { cwd: dir.path });
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "error action-useless
        no-rm/hook.json at /actions/1
        \`augment\` is legal at none of the hook's events (PreToolUse). Take it out of
        \`actions\`; docs/events.md says where it is legal.

      2 hooks checked: 1 error
      "
    `);
  });

  it("exits 1 for a warning only where it is strict", async () => {
    await using dir = await folder({
      ...tidy,
      "no-rm/hook.js":
        'export default () => (Math.random() < 0.5 ? { action: "deny", reason: "luck" } : null);\n',
      "no-rm/hook.json": { ...noRm, reads: [] },
    });
    const lax = await cli(["check", ".", "--isolation", "inline"], { cwd: dir.path });
    expect(lax.code).toBe(0);
    expect(lax.out).toContain("warning random-reliance\n  no-rm/hook.js:1:23\n");
    const strict = await cli(["check", ".", "--strict", "--format", "json"], { cwd: dir.path });
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.out)).toMatchObject({
      findings: [{ code: "random-reliance", severity: "warning", page: "docs/findings.md#random-reliance" }],
    });
  });

  it("is an error where there is no pack", async () => {
    await using dir = await folder();
    const { code, out, err } = await cli(["check", "."], { cwd: dir.path });
    expect({ code, out }).toEqual({ code: 65, out: "" });
    expect(err).toMatch(/^pack-not-found: /);
  });
});
