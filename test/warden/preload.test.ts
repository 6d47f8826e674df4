import { describe, expect, test } from "vitest";
import { createWarden } from "../../src/warden/index.ts";
import type { ReloadNotice } from "../../src/warden/events.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import type { LoadedPack } from "../../src/pack/types.ts";

const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {} };
const good = 'export default () => ({ action: "deny", reason: "never" });';

async function packOf(script: string): Promise<LoadedPack> {
  const manifest = {
    apiVersion: 1,
    name: "guard",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse" }],
    reads: [],
    actions: ["deny"],
  };
  const files = {
    "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["guard"] }),
    "guard/hook.json": JSON.stringify(manifest),
    "guard/hook.js": script,
  };
  return loadPackFromFiles(
    new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  );
}

describe("preload", () => {
  test.each([
    ["throws at its top level", `throw new Error("no"); ${good}`, "load-failed"],
    ["never ends loading", `for (;;); ${good}`, "does not load"],
    ["exports nothing", "export const a = 1;", "default export"],
    ["lacks the function of an event", "export default { Stop() {} };", "no function `PreToolUse`"],
  ])("refuses a pack whose script %s, before it serves", async (_, script, says) => {
    const pack = await packOf(script);
    await expect(createWarden({ pack, isolation: "inline", preload: true })).rejects.toMatchObject({
      code: "load-failed",
      place: { file: "guard/hook.js" },
      message: expect.stringContaining(says) as string,
    });
  });

  test("leaves the old pack serving where a reload brings such a script, and raises an alarm", async () => {
    await using warden = await createWarden({ pack: await packOf(good), isolation: "inline", preload: true });
    const notices: ReloadNotice[] = [];
    warden.on("reload", (notice) => notices.push(notice));
    await expect(warden.reload(await packOf(`throw 1; ${good}`))).rejects.toMatchObject({
      code: "load-failed",
    });
    expect(notices).toMatchObject([{ ok: false, error: { code: "load-failed" } }]);
    expect((await warden.dispatch(event)).reason).toBe("never");
  });

  test("without it, the hook fails at its first event, and the gate stays shut", async () => {
    await using warden = await createWarden({ pack: await packOf(`throw 1; ${good}`), isolation: "inline" });
    const { verdict, trace } = await warden.dispatch(event);
    expect([verdict, trace[0]?.fault?.code]).toEqual(["deny", "load-failed"]);
  });
});
