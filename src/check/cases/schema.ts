import { faultTable } from "@hookwarden/sandbox";
import { actionNames, actionRows, eventNames, schemaId } from "../../catalogue/index.ts";

export const verdicts: readonly string[] = actionNames.filter(
  (name) => actionRows.get(name)?.kind === "verdict",
);
const text = {
  anyOf: [
    { type: "string" },
    { type: "null" },
    {
      type: "object",
      properties: { equals: { type: "string" } },
      required: ["equals"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: { matches: { type: "string" } },
      required: ["matches"],
      additionalProperties: false,
    },
  ],
};
const texts = { type: "array", items: text };
const faultCode = { enum: Object.keys(faultTable) };
/** What is expected of one decision. */
export const expectation = {
  type: "object",
  properties: {
    verdict: { enum: verdicts },
    reason: text,
    feedback: text,
    changes: { type: "object" },
    additions: {
      type: "object",
      properties: {
        augment: text,
        context: texts,
        messages: {
          type: "array",
          items: {
            type: "object",
            properties: { role: { enum: ["user", "system"] }, content: text },
            required: ["role", "content"],
            additionalProperties: false,
          },
        },
        notices: texts,
      },
      additionalProperties: false,
    },
    state: {},
    fault: { anyOf: [faultCode, { type: "array", minItems: 1, items: faultCode }] },
  },
  required: ["verdict"],
  additionalProperties: false,
};
export const caseSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 256 },
    event: { type: "object" },
    events: { type: "array", minItems: 1, maxItems: 1_000, items: { type: "object" } },
    // Its content is validated separately: a choice of forms would not say what is wrong with the one that was meant.
    expect: { anyOf: [{ type: "object" }, { type: "array" }] },
    state: {},
    config: {},
  },
  required: ["name", "expect"],
  additionalProperties: false,
};

/** The file as an object, which has room for `$schema`. */
export const fileObject = {
  type: "object",
  properties: {
    $schema: { type: "string", maxLength: 512, description: "for editors; not read" },
    cases: { type: "array" },
  },
  required: ["cases"],
  additionalProperties: false,
};

/** The published JSON Schema of `cases.json`, for editors. Reading a file also checks events and legal verdicts. */
export function casesSchema(): object {
  const event = {
    type: "object",
    description: "the event; a default `session_id` and `time` are added",
    properties: { hook_event_name: { enum: eventNames } },
    required: ["hook_event_name"],
  };
  const wanted = { $ref: "#/definitions/expectation" };
  const { event: _one, events, expect: _expect, ...shared } = caseSchema.properties;
  const form = (properties: object): object => ({
    type: "object",
    properties: { ...shared, ...properties },
    required: ["name", ...Object.keys(properties)],
    additionalProperties: false,
  });
  const cases = { type: "array", items: { $ref: "#/definitions/case" } };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: schemaId("cases.schema.json"),
    title: "cases.json",
    description: "Tests of one hook: events, and what is expected of the decisions.",
    anyOf: [{ ...fileObject, properties: { ...fileObject.properties, cases } }, cases],
    definitions: {
      expectation,
      case: {
        anyOf: [
          form({ event, expect: wanted }),
          form({
            events: { ...events, items: event },
            expect: { type: "array", minItems: 1, items: { anyOf: [wanted, { type: "null" }] } },
          }),
        ],
      },
    },
  };
}
