import { argsOf, type Invocation } from "./invocation.ts";
import { isUnknown } from "./text.ts";

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

/** Whether what a command prints comes from a network, or from a text that was encoded. */
export function isExternalSource(invocation: Invocation): boolean {
  const { name } = invocation;
  if (downloaders.has(name)) return true;
  const option = decoders.get(name);
  return option !== undefined && (option.test("") || argsOf(invocation).some((arg) => option.test(arg)));
}

/** What commands print, if that is one simple command alone; `undefined` if it is not known. */
export function printed(commands: readonly Invocation[]): string | undefined {
  const [command, second] = commands;
  if (command === undefined || second !== undefined || command.redirects.length > 0 || command.maybe)
    return undefined;
  return printers.get(command.argv[0] ?? "")?.(argsOf(command), command);
}

type Printer = (args: readonly string[], command: Invocation) => string | undefined;

const printers: ReadonlyMap<string, Printer> = new Map<string, Printer>([
  ["echo", (args) => echo(args)],
  ["printf", (args) => printf(args)],
  ["cat", (args, { input }) => (args.length === 0 ? input?.text : undefined)],
  ["pwd", (args, { directory }) => (args.length === 0 ? directory : undefined)],
  ["true", () => ""],
  [":", () => ""],
]);

/** Texts that a command writes to files, with the files. */
export function written(command: Invocation): readonly (readonly [file: string, text: string])[] {
  const { name, input, redirects } = command;
  const files = redirects
    .filter(({ operator }) => operator === ">" || operator === ">|")
    .map(({ target }) => target);
  const text = name === "tee" ? input?.text : printed([{ ...command, redirects: [] }]);
  if (text === undefined) return [];
  return [...files, ...(name === "tee" ? argsOf(command) : [])].map((file) => [file, text]);
}

function echo(args: readonly string[]): string | undefined {
  let at = 0;
  let escapes = false;
  let newline = "\n";
  while (/^-[neE]+$/.test(args[at] ?? "")) {
    for (const letter of args[at++] ?? "") {
      if (letter === "n") newline = "";
      else if (letter !== "-") escapes = letter === "e";
    }
  }
  // An unknown word may be an option.
  if (args[at]?.startsWith("\uFDD0")) return undefined;
  const text = args.slice(at).join(" ") + newline;
  return escapes ? unescaped(text, "echo") : text;
}

function printf([format = "", ...args]: readonly string[]): string | undefined {
  if (isUnknown(format) || format.startsWith("-")) return undefined;
  if (args.some((arg) => /\uFDD0[A-Zg]/.test(arg))) return undefined;
  let next = 0;
  let known = true;
  const once = (): string =>
    unescaped(format, "printf").replace(/%(?:([%sbdiq])|[^])/g, (_, kind?: string) => {
      if (kind === "%") return "%";
      const value = args[next++] ?? "";
      if (kind === "s") return value;
      if (kind === "b") return unescaped(value, "echo");
      if (kind !== undefined && "di".includes(kind) && /^-?[1-9]\d{0,8}$/.test(value)) return value;
      known = false;
      return "";
    });
  let text = once();
  // The format is used again for the arguments that are left.
  for (let left = next > 0 ? 64 : 0; left > 0; left--) if (next < args.length) text += once();
  return known && next >= args.length ? text : undefined;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["e", "\x1b"],
  ["\\", "\\"],
]);

function unescaped(text: string, style: "echo" | "printf"): string {
  const octal = style === "echo" ? "0([0-7]{1,3})" : "([0-7]{1,3})";
  return text.replace(
    new RegExp(`\\\\(?:x([0-9a-fA-F]{1,2})|${octal}|(.))`, "g"),
    (whole, hex?: string, digits?: string, char?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 8));
      return escapes.get(char ?? "") ?? (style === "printf" && /["'?]/.test(char ?? "") ? char! : whole);
    },
  );
}
