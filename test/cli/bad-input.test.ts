import { beforeAll, describe, expect, it } from "vitest";
import { bash, folder, lines, pack, type Ran } from "./cli.ts";
import { cli } from "./in-process.ts";

/** One sentence with code, place and remedy, no stack trace. */
function oneSentence(err: string, code: string, place: string, says: string): void {
  const [line = "", ...rest] = err.trimEnd().split("\n");
  expect(rest).toEqual([]);
  expect(line.startsWith(`${code}: `)).toBe(true);
  expect(line).toContain(place);
  expect(line).toContain(says);
  expect(line).toMatch(/[.?] [A-Z`].+\.$/);
  expect(line).not.toMatch(/\bat .*\.(ts|js):\d+:\d+\)?$/);
  expect(line.length).toBeLessThan(600);
}

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const good = bash("ls");

describe("a bad event is one sentence, exits 65, and does not lose the others", () => {
  const cases: readonly [string, string, string, string][] = [
    ["no JSON", "rm -rf /", "event-not-json", "unexpected `r`"],
    [
      "half of one",
      '{"hook_event_name": "PreToolUse", "session_id": "s"',
      "event-not-json",
      "ends too early",
    ],
    [
      "a duplicate key",
      '{"hook_event_name": "Stop", "hook_event_name": "Stop", "session_id": "s"}',
      "event-not-json",
      "occurs twice",
    ],
    [
      "`__proto__`",
      '{"hook_event_name": "Stop", "session_id": "s", "__proto__": {}}',
      "event-not-json",
      "forbidden",
    ],
    [
      "a field that is missing",
      '{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}',
      "event-invalid",
      "`tool_input`",
    ],
    ["no name", '{"session_id": "s"}', "event-invalid", "no `hook_event_name`"],
    [
      "an unknown name",
      '{"hook_event_name": "PreToolUze", "session_id": "s"}',
      "event-unknown",
      "`PreToolUze`",
    ],
    [
      "a name of Object's",
      '{"hook_event_name": "constructor", "session_id": "s"}',
      "event-unknown",
      "`constructor`",
    ],
    ["a number", "42", "event-invalid", "not a JSON object"],
    ["9 MiB", JSON.stringify(bash("x".repeat(9 * 1_048_576))), "event-too-large", "8388608 bytes"],
    [
      "10,000 levels of objects",
      `{"hook_event_name":"Stop","session_id":"s","x":${deep(10_000)}}`,
      "event-not-json",
      "deeper than 128",
    ],
    [
      "10,000 levels of arrays",
      `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
      "event-not-json",
      "deeper than",
    ],
    ["10,000 arrays that do not end", "[".repeat(10_000), "event-not-json", "deeper than"],
  ];

  // Every bad one stands between two good ones: line 1 is good, 2 bad, 3 good, 4 bad and so on.
  const input = lines(good, ...cases.flatMap(([, text]) => [text, good]));
  const ran = new Map<string, Ran>();
  beforeAll(async () => {
    await using dir = await folder(pack);
    for (const format of ["json", "pretty"]) {
      const args = ["run", ".", "--events", "-", "--format", format, "--isolation", "inline"];
      ran.set(format, await cli(args, { cwd: dir.path, input }));
    }
  });

  it.each(cases.map(([name, , code, says], index) => [name, index, code, says] as const))(
    "%s",
    (_, index, code, says) => {
      const place = `stdin:${2 * index + 2}`;
      const found =
        ran
          .get("pretty")
          ?.err.split("\n")
          .filter((line) => new RegExp(`^${code}: ${place}\\b`).test(line)) ?? [];
      expect(found.length).toBe(1);
      oneSentence(found[0] ?? "", code, place, says);
      const errors = ran.get("json")?.err.trimEnd().split("\n") ?? [];
      expect(errors.length).toBe(cases.length);
      expect(JSON.parse(errors[index] ?? "")).toMatchObject({
        error: { code, place: { file: "stdin", line: 2 * index + 2 } },
      });
    },
  );

  it("all the good ones are decided, and the exit code is 65", () => {
    expect([...ran.values()].map(({ code }) => code)).toEqual([65, 65]);
    const decisions = ran
      .get("json")
      ?.out.trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { verdict: string });
    expect(decisions?.map(({ verdict }) => verdict)).toEqual(
      Array.from({ length: cases.length + 1 }, () => "continue"),
    );
    expect(ran.get("pretty")?.out).toContain(
      `${cases.length + 1} events: ${cases.length + 1} continue; 0 faults`,
    );
    expect(ran.get("pretty")?.out).toContain(`${cases.length} bad events`);
  });

  it("as the only one, also where it is the start of a value over several lines", async () => {
    await using dir = await folder({
      ...pack,
      "events.json": '{\n  "hook_event_name": "Stop",\n  "session_id": oops\n}\n',
    });
    const ran = await cli(["run", ".", "--events", "events.json"], { cwd: dir.path });
    expect(ran.code).toBe(65);
    oneSentence(ran.err, "event-not-json", "events.json:3:17 at /session_id", "unexpected `o`");
  });

  it("in bytes that are no UTF-8", async () => {
    await using dir = await folder(pack);
    const input = Buffer.concat([
      Buffer.from('{"hook_event_name":"Stop","session_id":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ]);
    const ran = await cli(["run", ".", "--events", "-"], { cwd: dir.path, input });
    expect(ran.code).toBe(65);
    oneSentence(ran.err, "event-not-json", "stdin:1", "not valid UTF-8");
  });
});

describe("a bad pack is one sentence and exits 65", () => {
  const hook = pack["no-rm/hook.json"];
  const cases: readonly [string, { [path: string]: string | object | null }, string, string, string][] = [
    ["without a manifest", { "hookwarden.json": null }, "pack-not-found", "hookwarden.json", "has no"],
    [
      "whose manifest is no JSON",
      { "hookwarden.json": "{ hooks: [] }" },
      "pack-not-json",
      "hookwarden.json:1:3",
      "unexpected `h`",
    ],
    [
      "with an unknown key",
      { "no-rm/hook.json": { ...hook, prority: 1 } },
      "pack-invalid",
      "no-rm/hook.json at /prority",
      "did you mean `priority`",
    ],
    [
      "with an unknown event",
      { "no-rm/hook.json": { ...hook, on: [{ event: "PreToolUsed" }] } },
      "pack-invalid",
      "no-rm/hook.json at /on/0/event",
      "did you mean `PreToolUse`",
    ],
    [
      "with a matcher that does not compile",
      { "no-rm/hook.json": { ...hook, on: [{ event: "PreToolUse", matcher: "(Bash" }] } },
      "matcher-invalid",
      "no-rm/hook.json at /on/0/matcher",
      "`(Bash`",
    ],
    [
      "with an entry outside",
      { "no-rm/hook.json": { ...hook, entry: "../../hook.js" } },
      "path-outside-pack",
      "no-rm/hook.json at /entry",
      "`../../hook.js`",
    ],
    [
      "with a syntax error in a script",
      { "no-rm/hook.js": "export default (event) => {\n  return deny(;\n};\n" },
      "load-failed",
      "no-rm/hook.js:2",
      "no-rm",
    ],
    [
      "without one of its hooks",
      { "no-rm/hook.json": null },
      "file-unreadable",
      "hookwarden.json at /hooks/0",
      "the folder `no-rm`, which has no `hook.json`",
    ],
  ];

  it.each(cases)("%s", async (_, changes, code, place, says) => {
    const files: { [path: string]: string | object } = { ...pack, "events.jsonl": lines(good) };
    for (const [path, content] of Object.entries(changes)) {
      if (content === null) delete files[path];
      else files[path] = content;
    }
    await using dir = await folder(files);
    const ran = await cli(["run", ".", "--events", "events.jsonl"], { cwd: dir.path });
    expect(ran).toMatchObject({ code: 65, out: "" });
    oneSentence(ran.err, code, place, says);
    const json = await cli(["explain", ".", "--event", "Stop", "--format", "json"], { cwd: dir.path });
    expect(json).toMatchObject({ code: 65, out: "" });
    expect(JSON.parse(json.err)).toMatchObject({ error: { code } });
  });

  it("that is not there", async () => {
    await using dir = await folder();
    const ran = await cli(["run", "nowhere", "--events", "-"], { cwd: dir.path });
    expect(ran).toMatchObject({ code: 65, out: "" });
    oneSentence(ran.err, "pack-not-found", "`nowhere`", "no folder");
  });
});

describe("a wrong call is one sentence and exits 64", () => {
  const cases: readonly [string, readonly string[], string][] = [
    ["an unknown command", ["rum"], "did you mean `run`?"],
    ["an unknown option", ["run", ".", "--evnts", "x"], "did you mean `--events`?"],
    ["a missing option", ["run", "."], "--events"],
    ["a missing argument", ["run"], "`pack`"],
    ["one argument too many", ["run", ".", "x", "--events", "-"], "too many arguments"],
    [
      "an engine that there is not",
      ["run", ".", "--events", "-", "--engine", "v9"],
      "possible: `quickjs`, `isolate`",
    ],
    ["an event that there is not", ["explain", ".", "--event", "Stap"], "did you mean `Stop`?"],
    [
      "a name where nothing is matched",
      ["explain", ".", "--event", "SessionEnd", "--tool", "x"],
      "SessionEnd",
    ],
    ["a name that no hook can have", ["init", "new", "--hook", "No Rm"], "`No Rm`"],
  ];

  it.each(cases)("%s", async (_, args, says) => {
    await using dir = await folder(pack);
    const ran = await cli(args, { cwd: dir.path });
    expect(ran).toMatchObject({ code: 64, out: "" });
    const [line = "", ...rest] = ran.err.trimEnd().split("\n");
    expect(rest).toEqual([]);
    expect(line).toMatch(/^usage: .+ See `hookwarden( [a-z]+)? --help`\.$/);
    expect(line).toContain(says);
  });

  it("also in JSON, before any option was read", async () => {
    const { code, err } = await cli(["run", "--format", "json", "--nope"]);
    expect(code).toBe(64);
    expect(JSON.parse(err)).toMatchObject({ error: { code: "usage" } });
  });

  it("shows what was given without the power to move the cursor", async () => {
    const { err } = await cli(["run", ".", "--\u001b[2J\u202e"]);
    expect(err).toContain("--\\u{1b}[2J\\u{202e}");
    // oxlint-disable-next-line no-control-regex
    expect(err.trimEnd()).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  it("isolate in this process", async () => {
    await using dir = await folder(pack);
    const ran = await cli(["run", ".", "--events", "-", "--engine", "isolate", "--isolation", "inline"], {
      cwd: dir.path,
    });
    expect(ran).toMatchObject({ code: 64, out: "" });
    expect(ran.err).toMatch(/^option-invalid: /);
  });
});

it("an events file that is missing, or a folder, is one sentence", async () => {
  await using dir = await folder(pack);
  for (const [file, says] of [
    ["nope.jsonl", "does not exist"],
    ["mark", "folder"],
  ] as const) {
    const ran = await cli(["run", ".", "--events", file, "--isolation", "inline"], { cwd: dir.path });
    expect(ran.code).toBe(65);
    oneSentence(ran.err, "file-unreadable", file, says);
  }
});
