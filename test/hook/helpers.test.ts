import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { actionNames, actionRows, validateAction } from "../../src/catalogue/index.ts";
import * as helpers from "../../src/hook/index.ts";
import { sampleOf } from "../catalogue/sample.ts";

type Helper = (...args: unknown[]) => unknown;
const byName = new Map<string, Helper>(Object.entries(helpers) as [string, Helper][]);

/** Written by hand: authors hold on to these names. */
const names: Record<string, string> = {
  continue: "proceed",
  allow: "allow",
  ask: "ask",
  retry: "retry",
  drop_chunk: "dropChunk",
  skip: "skip",
  deny: "deny",
  block: "block",
  halt: "halt",
  modify_input: "modifyInput",
  replace_result: "replaceResult",
  replace_error: "replaceError",
  transform: "transform",
  replace_messages: "replaceMessages",
  replace_system: "replaceSystem",
  set_params: "setParams",
  replace_response: "replaceResponse",
  replace_chunk: "replaceChunk",
  augment: "augment",
  inject: "inject",
  add_context: "addContext",
  notify: "notify",
  set_state: "setState",
};

/** Helpers that make no action. */
const readers = ["originalRange"];

it("has one helper for each action, and exports nothing else", () => {
  expect(Object.keys(names).toSorted()).toEqual([...actionNames].toSorted());
  expect([...byName.keys()].toSorted()).toEqual([...Object.values(names), ...readers].toSorted());
});

describe.each(actionNames)("%s", (action) => {
  const helper = byName.get(names[action]!)!;
  const fields = Object.entries(actionRows.get(action)!.payload);
  const required = fields.filter(([, field]) => !field.optional);
  const optional = fields.filter(([, field]) => field.optional);
  const validate = validateAction.get(action)!;

  it("makes an action that its validator takes, from the required fields in the table's order", () => {
    const values = required.map(([, field]) => sampleOf(field.schema));
    const made = helper(...values);
    expect(validate(made), JSON.stringify(validate.errors)).toBe(true);
    expect(made).toEqual({
      action,
      ...Object.fromEntries(required.map(([name], index) => [name, values[index]])),
    });
    // What crosses the boundary is the JSON of it.
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });

  it("carries optional fields, and leaves out what is undefined", () => {
    const values = required.map(([, field]) => sampleOf(field.schema));
    const extras = Object.fromEntries(
      optional.map(([name, field]) => [name, field.schema.minLength ? "why" : true]),
    );
    const alone = required.length === 0 && optional.length === 1;
    const full = helper(...values, ...(alone ? Object.values(extras) : [extras]));
    expect(full).toMatchObject(extras);
    expect(validate(full), JSON.stringify(validate.errors)).toBe(true);
    const blank = alone ? undefined : Object.fromEntries(optional.map(([name]) => [name, undefined]));
    expect(Object.keys(helper(...values, blank) as object)).toEqual([
      "action",
      ...required.map(([name]) => name),
    ]);
  });
});

it("makes these", () => {
  expect(helpers.proceed()).toEqual({ action: "continue" });
  expect(helpers.allow()).toEqual({ action: "allow" });
  expect(helpers.allow("known")).toEqual({ action: "allow", reason: "known" });
  expect(helpers.deny("no")).toEqual({ action: "deny", reason: "no" });
  expect(helpers.modifyInput({ command: "ls" })).toEqual({
    action: "modify_input",
    input: { command: "ls" },
  });
  expect(helpers.replaceResult("x", { is_error: true })).toEqual({
    action: "replace_result",
    result: "x",
    is_error: true,
  });
  expect(helpers.inject([{ role: "user", content: "x" }], { durable: true })).toEqual({
    action: "inject",
    messages: [{ role: "user", content: "x" }],
    durable: true,
  });
  expect(helpers.setState(null)).toEqual({ action: "set_state", value: null });
});

it("needs nothing at run time but itself", async () => {
  const entry = fileURLToPath(new URL("../../src/hook/index.ts", import.meta.url));
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    treeShaking: true,
  });
  for (const input of Object.keys(metafile.inputs)) expect(input).toMatch(/^src\/hook\//);
  expect(outputFiles[0]!.text).not.toMatch(/\bimport\b|\brequire\b/);
});
