import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/broker/decision.ts";
import { bash, folder, lines, pack, start, still, write } from "./cli.ts";
import { cli } from "./in-process.ts";

const inline = ["--isolation", "inline"];
const result = (session: string): object => ({
  hook_event_name: "PostToolUse",
  session_id: session,
  time: "2026-05-01T10:00:01Z",
  tool_name: "Read",
  tool_response: "text",
});
const decisions = (out: string): Decision[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Decision);

describe("run", () => {
  it("prints a row for each event, and below it who did what and why", async () => {
    await using dir = await folder({
      ...pack,
      "events.jsonl": lines(
        { hook_event_name: "SessionStart", session_id: "s", time: "2026-05-01T09:59:59Z" },
        bash("ls"),
        bash("rm -rf build"),
        bash("rm x", { tool_name: "Bash", session_id: "other" }),
        result("s"),
      ),
    });
    const { code, out, err } = await cli(["run", ".", "--events", "events.jsonl", ...inline], {
      cwd: dir.path,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(still(out)).toMatchInlineSnapshot(`
      "TIME      EVENT                TOOL                    VERDICT           ms
      09:59:59  SessionStart                                 continue N
      10:00:00  PreToolUse           Bash                    continue N
      10:00:00  PreToolUse           Bash                    deny N
                no-rm: it deletes things
      10:00:00  PreToolUse           Bash                    deny N
                no-rm: it deletes things
      10:00:01  PostToolUse          Read                    continue N
                mark: augment: result 1

      5 events: 3 continue, 2 deny; 0 faults; median N ms
      "
    `);
  });

  it("prints one decision a line in JSON, in the order of the events", async () => {
    await using dir = await folder(pack);
    const sessions = Array.from({ length: 60 }, (_, index) => `s${index % 7}`);
    const input = lines(...sessions.map(result));
    const { code, out, err } = await cli(["run", ".", "--events", "-", "--format", "json", ...inline], {
      cwd: dir.path,
      input,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    // The state of a session goes from event to event: the number says that none was overtaken.
    const seen = new Map<string, number>();
    const expected = sessions.map((session) => {
      seen.set(session, (seen.get(session) ?? 0) + 1);
      return `result ${seen.get(session)}`;
    });
    expect(decisions(out).map(({ additions }) => additions.augment?.text)).toEqual(expected);
  });

  it.each([
    ["an event over several lines", JSON.stringify(bash("rm x"), null, 2), ["deny"]],
    [
      "an array over several lines",
      JSON.stringify([bash("rm x"), bash("ls")], null, 2),
      ["deny", "continue"],
    ],
    ["an array on one line", JSON.stringify([bash("rm x"), bash("ls")]), ["deny", "continue"]],
    [
      "lines with blank ones between, of another system, without an end",
      `\r\n${JSON.stringify(bash("rm x"))}\r\n\r\n${JSON.stringify(bash("ls"))}`,
      ["deny", "continue"],
    ],
    ["nothing", "", []],
  ])("reads %s", async (_, input, verdicts) => {
    await using dir = await folder(pack);
    const { code, out } = await cli(["run", ".", "--events", "-", "--format", "json", ...inline], {
      cwd: dir.path,
      input,
    });
    expect(code).toBe(0);
    expect(out === "" ? [] : decisions(out).map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  it("names the place of a bad event in an array", async () => {
    await using dir = await folder(pack);
    const input = JSON.stringify([bash("ls"), { hook_event_name: "Stop" }, bash("ls")], null, 2);
    const { code, out, err } = await cli(["run", ".", "--events", "-", "--format", "json", ...inline], {
      cwd: dir.path,
      input,
    });
    expect(code).toBe(65);
    expect(decisions(out).length).toBe(2);
    expect(JSON.parse(err)).toMatchObject({
      error: { code: "event-invalid", place: { file: "stdin", pointer: "/1" } },
    });
  });

  it("exits 2 for a stop only where that was asked for, and 65 where an event was bad too", async () => {
    await using dir = await folder(pack);
    const codeOf = async (input: string, ...more: string[]): Promise<number | null> =>
      (await cli(["run", ".", "--events", "-", ...inline, ...more], { cwd: dir.path, input })).code;
    expect(await codeOf(lines(bash("rm x")))).toBe(0);
    expect(await codeOf(lines(bash("rm x")), "--fail-on-stop")).toBe(2);
    expect(await codeOf(lines(bash("ls")), "--fail-on-stop")).toBe(0);
    expect(await codeOf(lines(bash("rm x"), "oops"), "--fail-on-stop")).toBe(65);
  });

  it("decides only the events of some tools where that is asked for", async () => {
    await using dir = await folder(pack);
    const input = lines(bash("ls"), bash("ls", { tool_name: "Shell" }), bash("ls", { tool_name: "Read" }));
    const { out } = await cli(
      ["run", ".", "--events", "-", "--format", "json", "--tool", "Bash,Read", ...inline],
      { cwd: dir.path, input },
    );
    expect(decisions(out).length).toBe(2);
  });

  it("holds rewritten inputs to the schemas of tools", async () => {
    await using dir = await folder({
      "hookwarden.json": { apiVersion: 1, hooks: ["rewrite"] },
      "rewrite/hook.json": {
        apiVersion: 1,
        name: "rewrite",
        version: "1.0.0",
        entry: "hook.js",
        on: [{ event: "PreToolUse" }],
        reads: ["tool_input"],
        actions: ["modify_input"],
      },
      "rewrite/hook.js": "export default () => ({ action: 'modify_input', input: { command: 7 } });",
      "tools.json": {
        tools: [
          { name: "Bash", inputSchema: { type: "object", properties: { command: { type: "string" } } } },
        ],
      },
      "by-name.json": { Bash: { type: "object", properties: { command: { type: "string" } } } },
      "none.json": [{ title: "Bash" }],
    });
    const run = (...more: string[]) =>
      cli(["run", ".", "--events", "-", "--format", "json", ...inline, ...more], {
        cwd: dir.path,
        input: lines(bash("ls")),
      });
    expect(decisions((await run()).out)[0]?.changes).toEqual({ tool_input: { command: 7 } });
    for (const file of ["tools.json", "by-name.json"]) {
      const [decision] = decisions((await run("--tools", file)).out);
      expect(decision?.trace[0]?.fault?.code).toBe("invalid-output");
      expect(decision?.verdict).toBe("deny");
    }
    const bad = await run("--tools", "none.json");
    expect(bad.code).toBe(64);
    expect(JSON.parse(bad.err)).toMatchObject({
      error: { code: "option-invalid", place: { pointer: "/0" } },
    });
  });

  it("prints texts of hooks and events without the power to move the cursor", async () => {
    const evil = "\u001b[2Jline\nnew\u202eevil\u{e0041}\u009b";
    await using dir = await folder({
      ...pack,
      "no-rm/hook.js": `export default () => { console.log(${JSON.stringify(evil)}); return { action: "deny", reason: ${JSON.stringify(evil)} }; };`,
    });
    const input = lines(
      bash("rm", { tool_name: "Bash" }),
      bash("rm", { tool_name: "Ba\u202esh", session_id: evil }),
    );
    for (const format of ["pretty", "json"]) {
      const { out } = await cli(["run", ".", "--events", "-", "--format", format, ...inline], {
        cwd: dir.path,
        input,
      });
      expect(out).toContain("evil");
      // oxlint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u{e0041}]/u);
    }
  });

  it("gives the same verdicts in child processes", async () => {
    await using dir = await folder(pack);
    const input = lines(bash("ls"), bash("rm x"), result("s"), result("s"));
    const [process, here] = await Promise.all(
      [[], inline].map((more) =>
        cli(["run", ".", "--events", "-", "--format", "json", ...more], { cwd: dir.path, input }),
      ),
    );
    expect(process?.code).toBe(0);
    const said = (out = "") =>
      decisions(out).map(({ verdict, reason, additions }) => ({ verdict, reason, additions }));
    expect(said(process?.out)).toEqual(said(here?.out));
  });
});

describe("run, as part of a pipeline", () => {
  it("answers each event when it comes, while the input stays open", async () => {
    await using dir = await folder(pack);
    const child = start(["run", ".", "--events", "-", "--format", "json", ...inline], { cwd: dir.path });
    child.stdout.setEncoding("utf8");
    for (const command of ["rm x", "ls", "rm y"]) {
      child.stdin.write(lines(bash(command)));
      const [line] = (await once(child.stdout, "data")) as [string];
      expect(decisions(line)[0]?.verdict).toBe(command.startsWith("rm") ? "deny" : "continue");
    }
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  it("ends quietly when the reader of its output is gone", async () => {
    await using dir = await folder(pack);
    const child = start(["run", ".", "--events", "-", "--format", "json", ...inline], { cwd: dir.path });
    child.stdin.on("error", () => undefined);
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (data: string) => (err += data));
    child.stdin.write(lines(bash("ls")));
    await once(child.stdout, "data");
    child.stdout.destroy();
    const more = setInterval(
      () => child.stdin.write(lines(...Array.from({ length: 50 }, () => bash("ls")))),
      20,
    );
    const [code] = (await once(child, "close")) as [number];
    clearInterval(more);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends at %s, with its sandboxes", async (signal, code) => {
    await using dir = await folder(pack);
    const child = start(["run", ".", "--events", "-", "--format", "json"], { cwd: dir.path });
    child.stdin.on("error", () => undefined);
    child.stdin.write(lines(bash("ls")));
    await once(child.stdout, "data");
    child.kill(signal);
    // The pipes close when the last process that holds them has ended.
    expect(await once(child, "close")).toEqual([code, null]);
  });
});

it("no colour goes to what is no terminal, whatever the environment says", async () => {
  await using dir = await folder(pack);
  await write(dir.path, { "events.jsonl": lines(bash("rm x")) });
  const { out } = await cli(["run", join(dir.path), "--events", "events.jsonl", ...inline], {
    cwd: dir.path,
  });
  expect(out).not.toContain("\u001b");
});

describe("run, in the words of another system", () => {
  const input = lines(
    { event: "tool_call", tool_name: "Bash", tool_call_id: "1", arguments_json: '{"command":"rm x"}' },
    { event: "tool_call", tool_name: "Bash", tool_call_id: "2", arguments_json: '{"command":"ls"}' },
    { event: "no_such_event" },
  );

  it("hears its events, and gives its answers", async () => {
    await using dir = await folder(pack);
    const args = ["run", ".", "--events", "-", "--dialect", "pig", ...inline];
    const { code, out, err } = await cli([...args, "--format", "json"], { cwd: dir.path, input });
    expect(code).toBe(65);
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ decision: "ToolBlocked", hook_name: "no-rm" }, { decision: "ToolAllowed" }]);
    expect(JSON.parse(err)).toMatchObject({ error: { code: "event-unknown", place: { line: 3 } } });
    const pretty = await cli([...args, "--fail-on-stop"], {
      cwd: dir.path,
      input: input.split("\n").slice(0, 2).join("\n"),
    });
    expect(pretty).toMatchObject({ code: 2, err: "" });
    expect(pretty.out).toContain("no-rm: it deletes things");
  });

  it("that there is", async () => {
    await using dir = await folder(pack);
    const { code, err } = await cli(["run", ".", "--events", "-", "--dialect", "pigg"], {
      cwd: dir.path,
      input,
    });
    expect(code).toBe(64);
    expect(err).toMatch(/^dialect-unknown: .+\n$/);
  });
});
