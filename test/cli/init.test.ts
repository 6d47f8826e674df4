import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Decision } from "../../src/broker/decision.ts";
import { type EventName, eventNames } from "../../src/catalogue/index.ts";
import { hookTemplate } from "../../src/cli/init/template.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { readCases } from "../../src/check/cases/read.ts";
import { createWarden } from "../../src/warden/index.ts";
import { folder, write } from "./cli.ts";
import { cli } from "./in-process.ts";

const decisions = (out: string): Decision[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Decision);

describe("init", () => {
  it("makes a pack that holds, and decides", async () => {
    await using dir = await folder();
    const made = await cli(["init", "my-pack", "--no-project"], { cwd: dir.path });
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toMatchInlineSnapshot(`
      "made     my-pack/first-hook/hook.json
      made     my-pack/first-hook/hook.ts
      made     my-pack/first-hook/cases.json
      made     my-pack/hookwarden.json
      made     my-pack/events.jsonl
      made     my-pack/tsconfig.json

      Next:
        npx hookwarden check my-pack
        npx hookwarden run my-pack --events my-pack/events.jsonl
      "
    `);
    const check = await cli(["check", "my-pack"], { cwd: dir.path });
    expect(check).toEqual({ code: 0, out: "1 hook checked: nothing found\n", err: "" });
    const run = await cli(["run", "my-pack", "--events", "my-pack/events.jsonl", "--format", "json"], {
      cwd: dir.path,
    });
    expect(decisions(run.out).map(({ verdict, decided_by }) => [verdict, decided_by])).toEqual([
      ["deny", "first-hook"],
      ["continue", null],
    ]);
  });

  it("adds a hook to a pack, and leaves all else in its manifest as it was", async () => {
    await using dir = await folder();
    await cli(["init", "--no-project"], { cwd: dir.path });
    const before =
      '{\n    "apiVersion": 1,\n    "hooks": ["first-hook"],\n    "grants": { "first-hook": {} }\n}\n';
    await write(dir.path, { "hookwarden.json": before });
    const { code, out } = await cli(
      ["init", ".", "--hook", "notes", "--event", "PostToolUse", "--lang", "js", "--format", "json"],
      { cwd: dir.path },
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      hook: "notes",
      made: ["notes/hook.json", "notes/hook.js", "notes/cases.json"],
      changed: ["hookwarden.json"],
    });
    const after = await readFile(join(dir.path, "hookwarden.json"), "utf8");
    expect(JSON.parse(after)).toEqual({ ...(JSON.parse(before) as object), hooks: ["first-hook", "notes"] });
    expect(after).toContain('    "grants": { "first-hook": {} }\n}\n');
    expect(await cli(["check", "."], { cwd: dir.path })).toMatchObject({ code: 0 });
    expect((await readdir(dir.path)).toSorted()).toEqual([
      "events.jsonl",
      "first-hook",
      "hookwarden.json",
      "notes",
      "tsconfig.json",
    ]);
  });

  it("makes a project outside of projects, and leaves the files of one that is there", async () => {
    await using dir = await folder({ "inside/package.json": "{}", "inside/tsconfig.json": "mine" });
    const project = await cli(["init", "outside", "--project"], { cwd: dir.path });
    expect(project).toMatchObject({ code: 0, err: "" });
    expect(project.out).toContain("Next:\n  cd outside\n  npm install\n  npx hookwarden check .\n");
    const inside = await cli(["init", "inside/policies", "--format", "json"], { cwd: dir.path });
    expect((JSON.parse(inside.out) as { made: string[] }).made).toEqual([
      "inside/policies/first-hook/hook.json",
      "inside/policies/first-hook/hook.ts",
      "inside/policies/first-hook/cases.json",
      "inside/policies/hookwarden.json",
      "inside/policies/events.jsonl",
      "inside/policies/tsconfig.json",
    ]);
    await cli(["init", "inside", "--project"], { cwd: dir.path });
    expect(await readFile(join(dir.path, "inside/package.json"), "utf8")).toBe("{}");
    expect(await readFile(join(dir.path, "inside/tsconfig.json"), "utf8")).toBe("mine");
    expect(await readFile(join(dir.path, "inside/.gitignore"), "utf8")).toContain("*.jwk\n");
  });

  it("never overwrites anything", async () => {
    const files = { "first-hook/hook.ts": "mine", "other/hook.json": "mine" };
    await using dir = await folder(files);
    const taken = await cli(["init"], { cwd: dir.path });
    expect(taken).toMatchObject({ code: 65, out: "" });
    expect(taken.err).toMatch(/^file-exists: first-hook\/hook\.ts: /);
    expect((await readdir(dir.path)).toSorted()).toEqual(["first-hook", "other"]);
    await cli(["init", ".", "--hook", "fine", "--no-project"], { cwd: dir.path });
    const manifest = await readFile(join(dir.path, "hookwarden.json"), "utf8");
    for (const [args, code, name] of [
      [["init"], 64, "usage"],
      [["init", ".", "--hook", "fine"], 65, "file-exists"],
      [["init", ".", "--hook", "other"], 65, "file-exists"],
    ] as const) {
      const ran = await cli(args, { cwd: dir.path });
      expect(ran).toMatchObject({ code, out: "" });
      expect(ran.err).toMatch(new RegExp(`^${name}: .+\n$`));
    }
    expect(await readFile(join(dir.path, "hookwarden.json"), "utf8")).toBe(manifest);
    expect(await readFile(join(dir.path, "other/hook.json"), "utf8")).toBe("mine");
  });

  it("touches no pack that does not hold", async () => {
    await using dir = await folder({ "hookwarden.json": '{ "apiVersion": 1 }' });
    const ran = await cli(["init", ".", "--hook", "a"], { cwd: dir.path });
    expect(ran).toMatchObject({ code: 65, out: "" });
    expect(ran.err).toMatch(/^pack-invalid: hookwarden\.json: /);
    expect(await readdir(dir.path)).toEqual(["hookwarden.json"]);
  });
});

/** A warden of a new hook for each event, and the cases of each. One pack, because bundling starts a process. */
const newHooks = async (language: "ts" | "js") => {
  const encoder = new TextEncoder();
  const templates = new Map(
    eventNames.map((event) => [event, hookTemplate(event.toLowerCase(), event, language)] as const),
  );
  const files = [...templates].flatMap(([event, template]) =>
    [...template.files].map(
      ([name, text]) => [`${event.toLowerCase()}/${name}`, encoder.encode(text)] as const,
    ),
  );
  const hooks = eventNames.map((event) => event.toLowerCase());
  const manifest = encoder.encode(JSON.stringify({ apiVersion: 1, hooks }));
  const pack = await loadPackFromFiles(new Map([...files, ["hookwarden.json", manifest]]));
  const casesOf = (event: EventName) =>
    readCases(encoder.encode(templates.get(event)?.files.get("cases.json")), "cases.json");
  return { warden: await createWarden({ pack, isolation: "inline" }), casesOf };
};

describe.each(["ts", "js"] as const)("a new hook in %s for", (language) => {
  let made: Awaited<ReturnType<typeof newHooks>>;
  beforeAll(async () => {
    made = await newHooks(language);
  });
  afterAll(() => made.warden[Symbol.asyncDispose]());

  it.each(eventNames)("%s keeps its own cases", async (event) => {
    const cases = made.casesOf(event);
    expect(cases.length).toBe(2);
    for (const {
      events,
      expect: [expected],
    } of cases) {
      const decision = await made.warden.dispatch({ session_id: "case", ...events[0] });
      const { augment, context, notices } = decision.additions;
      expect(decision.trace.map(({ fault }) => fault)).toEqual([null]);
      expect({
        verdict: decision.verdict,
        reason: decision.reason,
        feedback: decision.feedback,
        augment: augment?.text,
        context: context.map(({ text }) => text),
        notices: notices.map(({ text }) => text),
      }).toEqual({
        verdict: expected?.verdict,
        reason: expected?.reason ?? null,
        feedback: expected?.feedback ?? null,
        augment: expected?.additions?.augment,
        context: expected?.additions?.context ?? [],
        notices: expected?.additions?.notices ?? [],
      });
    }
    // The two cases must differ, or the hook does nothing.
    expect(JSON.stringify(cases[0]?.expect)).not.toBe(JSON.stringify(cases[1]?.expect));
  });
});
