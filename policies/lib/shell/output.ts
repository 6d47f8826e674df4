import { resolvePath } from "../paths.ts";
import { SOMEONE, UNKNOWN } from "./marks.ts";
import type { Invocation } from "./types.ts";

const downloaders: ReadonlySet<string> = new Set([
  "curl",
  "wget",
  "fetch",
  "aria2c",
  "axel",
  "lwp-request",
  "http",
  "https",
  "xh",
]);

/** Whether a command fetches something from a network. */
export function isDownloader(invocation: Invocation): boolean {
  return downloaders.has(invocation.name);
}

const decoders: ReadonlyMap<string, RegExp> = new Map([
  ["base64", /^(-[a-z]*[dD]|--d)/],
  ["base32", /^(-[a-z]*d|--d)/],
  ["basenc", /^(-[a-z]*d|--d)/],
  ["openssl", /^-d$/],
  ["xxd", /^-[a-z]*r/],
  ["gunzip", /^/],
  ["zcat", /^/],
  ["uudecode", /^/],
]);

/** Whether a command turns an unreadable text into a readable one. */
export function isDecoder({ name, args }: Invocation): boolean {
  const option = decoders.get(name);
  return option !== undefined && (option.test("") || args.some((arg) => option.test(arg)));
}

/** Whether what a command prints may be anything that somebody else wanted. */
export function isTaintSource(invocation: Invocation): boolean {
  return isDownloader(invocation) || isDecoder(invocation);
}

/** What commands print, where one of a few simple ones stands alone; `undefined` where it cannot be told. */
export function printed(commands: readonly Invocation[]): string | undefined {
  const [command, second] = commands;
  if (command === undefined || second !== undefined || command.redirects.length > 0) return undefined;
  return printers.get(command.name)?.(command);
}

const printers: ReadonlyMap<string, (command: Invocation) => string | undefined> = new Map([
  ["echo", ({ args }: Invocation) => echo(args)],
  ["printf", ({ args }: Invocation) => printf(args)],
  ["cat", ({ args, input }: Invocation) => (args.length === 0 ? input?.text : undefined)],
  ["pwd", ({ cwd }: Invocation) => cwd],
  ["mktemp", () => `/tmp/${UNKNOWN}`],
  ["which", ({ args }: Invocation) => args.at(-1)],
  ["command", ({ args }: Invocation) => args.at(-1)],
  ["whoami", () => SOMEONE],
]);

/** Files that a command fills with a text that is known: their paths, in the form of `resolvePath`, and the text. */
export function written(command: Invocation): readonly (readonly [string, string])[] {
  const { name, args, input, redirects, cwd } = command;
  const files = redirects
    .filter(({ operator }) => operator === ">" || operator === ">|")
    .map(({ target }) => target);
  const text = name === "tee" ? input?.text : printed([{ ...command, redirects: [] }]);
  if (text === undefined) return [];
  return [...files, ...(name === "tee" ? args : [])].map((file) => [resolvePath(file, cwd), text]);
}

function echo(args: readonly string[]): string {
  let at = 0;
  let escapes = false;
  while (/^-[neE]+$/.test(args[at] ?? "")) escapes ||= (args[at++] ?? "").includes("e");
  const text = args.slice(at).join(" ");
  return escapes ? unescape(text) : text;
}

function printf([format = "", ...args]: readonly string[]): string {
  let next = 0;
  return unescape(format).replace(/%[-0-9.]{0,8}([sbqdi%])/g, (_, kind: string) =>
    kind === "%" ? "%" : unescape(args[next++] ?? ""),
  );
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["\\", "\\"],
]);

function unescape(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|(.))/g,
    (whole, hex?: string, octal?: string, char?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return escapes.get(char ?? "") ?? whole;
    },
  );
}
