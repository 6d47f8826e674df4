import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import {
  changedLines,
  hookDefaults,
  hookEntries,
  type HookOptions,
  readSettingsFile,
  withHook,
  withoutHook,
  writeSettingsFile,
} from "../../src/index.ts";
import { hookCommand } from "../../src/settings/command.ts";
import { isOurs } from "../../src/settings/entry.ts";
import { claudeEvents } from "./claude-entries.ts";
import { folder } from "../../../../test/cli/cli.ts";

const client = "/opt/hookwarden/dist/agent-hook.js";
const programs = { node: "/opt/node", client };
const entriesFor = (pack: string, options: Partial<HookOptions> = {}, platform: NodeJS.Platform = "linux") =>
  hookEntries({ ...hookDefaults, ...options, pack }, programs, { platform });
const entries = entriesFor("/policies");
const entryOf = (pack: string, options: Partial<HookOptions> = {}, platform: NodeJS.Platform = "linux") =>
  entriesFor(pack, options, platform).get("Stop") as { command: string; timeout: number };
const entry = entryOf("/policies");
const atStop = new Map([["Stop", entry]]);

describe("the hook that is written", () => {
  test("is absolute, blocks when it fails, and is waited for longer than it takes", () => {
    expect(entry).toEqual({
      type: "command",
      command: expect.stringMatching(/^\/bin\/sh -c ': hookwarden; .*exit 2; }'$/),
      timeout: 60,
      onFailure: "block",
      statusMessage: "hookwarden",
    });
    const slow = entryOf("/p", { deadlineMs: 90_000 });
    expect(slow.timeout * 1_000).toBeGreaterThan(90_000 + 10_000);
  });

  // A folder with such a name, from somebody else's repository, must not be able to say a command of its own.
  test.each(["/a b", "/it's", "/$(touch x)", "/`id`", '/"', "/a\nb", "/;rm -rf ~"])(
    "reaches the program as it is with the pack %j",
    (pack) => {
      const options = { ...hookDefaults, pack };
      const command = hookCommand(options, "Stop", { node: "printf", client: "%s|" });
      expect(execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" })).toBe(`${pack}|`);
    },
  );

  test("has no shell where there are several", () => {
    const options = { ...hookDefaults, pack: "C:\\p" };
    const windows = { node: "C:\\node.exe", client: "C:\\agent-hook.js" };
    const made = hookEntries(options, windows, { platform: "win32" }).get("Stop");
    expect(made).toMatchObject({ command: "C:\\node.exe", args: ["C:\\agent-hook.js", "C:\\p"] });
    expect(isOurs(made)).toBe(true);
  });
});

const plain = `{
    // mine
    "model": "opus", /* kept, too */
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] } // keep, this
        ]
    },
    "permissions": { "allow": ["Bash(ls)"] }
}
`;

describe("a settings file", () => {
  test.each([
    ["with hooks and comments", plain],
    ["that is empty", "{}\n"],
    ["on one line", '{"a":1}'],
    ["with tabs", '{\n\t"a": 1\n}\n'],
    ["with line ends of Windows", '{\r\n  "a": 1\r\n}\r\n'],
    [
      "with other hooks at every event",
      JSON.stringify({ hooks: Object.fromEntries(claudeEvents.map((e) => [e, [{ hooks: [] }]])) }, null, 2),
    ],
  ])("%s has the hook at every event, and is as it was without it", (_, text) => {
    const made = withHook(text, entries);
    const settings = parse(made) as { hooks: { [event: string]: { hooks: unknown[] }[] } };
    for (const event of claudeEvents)
      expect(settings.hooks[event]?.at(-1)).toEqual({ hooks: [entries.get(event)] });
    expect(withHook(made, entries)).toBe(made);
    expect(withoutHook(made)).toBe(text);
  });

  test("keeps every line that stood there", () => {
    const lines = changedLines(plain, withHook(plain, entries));
    // The neighbour gets a comma.
    expect(lines.filter(({ kind }) => kind === "gone").length).toBeLessThanOrEqual(2);
  });

  test("that does not exist is made", () => {
    expect(parse(withHook("", atStop))).toEqual({ hooks: { Stop: [{ hooks: [entry] }] } });
  });

  test("has one hook of ours, whatever was installed before", () => {
    const first = withHook("{}\n", entriesFor("/old"));
    const second = withHook(first, entries);
    expect(second).not.toContain("/old");
    expect(parse(second)).toEqual(parse(withHook("{}", entries)));
  });

  test("loses a hook of ours that occurs twice, or among others", () => {
    const both = JSON.stringify({
      hooks: { Stop: [{ hooks: [entry, { type: "command", command: "x" }, entry] }] },
    });
    expect(parse(withoutHook(both))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] },
    });
  });

  test("keeps a hook that only looks like ours", () => {
    const other = JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "claude-code-lint" }] }] },
    });
    expect(withoutHook(other)).toBe(other);
  });

  // Guessing what such a file means could take away a hook that guards something.
  test.each([
    ["no JSON", "{", "it is not JSON"],
    ["no object", "[]", "it is not a JSON object"],
    ["hooks that are not an object", '{"hooks": 1}', "`hooks` is not an object"],
    ["an event that is not a list", '{"hooks": {"Stop": {}}}', "the hooks of `Stop` are not a list"],
    ["hooks that occur twice", '{"hooks": {}, "hooks": {}}', "`hooks` occurs twice"],
    ["an event that occurs twice", '{"hooks": {"Stop": [], "Stop": []}}', "`Stop` occurs twice"],
  ])("with %s is refused", (_, text, why) => {
    expect(() => withHook(text, entries)).toThrow(why);
  });

  test("may have members of any name", () => {
    const text = '{"__proto__": {"hooks": 1}, "hooks": {"__proto__": []}}';
    const made = withHook(text, atStop);
    expect(withoutHook(made)).toBe(text);
  });
});

describe("writing a settings file", () => {
  test("keeps its mode, and what a link points at", async () => {
    await using made = await folder();
    await mkdir(join(made.path, "dotfiles"));
    const [real, link] = [join(made.path, "dotfiles/s.json"), join(made.path, "settings.json")];
    await writeFile(real, "{}");
    await chmod(real, 0o640);
    await symlink(real, link);
    await writeSettingsFile(await readSettingsFile(link), '{"a":1}');
    expect(await readFile(real, "utf8")).toBe('{"a":1}');
    expect((await stat(real)).mode & 0o777).toBe(0o640);
  });

  test("does not undo what somebody else has written meanwhile", async () => {
    await using made = await folder({ "settings.json": "{}" });
    const path = join(made.path, "settings.json");
    const file = await readSettingsFile(path);
    await writeFile(path, '{"theirs":1}');
    await expect(writeSettingsFile(file, '{"ours":1}')).rejects.toThrow("somebody else has changed it");
    expect(await readFile(path, "utf8")).toBe('{"theirs":1}');
  });
});
