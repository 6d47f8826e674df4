import { fromWord } from "../shell/text.ts";
import type { ShellCommand } from "../shell/row.ts";

/** How a program reads its arguments. */
export interface Syntax {
  /** Letters of short options that take a value. */
  readonly short?: string;
  /** Long options that take a value, without dashes. Single-dash options such as find's are here too. */
  readonly long?: readonly string[];
  /** Options are words with one dash, and operands come first, as with find. */
  readonly expression?: true;
  /** A word with one dash is one option: a letter with its value, or a name. */
  readonly whole?: true;
}

/** A command's arguments: options distinguished from operands. Texts have marks where they are not known. */
export interface Arguments {
  readonly operands: readonly string[];
  /** Options with their values, without dashes; those of a cluster one by one. */
  readonly options: readonly (readonly [name: string, value: string | null])[];
}

/** Reads the arguments of a command. */
export function argumentsOf(
  command: ShellCommand,
  { short = "", long = [], expression, whole }: Syntax,
): Arguments {
  const args = command.argv.slice(1).map((word) => fromWord(word));
  const operands: string[] = [];
  const options: [string, string | null][] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (expression === true && (options.length > 0 || /^[-(!]/.test(arg))) {
      const name = arg.replace(/^-/, "");
      options.push([name, long.includes(name) ? (args[++at] ?? null) : null]);
      continue;
    }
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!/^-./.test(arg)) operands.push(arg);
    else if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = wholeName(arg.slice(2, equals < 0 ? undefined : equals), long);
      if (equals >= 0) options.push([name, arg.slice(equals + 1)]);
      else options.push([name, long.includes(name) ? (args[++at] ?? null) : null]);
    } else if (long.includes(arg.slice(1))) options.push([arg.slice(1), args[++at] ?? null]);
    else if (long.includes(arg.slice(1, Math.max(1, arg.indexOf("=")))))
      options.push([arg.slice(1, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]);
    else if (whole === true && !short.includes(arg[1] ?? "")) {
      const [name = "", value = null] = arg.slice(1).split(/=([^]*)/, 2);
      options.push([name, value]);
    } else {
      for (let letter = 1; letter < arg.length; letter++) {
        const name = arg[letter] ?? "";
        if (!short.includes(name)) {
          options.push([name, null]);
          continue;
        }
        const glued = arg.slice(letter + 1).replace(/^=/, "");
        options.push([name, glued === "" ? (args[++at] ?? null) : glued]);
        break;
      }
    }
  }
  return { operands, options };
}

/** The name of a long option of which only the beginning is given, as GNU programs take it. */
function wholeName(name: string, long: readonly string[]): string {
  if (name.length < 3 || long.includes(name)) return name;
  const whole = long.filter((option) => option.startsWith(name));
  return whole.length === 1 ? (whole[0] ?? name) : name;
}

/** The values of options, by name. */
export function valuesOf({ options }: Arguments, ...names: readonly string[]): readonly string[] {
  return options.flatMap(([name, value]) => (names.includes(name) && value !== null ? [value] : []));
}

/** Whether any of the options is given. */
export function hasOption({ options }: Arguments, ...names: readonly string[]): boolean {
  return options.some(([name]) => names.includes(name));
}

/** Options of programs that are read by more than one fact. */
export const syntaxes: ReadonlyMap<string, Syntax> = new Map<string, Syntax>([
  [
    "curl",
    {
      short: "AbCcDdEeFHhKmoPQrTtUuwXxYyz",
      long: [
        "user-agent",
        "cookie",
        "cookie-jar",
        "dump-header",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "json",
        "cert",
        "key",
        "cacert",
        "capath",
        "referer",
        "form",
        "form-string",
        "header",
        "config",
        "max-time",
        "connect-timeout",
        "output",
        "output-dir",
        "range",
        "upload-file",
        "user",
        "write-out",
        "request",
        "proxy",
        "proxy-user",
        "preproxy",
        "socks4",
        "socks4a",
        "socks5",
        "socks5-hostname",
        "resolve",
        "connect-to",
        "url",
        "url-query",
        "retry",
        "retry-delay",
        "retry-max-time",
        "max-redirs",
        "max-filesize",
        "limit-rate",
        "interface",
        "dns-servers",
        "doh-url",
        "unix-socket",
        "abstract-unix-socket",
        "netrc-file",
        "trace",
        "trace-ascii",
        "stderr",
        "proto",
        "proto-default",
        "proto-redir",
        "aws-sigv4",
        "oauth2-bearer",
        "local-port",
        "ciphers",
        "tls-max",
        "time-cond",
        "etag-save",
        "etag-compare",
        "hsts",
        "alt-svc",
        "noproxy",
        "pinnedpubkey",
        "parallel-max",
        "variable",
      ],
    },
  ],
  [
    "wget",
    {
      short: "OPUoaieBtTwQlADRIXC",
      long: [
        "output-document",
        "directory-prefix",
        "user-agent",
        "output-file",
        "append-output",
        "input-file",
        "base",
        "tries",
        "timeout",
        "wait",
        "header",
        "post-data",
        "post-file",
        "body-data",
        "body-file",
        "method",
        "user",
        "password",
        "load-cookies",
        "save-cookies",
        "execute",
        "ca-certificate",
        "certificate",
        "private-key",
        "level",
        "accept",
        "reject",
        "domains",
        "referer",
        "config",
        "quota",
        "limit-rate",
      ],
    },
  ],
  ["ssh", { short: "BbcDEeFIiJLlmOopQRSWw" }],
  ["scp", { short: "cDFiJloPSX" }],
  ["sftp", { short: "BbcDFiJloPRSsX" }],
  [
    "rsync",
    {
      short: "efTBM",
      long: [
        "rsh",
        "exclude",
        "include",
        "exclude-from",
        "include-from",
        "files-from",
        "filter",
        "bwlimit",
        "port",
        "timeout",
        "temp-dir",
        "backup-dir",
        "log-file",
        "password-file",
        "chmod",
        "rsync-path",
      ],
    },
  ],
  ["nc", { short: "eGgIiMmOPpqsTVWwXx" }],
  [
    "ncat",
    { short: "ecgGhimMowpsdx", long: ["exec", "sh-exec", "proxy", "source", "output", "wait", "delay"] },
  ],
  ["dig", { short: "bcfkpqtxy" }],
  ["ping", { short: "cIiLlMmpQSsTtWw" }],
  [
    "git",
    {
      short: "Cc",
      long: ["git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "directory", "prefix"],
    },
  ],
]);
