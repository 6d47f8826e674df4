import { filled, joined, made, nothing, someName, somethingElse, type Value } from "./values.ts";

type Result = (receiver: Value, args: readonly Value[]) => Value;

const fromCodes = (args: readonly Value[]): Value => {
  const codes = args.flatMap((arg) => arg.list ?? [arg]).map(({ text }) => Number(text));
  return codes.length > 0 && codes.every((code) => Number.isInteger(code) && code >= 0 && code < 0x110000)
    ? made(codes.map((code) => String.fromCodePoint(code)).join(""))
    : nothing;
};
const path: Result = (_, args) =>
  args.reduce((left, right) => joined(left, right, "/"), args[0] === undefined ? nothing : { text: "" });
const wrapped: Result = (receiver, args) => {
  if (args.length > 1) return path(receiver, args);
  const [only = nothing] = args;
  return only.list === undefined ? only : fromCodes([only]);
};
const joinPath: Result = (receiver, args) => {
  if (receiver.text !== undefined && args[0]?.list !== undefined)
    return { text: args[0].list.map(({ text }) => text ?? somethingElse).join(receiver.text) };
  if (receiver.list !== undefined)
    return { text: receiver.list.map(({ text }) => text ?? somethingElse).join(args[0]?.text ?? ",") };
  const parts = receiver.text === undefined ? args : [receiver, ...args];
  const [first = nothing, ...rest] = parts;
  return rest.reduce((left, right) => joined(left, right, "/"), first);
};

const encodings: Readonly<Record<string, RegExp>> = {
  base64: /^[A-Za-z0-9+/_\s-]+=*\s*$/,
  hex: /^(?:[0-9a-fA-F]{2}\s?)+$/,
};
const from =
  (encoding: "base64" | "hex"): Result =>
  (receiver, args) => {
    const text = args[0]?.text ?? receiver.text;
    return text === undefined || encodings[encoding]?.test(text) !== true
      ? nothing
      : made(Buffer.from(text.replace(/\s/g, ""), encoding).toString());
  };
/** `Buffer.from(text, "base64")`, `codecs.decode(text, "rot13")`. */
const decoded: Result = (receiver, args) => {
  const [text = nothing, encoding] = args;
  if (encoding?.text === "base64" || encoding?.text === "hex") return from(encoding.text)(receiver, [text]);
  if (/^rot_?13$/i.test(encoding?.text ?? "") && text.text !== undefined) return rotated(text.text);
  if (text.list !== undefined) return fromCodes([text]);
  return receiver.text === undefined ? text : receiver;
};
const rotated = (text: string): Value =>
  made(
    text.replace(/[a-z]/gi, (letter) => {
      const base = letter < "a" ? 65 : 97;
      return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
    }),
  );
const unquoted: Result = (_, [text]) => {
  try {
    return text?.text === undefined ? nothing : made(decodeURIComponent(text.text));
  } catch {
    return nothing;
  }
};

const kept: Result = (receiver) => receiver;
const first: Result = (_, args) => args[0] ?? nothing;
const home: Result = () => ({ text: "~" });
const temporary: Result = () => ({ text: "/tmp" });
/** A generated name in the folder for temporary files, or in the folder that is given. */
const unnamed: Result = (_, [place]) => ({
  text: place?.text?.includes("/") ? `${place.text}${somethingElse}` : `/tmp/${somethingElse}`,
});
const ofText =
  (change: (text: string, args: readonly string[]) => string): Result =>
  ({ text }, args) =>
    text === undefined
      ? nothing
      : {
          text: change(
            text,
            args.map((arg) => arg.text ?? somethingElse),
          ),
        };
const split: Result = ({ text, list }, args) => {
  const whole = text ?? args[0]?.text;
  const separator = text === undefined ? undefined : args[0]?.text;
  if (whole === undefined) return list === undefined ? nothing : { list };
  const parts = separator === undefined ? whole.trim().split(/\s+/) : whole.split(separator);
  return { list: parts.slice(0, 256).map((part) => ({ text: part })) };
};
const sliced: Result = ({ text, list }, [start, end]) => {
  const [from_, to] = [Number(start?.text ?? 0), end?.text === undefined ? undefined : Number(end.text)];
  return text === undefined
    ? list === undefined
      ? nothing
      : { list: list.slice(from_, to) }
    : { text: text.slice(from_, to) };
};
const formatted: Result = ({ text }, args) =>
  text === undefined ? nothing : filled(text, args, /\{(\d*)[^{}]{0,20}\}/g);
const found: Result = (receiver, args) => {
  const folder = receiver.text ?? "";
  const pattern = (args[0]?.text ?? somethingElse).replace(/[*?[].*$/, somethingElse);
  const whole = folder === "" ? pattern : `${folder}/${pattern}`;
  return {
    list: [whole.startsWith("/") || whole.startsWith("~") ? { text: whole } : { text: `./${whole}` }],
  };
};
const walked: Result = (receiver, args) => {
  const folder = args[0]?.text ?? receiver.text;
  const names = { list: [someName] };
  return folder === undefined
    ? nothing
    : { list: [{ list: [{ text: `${folder}/${somethingElse}` }, names, names] }] };
};
const entries: Result = (receiver) =>
  receiver.text === undefined
    ? { list: [someName] }
    : { list: [{ text: `${receiver.text}/${somethingElse}` }] };
const reversed: Result = (receiver, args) => reverse(args[0] ?? receiver);
const directory: Result = (receiver, args) => {
  const text = args[0]?.text ?? receiver.text;
  return text === undefined ? nothing : { text: text.replace(/\/?[^/]*$/, "") || "." };
};
const replaced = ofText((text, [old = "", by = ""]) => (old === "" ? text : text.split(old).join(by)));

/** A text or a list from its end to its beginning. */
export function reverse({ text, list }: Value): Value {
  if (list !== undefined) return { list: list.toReversed() };
  return text === undefined ? nothing : { text: [...text].toReversed().join("") };
}

const groups: readonly (readonly [names: string, result: Result])[] = [
  [
    "Path PurePath PosixPath File Paths resolve abspath realpath normpath expanduser expandvars str String bytes bytearray fspath URL Request",
    wrapped,
  ],
  ["join joinpath joinPath", joinPath],
  ["homedir home", home],
  ["tmpdir gettempdir sys_get_temp_dir", temporary],
  ["TemporaryDirectory NamedTemporaryFile mkdtemp mkdtempSync mkstemp mktmpdir tempnam", unnamed],
  ["chr fromCharCode fromCodePoint", (_, args) => fromCodes(args)],
  ["b64decode urlsafe_b64decode atob base64_decode decode64 decodebytes", from("base64")],
  ["fromhex unhexlify hex2bin", from("hex")],
  ["from decode", decoded],
  ["unquote decodeURIComponent decodeURI urldecode unescape", unquoted],
  ["strip trim encode toString absolute as_posix copy values sorted flat as_uri valueOf", kept],
  ["compile list tuple set iter promisify Array.from of", first],
  ["lower toLowerCase downcase", ofText((text) => text.toLowerCase())],
  ["upper toUpperCase upcase", ofText((text) => text.toUpperCase())],
  ["concat", (receiver, args) => args.reduce((left, right) => joined(left, right, "+"), receiver)],
  ["replace replaceAll", replaced],
  ["split", split],
  ["slice substring substr", sliced],
  ["format", formatted],
  ["reverse reversed toReversed", reversed],
  ["glob iglob rglob globSync", found],
  ["walk", walked],
  ["listdir readdirSync readdir scandir", () => ({ list: [someName] })],
  ["iterdir", entries],
  ["dirname", directory],
  ["basename", () => someName],
  [
    "with_name",
    (receiver, [name = nothing]) => joined({ text: (receiver.text ?? "").replace(/[^/]*$/, "") }, name, "+"),
  ],
  [
    "with_suffix",
    (receiver, [suffix = nothing]) =>
      joined({ text: (receiver.text ?? "").replace(/\.[^./]*$/, "") }, suffix, "+"),
  ],
];

/** What some functions give, where it follows from their arguments. */
const results: ReadonlyMap<string, Result> = new Map(
  groups.flatMap(([names, result]) => names.split(" ").map((name) => [name, result] as const)),
);

/** What a function gives, where it follows from its arguments. */
export function resultOf(name: string, receiver: Value, args: readonly Value[]): Value {
  return results.get(name)?.(receiver, args) ?? nothing;
}
