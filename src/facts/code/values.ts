import { unknown } from "../shell/text.ts";

/** What an expression is, as far as the text shows: a text with marks for what is not known, or a list. */
export interface Value {
  readonly text?: string;
  readonly list?: readonly Value[];
}

export const nothing: Value = {};
/** A part that is not known. */
export const somethingElse = unknown("o", "code");

/** Two values with an operator between them: texts are joined, paths with a slash. */
export function joined(left: Value, right: Value, operator: string): Value {
  if (left.text === undefined && right.text === undefined) return nothing;
  const [first, second] = [left.text ?? somethingElse, right.text ?? somethingElse];
  if (operator !== "/") return { text: first + second };
  return { text: second.startsWith("/") ? second : `${first.replace(/\/$/, "")}/${second}` };
}

/** Names that stand for a place. */
export function constantOf(name: string): Value {
  if (/(?:^|\.)(?:env\.HOME|homedir)$/.test(name)) return { text: "~" };
  return nothing;
}

const fromCodes = (args: readonly Value[]): Value => {
  const codes = args.map(({ text }) => Number(text));
  return codes.length > 0 && codes.every((code) => code >= 0 && code < 0x110000)
    ? { text: String.fromCodePoint(...codes) }
    : nothing;
};

type Result = (receiver: Value, args: readonly Value[]) => Value;
const path: Result = (_, args) =>
  args.reduce((left, right) => joined(left, right, "/"), args[0] === undefined ? nothing : { text: "" });
const joinPath: Result = (receiver, args) => {
  if (receiver.text !== undefined && args[0]?.list !== undefined)
    return { text: args[0].list.map(({ text }) => text ?? somethingElse).join(receiver.text) };
  if (receiver.list !== undefined)
    return { text: receiver.list.map(({ text }) => text ?? somethingElse).join(args[0]?.text ?? ",") };
  const parts = receiver.text === undefined ? args : [receiver, ...args];
  const [first = nothing, ...rest] = parts;
  return rest.reduce((left, right) => joined(left, right, "/"), first);
};
const decoded: Result = (receiver, args) => {
  const text = args[0]?.text ?? receiver.text;
  return text === undefined || !/^[A-Za-z0-9+/]+=*$/.test(text)
    ? nothing
    : { text: Buffer.from(text, "base64").toString() };
};
const same: Result = (receiver, args) => args[0] ?? receiver;
const kept: Result = (receiver) => receiver;
const home: Result = () => ({ text: "~" });

/** What some functions give, where it follows from their arguments. */
const results: ReadonlyMap<string, Result> = new Map<string, Result>([
  ...[
    "Path",
    "PurePath",
    "PosixPath",
    "File",
    "Paths",
    "resolve",
    "abspath",
    "realpath",
    "normpath",
    "expanduser",
    "expandvars",
    "str",
    "String",
    "bytes",
    "fspath",
    "URL",
    "Request",
  ].map((name): [string, Result] => [
    name,
    (_, args) => (args.length > 1 ? path(nothing, args) : (args[0] ?? nothing)),
  ]),
  ...["join", "joinpath", "joinPath"].map((name): [string, Result] => [name, joinPath]),
  ...["homedir", "home"].map((name): [string, Result] => [name, home]),
  ...["chr", "fromCharCode", "fromCodePoint"].map((name): [string, Result] => [
    name,
    (_, args) => fromCodes(args),
  ]),
  ...["b64decode", "atob", "base64_decode", "decode64"].map((name): [string, Result] => [name, decoded]),
  ...["strip", "trim", "decode", "encode", "toString", "absolute", "as_posix"].map(
    (name): [string, Result] => [name, kept],
  ),
  ...["from"].map((name): [string, Result] => [
    name,
    (receiver, args) => (args[1]?.text === "base64" ? decoded(receiver, args) : same(receiver, args)),
  ]),
  [
    "with_name",
    (receiver, [name = nothing]) => joined({ text: (receiver.text ?? "").replace(/[^/]*$/, "") }, name, "+"),
  ],
]);

/** What a function gives, where it follows from its arguments. */
export function resultOf(name: string, receiver: Value, args: readonly Value[]): Value {
  return results.get(name)?.(receiver, args) ?? nothing;
}
