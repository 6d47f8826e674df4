import { describe, expect, it } from "vitest";
import { bash, cli, folder, pack } from "./cli.ts";

const noRm = pack["no-rm/hook.json"];
const aCase = { name: "one", event: bash("ls"), expect: { verdict: "continue" } };

describe("check", () => {
  it("finds nothing in a good pack", async () => {
    await using dir = await folder({
      ...pack,
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
    await using dir = await folder({ ...pack, "no-rm/hook.json": { ...noRm, actions: ["deny", "augment"] } });
    const { code, out } = await cli(["check", ".", "--isolation", "inline"], { cwd: dir.path });
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "action-useless
        no-rm/hook.json at /actions/1
        \`augment\` is legal at none of the hook's events (PreToolUse). Take it out of
        \`actions\`; docs/events.md says where it is legal.

      2 hooks checked: 1 finding
      "
    `);
  });

  it("is an error where there is no pack", async () => {
    await using dir = await folder();
    const { code, out, err } = await cli(["check", "."], { cwd: dir.path });
    expect({ code, out }).toEqual({ code: 65, out: "" });
    expect(err).toMatch(/^pack-not-found: /);
  });
});
