import { describe, expect, it } from "vitest";
import { folder, pack } from "./cli.ts";
import { cli } from "./in-process.ts";

const hook = (name: string, more: object) => ({
  [`${name}/hook.json`]: {
    apiVersion: 1,
    name,
    version: "1.2.3",
    entry: "hook.js",
    on: [{ event: "PreToolUse" }],
    reads: ["tool_name"],
    actions: ["deny"],
    ...more,
  },
  [`${name}/hook.js`]: "export default () => {};",
});

const mixed = {
  "hookwarden.json": {
    apiVersion: 1,
    hooks: ["late", "early", "beside", "watched", "edits", "elsewhere"],
    grants: { early: { actions: ["ask"] } },
  },
  ...hook("late", { priority: 200, limits: { outputDepth: 9 } }),
  ...hook("early", { priority: 1, actions: ["ask", "deny", "allow"] }),
  ...hook("beside", { mode: "parallel", priority: 0, actions: ["notify"] }),
  ...hook("watched", { mode: "monitor", onFailure: "open" }),
  ...hook("edits", {
    on: [{ event: "PreToolUse", matcher: "Edit|Write" }],
    state: { scope: "tenant", maxBytes: 10 },
  }),
  ...hook("elsewhere", {
    on: [{ event: "Stop" }, { event: "PostToolUse", matcher: "Bash" }],
    actions: ["notify"],
  }),
};

describe("explain", () => {
  it("prints which hooks run in which order, what each may do, and why others do not run", async () => {
    await using dir = await folder(mixed);
    const { code, out, err } = await cli(["explain", ".", "--event", "PreToolUse", "--tool", "Bash"], {
      cwd: dir.path,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatchInlineSnapshot(`
      "PreToolUse with tool_name \`Bash\`: 4 hooks run

      1. early 1.2.3
         order     priority 1, sequential
         reads     tool_name
         may       ask
         may not   allow, deny: asked for, not granted
         on fault  closed: the verdict is deny
         limits    steps 5,000,000, wallMs 100, memoryKb 8,192

      2. watched 1.2.3
         order     priority 100, monitor
         reads     tool_name
         may       do nothing: it is only watched
         on fault  open: the step goes on
         limits    steps 5,000,000, wallMs 100, memoryKb 8,192
         note      asks for \`onFailure: open\`, which the pack does not grant; the
                   default counts

      3. late 1.2.3
         order     priority 200, sequential
         reads     tool_name
         may       deny
         on fault  closed: the verdict is deny
         limits    steps 5,000,000, wallMs 100, memoryKb 8,192, outputDepth 9

      4. beside 1.2.3
         order     priority 0, parallel
         reads     tool_name
         may       notify
         on fault  open: the step goes on
         limits    steps 5,000,000, wallMs 100, memoryKb 8,192

      Not run
         edits: \`Edit|Write\` does not match \`Bash\`
         elsewhere: not subscribed to PreToolUse; listens to Stop, PostToolUse
      "
    `);
  });

  it("without a tool, says for which names a hook runs", async () => {
    await using dir = await folder(pack);
    const { out } = await cli(["explain", ".", "--event", "PreToolUse"], { cwd: dir.path });
    expect(out).toContain("only if   tool_name matches `Bash`");
    expect(out).toContain("mark: not subscribed to PreToolUse; listens to PostToolUse");
  });

  it("says the same in JSON", async () => {
    await using dir = await folder(mixed);
    const { out } = await cli(
      ["explain", ".", "--event", "PreToolUse", "--tool", "Write", "--format", "json"],
      { cwd: dir.path },
    );
    const { runs, idle, closed_as } = JSON.parse(out) as {
      runs: { hook: string; may: string[]; ungranted: string[]; monitor: boolean; on_failure: string }[];
      idle: { hook: string }[];
      closed_as: string;
    };
    expect(closed_as).toBe("deny");
    expect(runs.map(({ hook }) => hook)).toEqual(["early", "watched", "edits", "late", "beside"]);
    expect(runs[0]).toMatchObject({ may: ["ask"], ungranted: ["allow", "deny"], on_failure: "closed" });
    expect(runs[1]).toMatchObject({ monitor: true, on_failure: "open" });
    expect(idle.map(({ hook }) => hook)).toEqual(["elsewhere"]);
  });

  it("says so where nothing runs", async () => {
    await using dir = await folder({ "hookwarden.json": { apiVersion: 1, hooks: [] } });
    expect((await cli(["explain", ".", "--event", "Stop"], { cwd: dir.path })).out).toBe(
      "Stop: no hook runs\n",
    );
  });

  it("says that a pack is only watched", async () => {
    await using dir = await folder({
      ...pack,
      "hookwarden.json": { ...pack["hookwarden.json"], monitor: true },
    });
    const { out } = await cli(["explain", ".", "--event", "PreToolUse"], { cwd: dir.path });
    expect(out).toContain("monitor mode");
    expect(out).toContain("may       do nothing: it is only watched");
  });

  it("says of an event of Claude Code without a row that it passes untouched", async () => {
    await using dir = await folder(pack);
    const { code, out } = await cli(["explain", ".", "--event", "ConfigChange"], { cwd: dir.path });
    expect(code).toBe(0);
    expect(out.replaceAll("\n", " ")).toContain(
      "ConfigChange: an event of Claude Code that no hook can listen to; it passes untouched",
    );
    expect((await cli(["explain", ".", "--event", "ConfigChanges"], { cwd: dir.path })).code).toBe(64);
  });
});
