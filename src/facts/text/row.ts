import type { JsonSchema } from "../../catalogue/index.ts";
import type { Fact, FactRow } from "../fact.ts";

export const textLimits = {
  characters: { maximum: 1_048_576, doc: "UTF-16 code units of all strings" },
  strings: { maximum: 10_000, doc: "strings, names of members included" },
  depth: { maximum: 64, doc: "depth of the field" },
  replacements: { maximum: 131_072, doc: "pieces of the text that are replaced" },
  decoded: { maximum: 1_000, doc: "encoded texts that are opened" },
  layers: { maximum: 3, doc: "encodings within encodings that are opened; deeper ones stay as they are" },
} as const;

/** How a text can be encoded in another one. */
export const textEncodings = ["base64", "hex", "percent", "escapes", "tags", "selectors"] as const;
export type TextEncoding = (typeof textEncodings)[number];

/** A run of replacements: start, length, original start, original length, and how many follow each other. */
export type TextEdit = readonly [number, number, number, number, number];

/** A text in plain characters. */
export interface PlainText {
  readonly path: string;
  readonly text: string;
  readonly edits: readonly TextEdit[];
  readonly removed: number;
  readonly bidi: boolean;
  readonly inside: TextSource | null;
}

export interface TextSource {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly encoding: TextEncoding;
}

/** The texts of a prompt, a result, an error or a message, brought into one form. */
export type TextFact = Fact<{ readonly texts: readonly PlainText[] }>;

const text: JsonSchema = { type: "string" };
const offset: JsonSchema = { type: "integer", minimum: 0 };

const sourceSchema: JsonSchema = {
  type: "object",
  properties: {
    index: { ...offset, description: "index of the text that it is encoded in" },
    start: { ...offset, description: "where it is in the original of that text" },
    end: offset,
    encoding: {
      type: "string",
      enum: textEncodings,
      description:
        "`escapes`: such as `\\u0061`; `tags`: invisible tag characters; `selectors`: bytes as variation selectors",
    },
  },
  required: ["index", "start", "end", "encoding"],
  additionalProperties: false,
};

const editSchema: JsonSchema = {
  type: "array",
  items: offset,
  tsType: "readonly [start: number, length: number, from: number, original: number, times: number]",
};

const textSchema: JsonSchema = {
  type: "object",
  properties: {
    path: {
      ...text,
      description: "JSON pointer of the string in the event; of the member, if it is a member's name",
    },
    text: {
      ...text,
      description:
        "the string in form NFKC, without invisible characters and terminal sequences, with HTML's character references resolved, typographic quotes and dashes as ASCII, and Latin letters instead of those of other scripts that imitate them",
    },
    edits: {
      type: "array",
      items: { ...editSchema, tsType: "TextEdit" },
      description:
        "where `text` and the original have different lengths: from `start`, `times` pieces of `length` characters are each `original` characters of the original, from `from` on. `originalRange` of `hookwarden/hook` reads it",
    },
    removed: { ...offset, description: "how many invisible characters were removed" },
    bidi: { type: "boolean", description: "whether there are characters that change the direction of text" },
    inside: {
      anyOf: [{ ...sourceSchema, tsType: "TextSource" }, { type: "null" }],
      description: "the text that it is encoded in; `null` if it is a string of the event",
    },
  },
  required: ["path", "text", "edits", "removed", "bidi", "inside"],
  additionalProperties: false,
};

export const textRow = {
  version: "1.0",
  doc: "every string of a prompt, result, error or message as a reader takes it, and the texts that are encoded in it, so that detectors do not depend on how a text is written",
  events: [
    "UserPromptSubmit",
    "UserPromptAccepted",
    "PostModelResponse",
    "PostToolUse",
    "PostToolUseFailure",
  ],
  from: ["prompt", "message", "tool_response", "error"],
  cost: "medium",
  limits: textLimits,
  members: {
    texts: {
      doc: "strings in the order of the event, members' names included, then the texts that are encoded in them",
      schema: { type: "array", items: { ...textSchema, tsType: "PlainText" } },
    },
  },
  types: {
    TextEdit: { doc: "a run of replacements, all of one length", schema: editSchema },
    TextSource: { doc: "where an encoded text was found", schema: sourceSchema },
    PlainText: { doc: "a text in plain characters, and how it relates to the original", schema: textSchema },
  },
} as const satisfies FactRow;
