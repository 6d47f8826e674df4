import { type ErrorCode, errorTable, type ErrorPlace, type HookwardenError } from "../../errors.ts";

/** What a finding means, and what to do. */
export interface FindingRow {
  readonly means: string;
  readonly fix: string;
}

/** What can be wrong with a pack that loads. A pack that does not load has the codes of errors (`errorTable`). */
export const findingTable = {
  "handler-missing": {
    means: "a hook listens to an event for which its script has no function",
    fix: "Export a function of the event's name, or take the event out of `on`.",
  },
  "handler-unused": {
    means: "a script has a function for an event to which the hook does not listen",
    fix: "Add the event to `on`, or take the function out.",
  },
  "action-useless": {
    means: "a hook asks for an action that is legal at none of its events",
    fix: "Take it out of `actions`; docs/events.md says where it is legal.",
  },
  "grant-useless": {
    means: "a pack grants a hook something that the hook does not ask for",
    fix: "Take it out of the grant: it would count from the day the hook asks for it.",
  },
  "hook-unlisted": {
    means: "a folder of the pack has a hook.json, and the pack does not list it",
    fix: "Add the folder to `hooks` in hookwarden.json, or move it out of the pack.",
  },
  "rewrite-then-guard": {
    means:
      "a hook that decides and rewrites runs before another one that rewrites, so that its own rewrite can be lost",
    fix: "Give it a higher `priority` than the other one, or split it into a guard and a rewriter.",
  },
} as const satisfies Record<string, FindingRow>;

export type FindingCode = keyof typeof findingTable;

/** One thing that is wrong with a pack. */
export interface Finding {
  readonly code: FindingCode | ErrorCode;
  /** The hook that it is about; `null` for the pack itself. */
  readonly hook: string | null;
  /** One lower-case sentence, with the input that it is about in backticks. */
  readonly message: string;
  readonly place: ErrorPlace;
  /** What to do about it. */
  readonly fix: string;
}

export function finding(code: FindingCode, hook: string | null, message: string, place: ErrorPlace): Finding {
  return { code, hook, message, place, fix: findingTable[code].fix };
}

/** What keeps a pack, or a part of it, from loading. */
export function findingOf(error: HookwardenError, hook: string | null): Finding {
  return {
    code: error.code,
    hook,
    message: error.message,
    place: error.place,
    fix: errorTable[error.code].fix,
  };
}
