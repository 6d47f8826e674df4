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
    means: "a command or an option was called in a way that it does not have",
    fix: "See `hookwarden <command> --help`.",
  },
  "event-not-json": {
    exit: 65,
    means:
      "an event is not strict JSON: a syntax error, a duplicate or forbidden key, invalid UTF-8, or nested too deeply",
    fix: "Send one JSON object for each event; the message says where it went wrong.",
  },
  "event-too-large": {
    exit: 65,
    means: "an event is larger than the limit for one event",
    fix: "Shorten the event, or raise `maxEventBytes`.",
  },
  "event-unknown": {
    exit: 65,
    means: "`hook_event_name` names no event of the catalogue",
    fix: "See docs/events.md for the names; for another system's names use `--dialect`.",
  },
  "event-invalid": {
    exit: 65,
    means: "an event lacks a field, or a field has the wrong type",
    fix: "The pointer says which field; docs/events.md says what it must be.",
  },
  "pack-not-found": {
    exit: 65,
    means: "there is no pack at this path, or it has no hookwarden.json",
    fix: "Give the folder that holds hookwarden.json, or make one with `hookwarden init`.",
  },
  "pack-not-json": {
    exit: 65,
    means: "a manifest is not strict JSON",
    fix: "The message says where; duplicate keys, `__proto__`, comments and trailing commas are refused.",
  },
  "pack-invalid": {
    exit: 65,
    means: "a manifest does not have the form that its schema asks for",
    fix: "The pointer says which value; the schemas are in the package under `schemas/`.",
  },
  "path-outside-pack": {
    exit: 65,
    means: "a path leaves the pack: it is absolute, has `..`, or goes through a link",
    fix: "Use a relative POSIX path to a regular file inside the pack.",
  },
  "file-unreadable": {
    exit: 65,
    means: "a file is missing, is not a regular file, or is larger than its limit",
    fix: "Check the path and the size.",
  },
  "file-exists": {
    exit: 65,
    means: "a file that would be made is there already",
    fix: "Choose another folder or name; nothing is ever overwritten.",
  },
  "settings-invalid": {
    exit: 65,
    means: "a settings file of Claude Code does not have the form that it must have",
    fix: "Mend the file, or give another one with `--settings`; nothing was changed.",
  },
  "matcher-invalid": {
    exit: 65,
    means:
      "a matcher is no name, list or regular expression of the linear-time engine, or stands at an event that has nothing to match",
    fix: "Use a name, a list such as `Edit|Write`, or a regular expression without look-around and backreferences.",
  },
  "reads-insufficient": {
    exit: 65,
    means: "a hook may change a field that it does not read whole",
    fix: "Add the field to `reads`, so that a rewrite never drops what the hook could not see.",
  },
  "policy-invalid": {
    exit: 65,
    means: "an ordering, failure policy, grant or limit that the hook cannot have",
    fix: "The message says which rule it breaks.",
  },
  "load-failed": {
    exit: 65,
    means: "a script could not be bundled or loaded",
    fix: "The message says file, line and column; imports must resolve inside the pack.",
  },
  "log-broken": {
    exit: 65,
    means:
      "a decision log is not whole: a record was changed, dropped or reordered, or it is no decision log",
    fix: "Run `hookwarden log verify` on it, keep it as evidence, and log to another file.",
  },
  "log-failed": {
    exit: 69,
    means: "the decision log takes no records: it is full, or it cannot be written",
    fix: "Free the disk or mend the destination; treat the event as refused. Writing is tried again by itself.",
  },
  "certificate-invalid": {
    exit: 65,
    means: "the certificate of a replay was changed, is cut off, or is of another log or pack",
    fix: "Make it again with `hookwarden replay --certificate`.",
  },
  "bundle-invalid": {
    exit: 65,
    means: "a bundle does not have the one form that a bundle may have, or passes a limit",
    fix: "Make it again with `hookwarden bundle`; nothing of it was loaded.",
  },
  "bundle-untrusted": {
    exit: 65,
    means: "a bundle has no signature that the host trusts for what it holds",
    fix: "Sign it with a key of the trust file that is neither expired nor revoked.",
  },
  "bundle-rollback": {
    exit: 65,
    means:
      "a bundle is older than the host accepts, or gives other content to a version that was accepted before",
    fix: "Bundle it under a higher version, or lower the floor where the older one is really meant.",
  },
  "trust-invalid": {
    exit: 65,
    means: "a trust file or a key does not have the form that it must have",
    fix: "See docs/bundles.md for its form; `hookwarden keygen` makes keys.",
  },
  "review-invalid": {
    exit: 65,
    means:
      "a file is no review record: it lacks a member, has one too many, or has a value that it cannot have",
    fix: "Make it again with `hookwarden review --decision`.",
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
    fix: "The pointer says which case; docs/cases.md says what a case is.",
  },
  "dialect-unknown": {
    exit: 64,
    means: "there is no dialect of this name",
    fix: "`hookwarden run --help` lists them.",
  },
  "dialect-unsupported": {
    exit: 65,
    means: "a decision cannot be said in this dialect",
    fix: "Take the action out of the hook's grants, or use another dialect.",
  },
  "engine-missing": {
    exit: 69,
    means:
      "the isolate engine needs the optional package isolated-vm, which is not installed or does not load",
    fix: "Run `npm install isolated-vm`, or use `--engine quickjs`.",
  },
  "containment-missing": {
    exit: 69,
    means:
      "containment is required, and the operating system does not give a wall around child processes that it needs",
    fix: "The message says which and what to install; docs/containment.md says what each is for.",
  },
  "option-invalid": {
    exit: 64,
    means: "an option of the library has a value that it cannot have",
    fix: "The message says which.",
  },
  "nats-unavailable": {
    exit: 69,
    means: "there is no connection to NATS, or it does not answer in time",
    fix: "Start the NATS servers or mend the network; the connection is tried again by itself.",
  },
  "storage-failed": {
    exit: 69,
    means: "what the server keeps cannot be opened, read or written",
    fix: "Check the data folder: its disk, its owner, and that no other server uses it.",
  },
  "server-failed": {
    exit: 69,
    means: "an MCP server could not be started or reached",
    fix: "Run the server's command by itself to see what it says.",
  },
  "listen-failed": {
    exit: 69,
    means: "the system does not let the process listen at an address",
    fix: "The message says why. Port 0 takes one that is free.",
  },
  "package-missing": {
    exit: 69,
    means: "a command or an option needs a package that is not installed",
    fix: "Install it beside `hookwarden`, in the same version.",
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

/**
 * A host's own mistake, such as an event that breaks its schema or a pack that does not load. Its `code` is stable;
 * the message is one lower-case sentence with the offending input in backticks.
 */
export class HookwardenError extends Error {
  override readonly name = "HookwardenError";
  readonly code: ErrorCode;
  readonly place: ErrorPlace;

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.place = place;
  }

  /** What to do about it. */
  get fix(): string {
    return errorTable[this.code].fix;
  }

  /** One line for people: code, place, message, remedy. */
  toLine(): string {
    const where = placeText(this.place);
    const end = this.message.endsWith("?") ? "" : ".";
    return `${this.code}: ${where ? `${where}: ` : ""}${this.message}${end} ${this.fix}`;
  }

  toJSON(): { code: ErrorCode; message: string; place: ErrorPlace; fix: string } {
    return { code: this.code, message: this.message, place: this.place, fix: this.fix };
  }
}
