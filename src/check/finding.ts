import { type ErrorCode, type ErrorPlace, type HookwardenError } from "../errors/index.ts";
import { type LintCode, type LintFinding, lintTable } from "./lint/index.ts";
import type { FindingRow, Severity } from "./lint/row.ts";

/** What can be wrong with a pack that loads, beside the code of its scripts (`lintTable`). */
export const findingTable = {
  "handler-missing": {
    severity: "error",
    means: "a hook listens to an event for which its script has no function",
    why: "The hook fails at each such event.",
    fix: "Export a function of the event's name, or take the event out of `on`.",
  },
  "handler-unused": {
    severity: "error",
    means: "a script has a function for an event to which the hook does not listen",
    why: "The function never runs, and what it was to guard is not guarded.",
    fix: "Add the event to `on`, or take the function out.",
  },
  "type-error": {
    severity: "error",
    means: "the TypeScript compiler finds fault with a script",
    why: "The types of events and actions say what is there and what is legal: what breaks them fails when it runs.",
    fix: "Correct the type; `hookwarden/hook` declares the events and what each may be answered with.",
  },
  "action-useless": {
    severity: "error",
    means: "a hook asks for an action that is legal at none of its events",
    why: "It can never count, and a reader takes the hook for stronger than it is.",
    fix: "Take it out of `actions`; docs/events.md says where it is legal.",
  },
  "action-unused": {
    severity: "warning",
    means: "a hook asks for an action that its code does not name and that none of its cases brings about",
    why: "The next version can use a permission that is granted and unused, without a new grant.",
    fix: "Take it out of `actions`, or add a case that shows it.",
  },
  "read-unknown": {
    severity: "warning",
    means: "a hook asks for a field that its events do not have",
    why: "The field is always `undefined`, so the hook cannot find what it looks for.",
    fix: "Correct the path; docs/events.md lists the fields of each event.",
  },
  "read-unused": {
    severity: "warning",
    means: "a hook asks for a field that its code does not name",
    why: "A hook should see no more than it needs, because it can pass on what it sees; and a misspelt path is always `undefined`.",
    fix: "Correct the path, or remove it from `reads`.",
  },
  "field-unread": {
    severity: "warning",
    means: "the code uses a field of the event that the manifest does not ask for",
    why: "A hook sees only what `reads` names: the field is always `undefined`, and the hook decides without it.",
    fix: "Add the field to `reads`, or remove it from the code.",
  },
  "reads-everything": {
    severity: "warning",
    means: "a hook reads `*`, and its code names a few fields only",
    why: "What a hook sees, it can tell: also fields that the catalogue gets later.",
    fix: "Name the fields in `reads`.",
  },
  "matcher-never": {
    severity: "error",
    means: "a matcher matches no name that its field can have",
    why: "The hook never runs, and what it was to guard is not guarded.",
    fix: "See docs/events.md for the values of the field; a matcher must match the whole name.",
  },
  "matcher-misspelt": {
    severity: "warning",
    means: "a name in a matcher is nearly, and not quite, that of a well-known tool",
    why: "Names are compared byte for byte, capitals included: the hook does not run for the tool that was meant.",
    fix: "Write the name as the tool has it; if a tool is really called so, allow the finding.",
  },
  "hook-unreachable": {
    severity: "warning",
    means: "a hook never gets to run at an event, whatever the event holds",
    why: "It looks like a guard and is none.",
    fix: "Change the order, the matcher or the budget, or take the hook out of the pack.",
  },
  "hook-powerless": {
    severity: "warning",
    means: "a hook may return nothing at an event but `continue`",
    why: "Whatever it finds, it can say nothing.",
    fix: "Ask for an action that is legal there, or grant it, or take the event out of `on`.",
  },
  "hook-duplicate": {
    severity: "warning",
    means: "a pack has the same script twice, with the same configuration and at the same events",
    why: "The second one costs time and adds nothing, unless one of the two was meant to be another.",
    fix: "Take one of them out of the pack.",
  },
  "grant-useless": {
    severity: "error",
    means: "a pack grants a hook something that the hook does not ask for",
    why: "It takes effect on the day the hook asks for it, without another approval.",
    fix: "Take it out of the grant: it would count from the day the hook asks for it.",
  },
  "hook-unlisted": {
    severity: "error",
    means: "a folder of the pack has a hook.json, and the pack does not list it",
    why: "A hook that is there and does not run is easily taken for one that does.",
    fix: "Add the folder to `hooks` in hookwarden.json, or move it out of the pack.",
  },
  "rewrite-then-guard": {
    severity: "error",
    means:
      "a hook that decides and rewrites runs before another one that rewrites, so that its own rewrite can be lost",
    why: "The later rewrite wins, and the hook is asked again about an input that it did not write.",
    fix: "Give it a higher `priority` than the other one, or split it into a guard and a rewriter.",
  },
  "allowance-useless": {
    severity: "warning",
    means: "a comment allows a finding that there is not, or gives no reason",
    why: "It would hide the next finding there, which has not been reviewed.",
    fix: "Take the comment out, or write why: `// hookwarden-allow CODE: REASON`.",
  },
} as const satisfies Record<string, FindingRow>;

export type FindingCode = keyof typeof findingTable;

/** One thing that is wrong with a pack. */
export interface Finding {
  readonly code: FindingCode | LintCode | ErrorCode;
  /** An `error` fails a check, a `warning` a strict one, an `info` none. */
  readonly severity: Severity;
  /** The hook that it is about; `null` for the pack itself. */
  readonly hook: string | null;
  /** One lower-case sentence, with the input that it is about in backticks. */
  readonly message: string;
  readonly place: ErrorPlace;
  /** What to do about it. */
  readonly fix: string;
  /** Where the documentation says more, from the root of the package. */
  readonly page: string;
}

export function finding(code: FindingCode, hook: string | null, message: string, place: ErrorPlace): Finding {
  const { severity, fix } = findingTable[code];
  return { code, severity, hook, message, place, fix, page: pageOf(code) };
}

/** What keeps a pack, or a part of it, from loading. */
export function findingOf(error: HookwardenError, hook: string | null): Finding {
  const { code, message, place, fix } = error;
  return {
    code,
    severity: "error",
    hook,
    message,
    place,
    fix,
    page: `docs/errors.md#${code}`,
  };
}

/** What is risky in the code of a hook. */
export function findingOfLint({ code, severity, message, place }: LintFinding, hook: string): Finding {
  return { code, severity, hook, message, place, fix: lintTable[code].fix, page: pageOf(code) };
}

function pageOf(code: FindingCode | LintCode): string {
  return `docs/findings.md#${code}`;
}
