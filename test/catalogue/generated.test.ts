import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import {
  actionNames,
  eventNames,
  isDateTime,
  schemaId,
  validateAction,
  validateEvent,
} from "../../src/catalogue/index.ts";
import { actionRows } from "../../src/catalogue/lookup.ts";
import { eventFieldsOf, sampleAction, sampleEvent, wrongTypes } from "./sample.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const generated = join(root, "src/catalogue/generated");
const published = join(root, "schemas/v1");
const catalogueId = schemaId("catalogue.schema.json");
const run = (folder: string, ...args: string[]) =>
  spawnSync(process.execPath, ["scripts/generate.ts", ...args], { cwd: folder, encoding: "utf8" });

describe("the generated files", () => {
  it("are fresh", () => {
    const { status, stderr } = run(root, "--check");
    expect(stderr).toMatch(/generated files are fresh/);
    expect(status).toBe(0);
  });

  it("refuse an option that there is not", () => {
    expect(run(root, "--chek").status).toBe(64);
  });
});

describe("the compiled validators", () => {
  it("run where no code may be made from strings", () => {
    const script = `
      import { validateAction, validateEvent, validateHookManifest, validatePackManifest } from ${JSON.stringify(join(generated, "validators.js"))};
      let refused = false;
      try { new Function("return 1")(); } catch { refused = true; }
      const answers = [
        validateEvent.get("PreToolUse")({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {}, time: "2026-03-01T00:00:00Z" }),
        validateEvent.get("PreToolUse")({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Ba\\u0000sh", tool_input: {} }),
        ...[...validateEvent.values(), ...validateAction.values()].map((validate) => validate({})),
        validateHookManifest({ apiVersion: 1, name: "a", version: "1.0.0", entry: "hook.ts", on: [{ event: "Stop" }], reads: ["*"], actions: ["halt"] }),
        validatePackManifest({ apiVersion: 1, hooks: [] }),
      ];
      console.log(JSON.stringify({ refused, yes: answers.filter(Boolean).length, no: answers.filter((each) => !each).length }));`;
    const child = spawnSync(
      process.execPath,
      ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", script],
      { encoding: "utf8" },
    );
    expect(child.stderr).toBe("");
    expect(JSON.parse(child.stdout)).toEqual({
      refused: true,
      yes: 3,
      no: 1 + eventNames.length + actionNames.length,
    });
  });

  it("stand alone: no import, no require, no Function", () => {
    const text = readFileSync(join(generated, "validators.js"), "utf8");
    expect(text).not.toMatch(/\brequire\b\s*\(|\bimport\b|new Function|\beval\b/);
    expect(text).not.toContain(root);
  });
});

describe("the published schemas", () => {
  const read = (path: string): object => JSON.parse(readFileSync(join(published, path), "utf8")) as object;
  const make = (): Ajv =>
    new Ajv({ strict: true, allowUnionTypes: true, formats: { "date-time": isDateTime } });

  it("have one file for each event and action, and no word of TypeScript", () => {
    expect(readdirSync(join(published, "events")).toSorted()).toEqual(
      eventNames.map((name) => `${name}.schema.json`).toSorted(),
    );
    expect(readdirSync(join(published, "actions")).toSorted()).toEqual(
      actionNames.map((name) => `${name}.schema.json`).toSorted(),
    );
    for (const path of readdirSync(published, { recursive: true, encoding: "utf8" })) {
      if (path.endsWith(".json"))
        expect(readFileSync(join(published, path), "utf8"), path).not.toContain("tsType");
    }
  });

  const whole = make().addSchema(read("catalogue.schema.json"));
  const cases = [
    ...eventNames.map((name) => ({
      name,
      path: `events/${name}.schema.json`,
      compiled: validateEvent.get(name)!,
      full: sampleEvent(name, true),
      fields: eventFieldsOf(name),
    })),
    ...actionNames.map((name) => ({
      name,
      path: `actions/${name}.schema.json`,
      compiled: validateAction.get(name)!,
      full: sampleAction(name, true),
      fields: actionRows.get(name)!.payload,
    })),
  ];

  it.each(cases)(
    "$path says the same as the whole and the compiled one",
    ({ name, path, compiled, full, fields }) => {
      const single = make().compile(read(path));
      const inWhole = whole.getSchema(`${catalogueId}#/definitions/${name}`)!;
      const values = [
        full,
        { ...full, unknown: 1 },
        JSON.parse(`${JSON.stringify(full).slice(0, -1)},"__proto__":1}`) as object,
        ...Object.keys(full).map((field) => ({ ...full, [field]: undefined })),
        ...Object.entries(fields).flatMap(([field, row]) =>
          wrongTypes(row.schema).map((value) => ({ ...full, [field]: value })),
        ),
      ].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
      const answers = values.map((value) => compiled(value));
      expect(answers).toContain(true);
      expect(answers).toContain(false);
      expect(values.map((value) => single(value))).toEqual(answers);
      expect(values.map((value) => inWhole(value))).toEqual(answers);
    },
  );

  it("tell events and actions apart in the whole", () => {
    const event = whole.getSchema(`${catalogueId}#/definitions/event`)!;
    const action = whole.getSchema(`${catalogueId}#/definitions/action`)!;
    for (const name of eventNames)
      expect([event(sampleEvent(name)), action(sampleEvent(name))]).toEqual([true, false]);
    for (const name of actionNames)
      expect([event(sampleAction(name)), action(sampleAction(name))]).toEqual([false, true]);
  });
});
