import { describe, expect, it } from "vitest";
import {
  actionNames,
  actionRows,
  eventNames,
  validateAction,
  validateEvent,
} from "../../src/catalogue/index.ts";
import { bare, eventFieldsOf, type Json, sampleAction, sampleEvent, wrongTypes } from "./sample.ts";

const without = (value: Json, field: string): Json => {
  const { [field]: _, ...rest } = value;
  return rest;
};
/** An own key, also for `__proto__`, as `JSON.parse` makes it. */
const withOwn = (value: Json, key: string): Json =>
  JSON.parse(`${JSON.stringify(value).slice(0, -1)},"${key}":{}}`) as Json;
const notObjects = [null, undefined, 0, "", "text", true, [], [{}]];

it("has a validator for each event and action, and for no other name", () => {
  expect([...validateEvent.keys()]).toEqual(eventNames);
  expect([...validateAction.keys()]).toEqual(actionNames);
  expect(validateEvent.get("constructor")).toBeUndefined();
  expect(validateAction.get("__proto__")).toBeUndefined();
});

describe.each(eventNames)("event %s", (name) => {
  const validate = validateEvent.get(name)!;
  const smallest = sampleEvent(name);
  const full = sampleEvent(name, true);
  const fields = Object.entries(eventFieldsOf(name));

  it("accepts the smallest event and the full one, with and without a prototype", () => {
    for (const event of [smallest, full, bare(smallest), bare(full)]) {
      expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it("accepts unknown extra fields, and leaves the event as it was", () => {
    const event = Object.freeze({ ...full, unknown_extra: { deep: [1] } });
    expect(validate(event)).toBe(true);
  });

  it("refuses an event without a required field, and names the field", () => {
    for (const field of [
      "hook_event_name",
      ...fields.filter(([, row]) => !row.optional).map(([key]) => key),
    ]) {
      expect(validate(without(full, field)), field).toBe(false);
      expect(validate.errors?.[0]?.params, field).toEqual({ missingProperty: field });
      // A field that is only inherited is absent, also if somebody has polluted a prototype.
      const inherited = Object.assign(Object.create({ [field]: full[field] }) as Json, without(full, field));
      expect(validate(inherited), `inherited ${field}`).toBe(false);
    }
  });

  it("refuses each field with a wrong type, and points at it", () => {
    for (const [field, row] of fields) {
      for (const value of wrongTypes(row.schema)) {
        expect(validate({ ...full, [field]: value }), `${field}: ${JSON.stringify(value)}`).toBe(false);
        expect(validate.errors?.[0]?.instancePath, field).toBe(`/${field}`);
        expect(validate(bare({ ...full, [field]: value }))).toBe(false);
      }
    }
  });

  it("refuses another event's name", () => {
    for (const other of [
      ...eventNames.filter((each) => each !== name),
      name.toLowerCase(),
      `${name} `,
      1,
      null,
    ]) {
      expect(validate({ ...full, hook_event_name: other })).toBe(false);
    }
  });

  it("refuses what is no object, and names that would reach a prototype", () => {
    for (const value of notObjects) expect(validate(value)).toBe(false);
    for (const key of ["__proto__", "constructor", "prototype"]) {
      expect(validate(withOwn(full, key)), key).toBe(false);
      expect(validate.errors?.at(-1)?.params).toEqual({ propertyName: key });
    }
  });
});

describe.each(actionNames)("action %s", (name) => {
  const validate = validateAction.get(name)!;
  const smallest = sampleAction(name);
  const full = sampleAction(name, true);
  const fields = Object.entries(actionRows.get(name)!.payload);

  it("accepts the smallest action and the full one, with and without a prototype", () => {
    for (const action of [smallest, full, bare(smallest), bare(full)]) {
      expect(validate(action), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it("refuses an action without a required field", () => {
    for (const field of ["action", ...fields.filter(([, row]) => !row.optional).map(([key]) => key)]) {
      expect(validate(without(full, field)), field).toBe(false);
      expect(validate.errors?.[0]?.params, field).toEqual({ missingProperty: field });
      expect(
        validate(Object.assign(Object.create({ [field]: full[field] }) as Json, without(full, field))),
      ).toBe(false);
    }
  });

  it("refuses each field with a wrong type", () => {
    for (const [field, row] of fields) {
      for (const value of wrongTypes(row.schema)) {
        expect(validate({ ...full, [field]: value }), `${field}: ${JSON.stringify(value)}`).toBe(false);
        expect(validate.errors?.[0]?.instancePath).toBe(`/${field}`);
      }
    }
  });

  it("refuses unknown fields, and names that would reach a prototype", () => {
    for (const key of ["unknown", "__proto__", "constructor", "prototype", "toString", "Reason", "action "]) {
      for (const value of [withOwn(full, key), Object.setPrototypeOf(withOwn(full, key), null) as Json]) {
        expect(validate(value), key).toBe(false);
        expect(validate.errors?.[0]?.params).toEqual({ additionalProperty: key });
      }
    }
  });

  it("refuses another action's name and what is no object", () => {
    for (const other of [...actionNames.filter((each) => each !== name), name.toUpperCase(), 1, null]) {
      expect(validate({ ...full, action: other })).toBe(false);
    }
    for (const value of notObjects) expect(validate(value)).toBe(false);
  });
});

describe("bounds", () => {
  const accepts = (action: Json): boolean => validateAction.get(action["action"] as string)!(action);

  it("asks for a reason with something in it", () => {
    for (const reason of ["", " ", "\n\t", "\u00a0\u3000"])
      expect(accepts({ action: "deny", reason })).toBe(false);
    expect(accepts({ action: "deny", reason: "x".repeat(16_384) })).toBe(true);
    expect(accepts({ action: "deny", reason: "x".repeat(16_385) })).toBe(false);
    expect(accepts({ action: "retry", feedback: " " })).toBe(false);
  });

  it("counts a length in UTF-16 code units", () => {
    expect(accepts({ action: "deny", reason: "😀".repeat(8_192) })).toBe(true);
    expect(accepts({ action: "deny", reason: "😀".repeat(8_193) })).toBe(false);
  });

  it("takes 1 to 64 injected messages of user or system, with text and nothing more", () => {
    const message = { role: "user", content: "x" };
    const inject = (...messages: unknown[]): boolean => accepts({ action: "inject", messages });
    expect(inject(message, { role: "system", content: "y" })).toBe(true);
    expect(inject()).toBe(false);
    expect(inject(...Array.from({ length: 64 }, () => message))).toBe(true);
    expect(inject(...Array.from({ length: 65 }, () => message))).toBe(false);
    expect(inject({ role: "assistant", content: "x" })).toBe(false);
    expect(inject({ role: "user", content: [{ type: "text", text: "x" }] })).toBe(false);
    expect(inject({ role: "user", content: "x", name: "y" })).toBe(false);
    expect(inject({ role: "user" })).toBe(false);
    expect(inject(message, JSON.parse('{"role":"user","content":"x","__proto__":{}}'))).toBe(false);
  });

  it("refuses control characters in a tool's name, and a time that does not exist", () => {
    const validate = validateEvent.get("PreToolUse")!;
    const event = sampleEvent("PreToolUse");
    for (const tool_name of ["", "Bash\n", "a\u0000b", "\u007f", "x".repeat(257)]) {
      expect(validate({ ...event, tool_name })).toBe(false);
    }
    expect(validate({ ...event, tool_name: "mcp__server__tool ü" })).toBe(true);
    for (const time of ["2026-02-29T00:00:00Z", "2026-03-01", "2026-03-01T12:00:00", "now", 0]) {
      expect(validate({ ...event, time }), String(time)).toBe(false);
    }
    expect(validate({ ...event, time: "2028-02-29T00:00:00.123+02:00" })).toBe(true);
  });

  it("takes a trigger of compaction from a closed list before it, and any name after it", () => {
    expect(validateEvent.get("PreCompact")!({ ...sampleEvent("PreCompact"), trigger: "other" })).toBe(false);
    expect(validateEvent.get("PostCompact")!({ ...sampleEvent("PostCompact"), trigger: "other" })).toBe(true);
  });

  it("clears its errors when a value is right", () => {
    const validate = validateAction.get("deny")!;
    expect(validate({})).toBe(false);
    expect(validate.errors).not.toBeNull();
    expect(validate({ action: "deny", reason: "x" })).toBe(true);
    expect(validate.errors).toBeNull();
  });
});
