/** Who has to act on a fault. */
export type Blame = "hook" | "host" | "engine";

/** What a fault means, for people. `docs/faults.md` is made from this table. */
export interface FaultRow {
  readonly blame: Blame;
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}

/**
 * The closed set of ways in which a hook can fail. The first group is named by a sandbox, the second by whoever reads
 * the answer. A code is always chosen from the host's own knowledge, never from what a guest threw.
 */
export const faultTable = {
  "load-failed": {
    blame: "hook",
    title: "the script could not be loaded",
    cause:
      "It does not parse, throws or never settles at its top level, imports something that is not in the pack, or has no default export (or none for this event).",
    fix: "Run `hookwarden check` on the pack: it names the file, the line and the missing export.",
  },
  threw: {
    blame: "hook",
    title: "the hook threw",
    cause: "The hook threw an exception, or returned a promise that was rejected.",
    fix: "Read the message in the trace, and reproduce it with `hookwarden try`. Decide on every input instead of throwing.",
  },
  "steps-exceeded": {
    blame: "hook",
    title: "the step budget ran out",
    cause:
      "The hook did more work than `limits.steps` allows; a loop that does not end, or an input that makes it expensive.",
    fix: "Make the work proportional to the input, or raise `limits.steps` in the manifest up to the pack's ceiling.",
  },
  timeout: {
    blame: "hook",
    title: "the time ran out",
    cause:
      "The call took longer than `limits.wallMs`, or than what was left of `budgets.decisionMs`; or the script did not finish loading in time (the message says so); or it waits for a promise that nothing can settle any more.",
    fix: "Look for expensive regular expressions and built-ins on large inputs; await only promises that the hook itself settles; keep what runs at the top level of the script short.",
  },
  "memory-exceeded": {
    blame: "hook",
    title: "the memory ran out",
    cause: "The host refused memory beyond `limits.memoryKb`, or stopped a process that grew beyond its cap.",
    fix: "Keep less at a time, or raise `limits.memoryKb` in the manifest up to the pack's ceiling.",
  },
  "stack-exceeded": {
    blame: "hook",
    title: "the stack ran out",
    cause: "The hook recursed deeper than `limits.stackKb` allows.",
    fix: "Use a loop instead of recursion, or raise `limits.stackKb`.",
  },
  "output-too-large": {
    blame: "hook",
    title: "the answer is too large",
    cause: "The answer as JSON is larger than `limits.outputBytes`, or has too many or too long keys.",
    fix: "Return less, or raise `limits.outputBytes` in the manifest up to the pack's ceiling.",
  },
  "output-too-deep": {
    blame: "hook",
    title: "the answer is nested too deeply",
    cause: "The answer nests deeper than `limits.outputDepth`.",
    fix: "Return a flatter value.",
  },
  crashed: {
    blame: "engine",
    title: "the sandbox died",
    cause:
      "The engine trapped, or its process ended in the middle of the call. A hook that has ended its process, or has not loaded in time, five times in a row is not run for a while, a second at first and a minute at most; such calls say so.",
    fix: "The sandbox is replaced by itself. If it happens again with the same event, send the hook and the event as a bug report.",
  },
  overloaded: {
    blame: "host",
    title: "no sandbox was free in time",
    cause:
      "The queue of calls was full, the decision's time budget had run out before the hook's turn, or the event is larger than `limits.inputBytes`.",
    fix: "Add processes, lower the load, raise `budgets.decisionMs`, or raise `limits.inputBytes` of the hook.",
  },
  "invalid-output": {
    blame: "hook",
    title: "the answer is no action",
    cause:
      "The answer is not an action of the catalogue, or lacks or adds a field, or a modified input breaks its tool's schema.",
    fix: "Return what the helpers of `hookwarden/hook` make; the message says which field is wrong.",
  },
  "illegal-action": {
    blame: "hook",
    title: "the action is not legal at this event",
    cause: "The catalogue does not allow the action at this event.",
    fix: "See `docs/events.md` for the actions that are legal there.",
  },
  "ungranted-action": {
    blame: "hook",
    title: "the action was not asked for, or not granted",
    cause:
      "The action is legal at this event, but the manifest's `actions` do not list it, or the pack does not grant it.",
    fix: "Add it to `actions` in hook.json; for `allow`, also to the hook's `grants.actions` in hookwarden.json.",
  },
  "injection-overflow": {
    blame: "hook",
    title: "the injection budget ran out",
    cause:
      "What this hook adds for the model would exceed the pack's `budgets.injectionBytes` for one event.",
    fix: "Add less, or raise the budget. Nothing is cut.",
  },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof faultTable;

/** A failure of one call. `message` is the host's own sentence; text of the guest in it is escaped and cut. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
}
