import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bashEvent, ended, type HookPlace, hookPlace } from "./hook-process.ts";
import { recordedAt } from "./recorded.ts";

/**
 * The hook as a process. Claude Code lets a tool run if its hook ends with any status but 0 and 2, or prints something
 * else than JSON with status 0.
 */

let place: HookPlace;
beforeAll(async () => void (place = await hookPlace()));
afterAll(async () => place[Symbol.asyncDispose]());

const refused = (run: { code: number | null; answer: any; err: string }): void => {
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/^hookwarden refuses this: .+\n$/);
  expect(run.answer).toBeTypeOf("object");
};
const direct = ["--no-daemon", "--isolation", "inline"];

describe.each([
  ["with the daemon", [] as string[]],
  ["without it", direct],
])("a call %s", (_, args) => {
  test("answers what the pack decides", async () => {
    const denied = await place.call(bashEvent("rm -rf /"), args);
    expect(denied).toMatchObject({ code: 0, err: "" });
    expect(denied.answer.hookSpecificOutput.permissionDecision).toBe("deny");
    expect(denied.answer.hookSpecificOutput.permissionDecisionReason).toContain("| it deletes");
    expect(await place.call(bashEvent("ls"), args)).toMatchObject({ code: 0, answer: {} });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", '{"hook_event_name": '],
    ["no object", "[]"],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["an unknown event", { hook_event_name: "PreToolUSE", session_id: "s" }],
    ["an event without a tool", { hook_event_name: "PreToolUse", session_id: "s" }],
    ["a key twice", '{"hook_event_name":"PreToolUse","hook_event_name":"Notification","session_id":"s"}'],
    [
      "`__proto__`",
      '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"__proto__":{}}}',
    ],
    ["a very deep event", `{"hook_event_name":"PreToolUse","a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
    ["9 MiB", bashEvent("x".repeat(9 * 1_048_576))],
  ])("refuses %s", async (_, event) => refused(await place.call(event, args)));

  test("answers an event that hooks cannot hear with nothing", async () => {
    const [batch] = recordedAt("PostToolBatch");
    expect(await place.call(batch, args)).toMatchObject({ code: 0, answer: {} });
  });
});

describe("a call that goes wrong", () => {
  test.each([
    ["an unknown option", ["--bogus"]],
    ["a second pack", ["/another"]],
    ["an engine that there is not", ["--engine", "spidermonkey"]],
    ["a count that is none", ["--deadline", "soon"]],
  ])("with %s is refused", async (_, args) => refused(await place.call(bashEvent("ls"), args)));

  test("withholds a tool's result, which a status alone does not", async () => {
    const [event] = recordedAt("PostToolUse");
    const run = await place.call(event, ["--bogus"]);
    refused(run);
    expect(run.answer.hookSpecificOutput.updatedToolOutput.stdout).toBe("[withheld by a hook]");
  });

  test("ends by a signal as a refusal", async () => {
    const child = place.start(direct);
    child.stdin?.on("error", () => undefined);
    child.stdin?.write('{"hook_event_name":');
    setTimeout(() => child.kill("SIGTERM"), 1_000);
    refused(await ended(child));
  });

  test("is refused when its input does not end", async () => {
    const child = place.start([...direct, "--deadline", "300"]);
    child.stdin?.on("error", () => undefined);
    child.stdin?.write('{"hook_event_name":');
    const run = await ended(child);
    refused(run);
    expect(run.err).toContain("no decision was made within 300 ms");
  });

  test("ends with 2 when its output is not read", async () => {
    const child = place.start(direct);
    child.stdin?.on("error", () => undefined);
    child.stdout?.destroy();
    child.stdin?.end(JSON.stringify(bashEvent("rm")));
    expect((await ended(child)).code).toBe(2);
  });

  test("is refused where the pack is gone or does not load", async () => {
    await using other = await hookPlace();
    await writeFile(join(other.pack, "one/hook.js"), "export default () => {{{");
    const broken = await other.call(bashEvent("ls"), direct);
    refused(broken);
    expect(broken.err).toContain("load-failed");
    await rm(other.pack, { recursive: true });
    refused(await other.call(bashEvent("ls"), direct));
  });

  // An attacker who can write to the folder of the sockets could answer in the daemon's place.
  test("does without a daemon where the folder for its socket is open to others", async () => {
    await using other = await hookPlace();
    expect((await other.call(bashEvent("ls"))).code).toBe(0);
    const [pid] = await other.daemons();
    await chmod(join(other.run, "hookwarden"), 0o777);
    const run = await other.call(bashEvent("rm"), ["--isolation", "inline"]);
    expect(run.answer.hookSpecificOutput.permissionDecision).toBe("deny");
    expect((await other.daemons()).filter((one) => one !== pid)).toEqual([]);
  });
});
