/** What an error code means, and what to do. `docs/errors.md` is made from this table. */
export interface ErrorRow {
  /** Exit status of the command line: 64 for a wrong call, 65 for wrong input, 70 for our own failure. */
  readonly exit: 64 | 65 | 69 | 70;
  readonly means: string;
  readonly fix: string;
}

/** Every error that a host's own mistake can give. Failures of hooks are faults, not errors. */
export const errorTable = {
  usage: {
    exit: 64,
    means: "wrong usage: unknown command, option or argument",
    fix: "See `hookwarden <command> --help`.",
  },
  "event-not-json": {
    exit: 65,
    means:
      "an event is not strict JSON: a syntax error, a duplicate or forbidden key, invalid UTF-8, or nested too deeply",
    fix: "Send one JSON object per event, in UTF-8.",
  },
  "event-too-large": {
    exit: 65,
    means: "an event is larger than the limit for one event",
    fix: "Shorten the event, or raise `maxEventBytes`.",
  },
  "event-unknown": {
    exit: 65,
    means: "`hook_event_name` is not an event of the catalogue",
    fix: "Use a name from docs/events.md, or `--dialect` if another system wrote the event.",
  },
  "event-invalid": {
    exit: 65,
    means: "a required field of an event is missing, or a field has the wrong type",
    fix: "Correct the event; docs/events.md lists the fields of each one.",
  },
  "pack-not-found": {
    exit: 65,
    means: "there is no pack at this path, or it has no hookwarden.json",
    fix: "Pass the folder that contains hookwarden.json, or create one with `hookwarden init`.",
  },
  "pack-not-json": {
    exit: 65,
    means: "a manifest is not strict JSON",
    fix: "Correct the JSON at this place.",
  },
  "pack-invalid": {
    exit: 65,
    means: "a manifest does not match its schema",
    fix: "Correct the value; docs/packs.md describes every key.",
  },
  "path-outside-pack": {
    exit: 65,
    means: "a path leaves the pack: it is absolute, has `..`, or goes through a link",
    fix: "Use a relative POSIX path to a regular file inside the pack.",
  },
  "file-unreadable": {
    exit: 65,
    means: "a file is missing, cannot be opened, is not a regular file, or is larger than its limit",
    fix: "Pass the path of a regular file that this user may read.",
  },
  "file-unwritable": {
    exit: 69,
    means: "a file or folder cannot be written",
    fix: "Choose a path that this user may write to.",
  },
  "system-failed": {
    exit: 69,
    means: "the operating system refused something that the command needs, such as memory or a process",
    fix: "Resolve what the message names, and try again.",
  },
  "file-exists": {
    exit: 65,
    means: "a file that would be created already exists",
    fix: "Choose another folder or name; existing files are never overwritten.",
  },
  "settings-invalid": {
    exit: 65,
    means: "a settings file of Claude Code is malformed",
    fix: "Fix the file, or pass another one with `--settings`; nothing was changed.",
  },
  "matcher-invalid": {
    exit: 65,
    means:
      "a matcher is no name, list or regular expression of the linear-time engine, or stands at an event that has nothing to match",
    fix: "Use a name, a list such as `Edit|Write`, or an expression in RE2 syntax, which has no look-around and no backreferences.",
  },
  "reads-insufficient": {
    exit: 65,
    means: "a hook may change a field that it does not read whole",
    fix: "Add the field to `reads`, so that a rewrite never drops what the hook could not see.",
  },
  "policy-invalid": {
    exit: 65,
    means: "a hook has an ordering, failure policy, grant or limit that is not allowed",
    fix: "Change the hook's manifest or the pack's grants; docs/decisions.md describes both.",
  },
  "load-failed": {
    exit: 65,
    means: "a script could not be bundled or loaded",
    fix: "Correct the script at this place.",
  },
  "log-broken": {
    exit: 65,
    means:
      "a decision log is damaged (a record was changed, dropped or reordered), or the file is not a decision log",
    fix: "Run `hookwarden log verify` on it, keep it as evidence, and log to a different file.",
  },
  "log-failed": {
    exit: 69,
    means: "the decision log accepts no records: its queue is full, or it cannot be written",
    fix: "Treat the event as refused; writing is retried automatically once the destination works again.",
  },
  "certificate-invalid": {
    exit: 65,
    means: "the certificate of a replay was changed, is cut off, or is of another log or pack",
    fix: "Create it again with `hookwarden replay --certificate`.",
  },
  "bundle-invalid": {
    exit: 65,
    means: "a bundle is not in canonical form, or exceeds a limit",
    fix: "Build it again with `hookwarden bundle`; nothing was loaded from it.",
  },
  "bundle-untrusted": {
    exit: 65,
    means: "a bundle has no signature that the host trusts for its contents",
    fix: "Sign it with a key of the trust file that is neither expired nor revoked.",
  },
  "bundle-rollback": {
    exit: 65,
    means:
      "a bundle is older than the host accepts, or gives other content to a version that was accepted before",
    fix: "Build it with a higher version, or lower the floor if the older version is intended.",
  },
  "registry-failed": {
    exit: 65,
    means: "an OCI registry refused a request, or sent something other than what was asked for",
    fix: "Check the address and the credentials; if a digest differs, trust neither the registry nor the network.",
  },
  "registry-unavailable": {
    exit: 69,
    means: "an OCI registry cannot be reached, or does not answer in time",
    fix: "Check the host name, the port and the network, and try again; pushing twice does no harm.",
  },
  "trust-invalid": {
    exit: 65,
    means: "a trust file or a key is malformed",
    fix: "See docs/bundles.md for the format; `hookwarden keygen` creates keys.",
  },
  "review-invalid": {
    exit: 65,
    means:
      "a file is no review record: it lacks a member, has one too many, or has a value that it cannot have",
    fix: "Create it again with `hookwarden review --decision`.",
  },
  "review-required": {
    exit: 65,
    means:
      "the host insists on a review, and this pack has none that a trusted reviewer has signed and that approves it",
    fix: "Review the pack with `hookwarden review --decision approve --key FILE`, and give the record to the host.",
  },
  "cases-invalid": {
    exit: 65,
    means:
      "cases.json does not hold cases: no strict JSON, an event that breaks its schema, or an expectation that cannot come true",
    fix: "Correct the case; docs/cases.md describes the format.",
  },
  "dialect-unknown": {
    exit: 64,
    means: "there is no dialect of this name",
    fix: "`hookwarden run --help` lists them.",
  },
  "dialect-unsupported": {
    exit: 65,
    means: "a decision cannot be expressed in this dialect",
    fix: "Remove the action from the hook's grants, or use another dialect.",
  },
  "engine-missing": {
    exit: 69,
    means:
      "the isolate engine needs the optional package isolated-vm, which is not installed or does not load",
    fix: "Run `npm install isolated-vm`, or use `--engine quickjs`.",
  },
  "containment-missing": {
    exit: 69,
    means: "containment is required, but the operating system lacks a mechanism that it needs",
    fix: "Install what the message names, or use `--containment auto`; docs/containment.md describes each mechanism.",
  },
  "option-invalid": {
    exit: 64,
    means: "an option has an invalid value",
    fix: "Correct the option.",
  },
  "nats-unavailable": {
    exit: 69,
    means: "NATS cannot be reached, or does not answer in time",
    fix: "Start the NATS servers or repair the network; connecting is retried automatically.",
  },
  "server-refused": {
    exit: 69,
    means: "a hookwarden server refused a request, or did not answer",
    fix: "Treat an event as refused; docs/server.md explains the problem that the message names.",
  },
  "storage-failed": {
    exit: 69,
    means: "the server's data cannot be opened, read or written",
    fix: "Check the data folder: free space, owner, and that no other server uses it.",
  },
  "server-failed": {
    exit: 69,
    means: "an MCP server could not be started or reached",
    fix: "Run the server's command on its own to see its output.",
  },
  "listen-failed": {
    exit: 69,
    means: "the process cannot listen at an address",
    fix: "Choose another address or port; port 0 picks a free one.",
  },
  "package-missing": {
    exit: 69,
    means: "a command or an option needs a package that is not installed",
    fix: "Install it next to `hookwarden`, in the same version.",
  },
  closed: { exit: 70, means: "the warden has been closed", fix: "Create a new one." },
  internal: {
    exit: 70,
    means: "a failure of hookwarden itself",
    fix: "Please report it with the message and the command.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Where an error is: a file, a line of it, a place in its JSON. */
export interface ErrorPlace {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** JSON pointer (RFC 6901) into the file or value. */
  readonly pointer?: string;
}

/** A place in words: `file:line:column at /pointer`, as far as it is known. */
export function placeText({ file, line, column, pointer }: ErrorPlace): string {
  const at = [file, line, column].filter((part) => part !== undefined).join(":");
  return [at, pointer].filter(Boolean).join(" at ");
}

export interface ErrorDetails extends ErrorOptions {
  /** What to do about exactly this error. Default: the remedy of its code. */
  readonly fix?: string | undefined;
  readonly also?: readonly HookwardenError[];
}

/**
 * A host's own mistake, such as an event that breaks its schema or a pack that does not load. Its `code` is stable;
 * the message is one lower-case sentence with the offending input in backticks.
 */
export class HookwardenError extends Error {
  override readonly name = "HookwardenError";
  readonly code: ErrorCode;
  readonly place: ErrorPlace;
  /** What to do about it, as a sentence. */
  readonly fix: string;
  /** Errors of the same kind that were found together with this one, such as others in the same manifest. */
  readonly also: readonly HookwardenError[];

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}, options: ErrorDetails = {}) {
    super(message, options);
    this.code = code;
    this.place = place;
    this.fix = options.fix ?? errorTable[code].fix;
    this.also = options.also ?? [];
  }

  /** One line for people: code, place, message, remedy. */
  toLine(): string {
    const where = placeText(this.place);
    const end = /[?.]$/.test(this.message) ? "" : ".";
    return `${this.code}: ${where ? `${where}: ` : ""}${this.message}${end} ${this.fix}`;
  }

  toJSON(): Pick<HookwardenError, "code" | "message" | "place" | "fix"> & Pick<ErrorDetails, "also"> {
    const { code, message, place, fix, also } = this;
    return { code, message, place, fix, ...(also.length === 0 ? {} : { also }) };
  }
}
