import { type ClientName, clientNames } from "../clients/index.ts";

/** Options of the hook command: one table for the thin client, the daemon, the command line and the settings file. */

/** How one pack is run for one client. All paths are absolute. */
export interface HookOptions {
  /** Folder of the pack. */
  readonly pack: string;
  readonly client: ClientName;
  readonly engine: "quickjs" | "isolate";
  readonly isolation: "process" | "inline";
  /** Walls of the operating system around child processes; see docs/containment.md. */
  readonly containment: "auto" | "required" | "none";
  /** File of the decision log; `null` for none. */
  readonly log: string | null;
  /** A signed review record, or a folder of them, without which the pack does not serve; `null` for none. */
  readonly requireReview: string | null;
  /** Trust file with the keys of the reviewers. */
  readonly reviewers: string | null;
  /** Folder in which hooks' state is kept; `null` for the user's own. */
  readonly state: string | null;
  /** After how many milliseconds an event that has no decision is refused. */
  readonly deadlineMs: number;
  /** After how many seconds without an event the daemon ends. */
  readonly idleSeconds: number;
  /** Whether the compiled pack is kept for the next process. */
  readonly cache: boolean;
  /** Whether a resident daemon decides. */
  readonly daemon: boolean;
}

export interface OptionRow {
  /** As on the command line, without `--`. */
  readonly flag: string;
  readonly field: keyof HookOptions;
  readonly kind: "choice" | "path" | "count" | "off";
  readonly choices?: readonly string[];
  /** Bounds of a count. */
  readonly range?: readonly [number, number];
  readonly help: string;
}

export const hookDefaults: Omit<HookOptions, "pack"> = {
  client: "claude-code",
  engine: "quickjs",
  isolation: "process",
  containment: "auto",
  log: null,
  requireReview: null,
  reviewers: null,
  state: null,
  deadlineMs: 20_000,
  idleSeconds: 900,
  cache: true,
  daemon: true,
};

export const optionRows: readonly OptionRow[] = [
  { flag: "client", field: "client", kind: "choice", choices: clientNames, help: "agent client that calls" },
  {
    flag: "engine",
    field: "engine",
    kind: "choice",
    choices: ["quickjs", "isolate"],
    help: "JavaScript engine of the sandbox",
  },
  {
    flag: "isolation",
    field: "isolation",
    kind: "choice",
    choices: ["process", "inline"],
    help: "sandboxes in child processes, or (quickjs only) beside the decision",
  },
  {
    flag: "containment",
    field: "containment",
    kind: "choice",
    choices: ["auto", "required", "none"],
    help: "walls of the operating system around child processes",
  },
  { flag: "log", field: "log", kind: "path", help: "append each decision to this log" },
  {
    flag: "require-review",
    field: "requireReview",
    kind: "path",
    help: "a signed review record, or a folder of them, that must approve the pack",
  },
  {
    flag: "reviewers",
    field: "reviewers",
    kind: "path",
    help: "trust file with the public keys of reviewers",
  },
  { flag: "state", field: "state", kind: "path", help: "folder in which hooks' state is kept" },
  {
    flag: "deadline",
    field: "deadlineMs",
    kind: "count",
    range: [100, 600_000],
    help: "milliseconds after which an undecided event is refused",
  },
  {
    flag: "idle",
    field: "idleSeconds",
    kind: "count",
    range: [1, 86_400],
    help: "seconds without an event after which the daemon ends",
  },
  { flag: "no-cache", field: "cache", kind: "off", help: "compile the pack anew, and keep nothing" },
  { flag: "no-daemon", field: "daemon", kind: "off", help: "decide in a process of its own for each event" },
];

/** What is wrong with the call; the message is a sentence for the person. */
export class OptionError extends Error {}

/**
 * Reads the arguments of the hook command: a pack, and options as `--name value` or `--name=value`.
 *
 * @param cwd what relative paths are relative to.
 * @throws {OptionError}
 */
export function readHookArguments(args: readonly string[], cwd: string): HookOptions {
  const options: { [field: string]: unknown } = { ...hookDefaults };
  let pack: string | null = null;
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] as string;
    if (!argument.startsWith("--")) {
      if (pack !== null)
        throw new OptionError(`there is one pack only, and \`${shown(argument)}\` is a second`);
      pack = absolute(argument, cwd);
      continue;
    }
    const equals = argument.indexOf("=");
    const flag = argument.slice(2, equals < 0 ? undefined : equals);
    const row = optionRows.find((one) => one.flag === flag);
    if (!row) throw new OptionError(`there is no option \`--${shown(flag)}\``);
    if (row.kind === "off") {
      if (equals >= 0) throw new OptionError(`\`--${flag}\` takes no value`);
      options[row.field] = false;
      continue;
    }
    const value = equals < 0 ? args[++index] : argument.slice(equals + 1);
    if (value === undefined || value === "") throw new OptionError(`\`--${flag}\` needs a value`);
    options[row.field] = readOption(row, value, cwd);
  }
  if (pack === null) throw new OptionError("the folder of the pack is missing");
  if ((options["requireReview"] === null) !== (options["reviewers"] === null))
    throw new OptionError("`--require-review` and `--reviewers` belong together");
  return { ...options, pack } as unknown as HookOptions;
}

/**
 * Reads the value of one option.
 *
 * @throws {OptionError}
 */
export function readOption({ flag, kind, choices, range }: OptionRow, value: string, cwd: string): unknown {
  if (kind === "path") return absolute(value, cwd);
  if (kind === "choice") {
    if (choices?.includes(value)) return value;
    throw new OptionError(`\`--${flag}\` must be ${choices?.join(" or ")}, not \`${shown(value)}\``);
  }
  const [least, most] = range ?? [1, Number.MAX_SAFE_INTEGER];
  const count = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (count >= least && count <= most) return count;
  throw new OptionError(
    `\`--${flag}\` must be a whole number from ${least} to ${most}, not \`${shown(value)}\``,
  );
}

/** The arguments that read as these options, in one order and without defaults. */
export function hookArguments(options: HookOptions): string[] {
  const args = [options.pack];
  for (const { flag, field, kind } of optionRows) {
    const value = options[field];
    if (value === hookDefaults[field as keyof typeof hookDefaults] || value === null) continue;
    if (kind === "off") args.push(`--${flag}`);
    else args.push(`--${flag}`, String(value));
  }
  return args;
}

function absolute(path: string, cwd: string): string {
  if (path.includes("\0")) throw new OptionError("a path holds U+0000");
  const joined = path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) ? path : `${cwd}/${path}`;
  return joined.length > 1 ? joined.replace(/\/+$/, "") : joined;
}

function shown(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return cut.replace(/[^\x20-\x7e…]/g, "?");
}
