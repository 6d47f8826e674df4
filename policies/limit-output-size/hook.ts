import { type PostToolUse, replaceResult } from "hookwarden/hook";
import { answerable } from "../lib/json-text.ts";

interface Config {
  readonly characters?: number;
}

const defaultCharacters = 30_000;
/** Texts up to this length are never cut: names, addresses, status words. */
const shortText = 200;

const hook: PostToolUse<unknown, Config | undefined> = (event, ctx) => {
  const most = ctx.config?.characters ?? defaultCharacters;
  const total = lengthOf(event.tool_response);
  if (total <= most) return undefined;
  const share = most / total;
  const shorter = cutTexts(event.tool_response, (text) =>
    cut(text, Math.max(shortText, Math.floor(text.length * share))),
  );
  if (lengthOf(shorter) <= most * 2 && answerable(shorter) === shorter) return replaceResult(shorter);
  // Many short texts, or keys that no answer can carry: only the whole can be cut.
  return replaceResult(cut(JSON.stringify(event.tool_response), most));
};

export default hook;

/** Pictures and sounds are worth nothing in part. */
function isMedia(value: object): boolean {
  return "type" in value && (value.type === "image" || value.type === "audio");
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || isMedia(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + lengthOf(item) + (Array.isArray(value) ? 0 : key.length),
    0,
  );
}

function cutTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null || isMedia(value)) return value;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, change)]));
}

/** Keeps the beginning and the end: results begin with what they are, and end with how it went. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, Math.ceil(most * 0.6)).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - Math.floor(most * 0.4)).replace(/^[\udc00-\udfff]/, "");
  return `${head}\n[… ${text.length - head.length - tail.length} characters were cut here …]\n${tail}`;
}
