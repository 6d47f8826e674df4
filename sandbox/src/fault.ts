/** Who has to act on a fault. */
export type Blame = "hook" | "host" | "engine";

/** What a fault means, for people. `docs/faults.md` is made from this table. */
export interface FaultRow {
  readonly blame: Blame;
  /**
   * Whether the same call may end differently at another moment or on another machine: it depends on the clock, the load,
   * a process or a store. A replay copies such a fault from the record. Absent: determined by the call alone.
   */
  readonly circumstantial?: true;
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}

/**
 * The closed set of ways in which a hook can fail. The first group is reported by a sandbox, the second by the reader of
 * the answer. A code is always derived from host-side facts, never from what a guest threw.
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
    circumstantial: true,
    title: "the time ran out",
    cause:
      "The call took longer than `limits.wallMs`, or than what was left of `budgets.decisionMs`; or the script did not finish loading in time (the message says so); or it awaits a promise that can no longer be settled.",
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
    circumstantial: true,
    title: "the sandbox died",
    cause: "The engine trapped, or its process ended in the middle of the call.",
    fix: "The sandbox is replaced automatically. If it happens again with the same event, send the hook and the event as a bug report.",
  },
  quarantined: {
    blame: "hook",
    circumstantial: true,
    title: "the hook is in quarantine",
    cause:
      "The hook was not called, because it has failed repeatedly: it ended its process or did not load in time five times in a row, or, on a server, most of its recent calls were faults. It is tried again after a pause that doubles each time.",
    fix: "Read the faults before it in the decision log, and fix the hook. On a server, lift the quarantine once a fixed version is active.",
  },
  "input-too-large": {
    blame: "host",
    title: "the event is larger than the hook accepts",
    cause:
      "The event as the hook reads it, together with its context (configuration and state), has more bytes than `limits.inputBytes`. The hook was not called.",
    fix: "Send a smaller event, let the hook read fewer fields, or raise `limits.inputBytes` in the manifest up to the pack's ceiling.",
  },
  "budget-exceeded": {
    blame: "host",
    circumstantial: true,
    title: "the budget of the decision ran out",
    cause:
      "The hooks before this one left no time of `budgets.decisionMs` for it, or too little to finish, or `budgets.maxHooks` hooks had run already.",
    fix: "Raise `budgets.decisionMs` or `budgets.maxHooks` in hookwarden.json, lower `limits.wallMs` of the slow hooks, or use fewer hooks for the event.",
  },
  "state-unavailable": {
    blame: "host",
    circumstantial: true,
    title: "the hook's state could not be read or written",
    cause:
      "The state store failed, or other decisions locked or changed the same state for too long. A hook never runs on state that may be wrong.",
    fix: "Check the state store. Where many decisions share one state key, keep state per session instead of per tenant.",
  },
  overloaded: {
    blame: "host",
    circumstantial: true,
    title: "no sandbox was available",
    cause:
      "The queue of calls was full, no process was free in time, none could be started, or the sandbox is being closed. The hook was not called.",
    fix: "Add processes or lower the load. If no process can be started, the message says why.",
  },
  "invalid-output": {
    blame: "hook",
    title: "the answer is not a valid action",
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

/** The codes of faults that another run of the same call need not have; see `FaultRow.circumstantial`. */
export const circumstantialFaults: ReadonlySet<string> = new Set<string>(
  Object.entries<FaultRow>(faultTable)
    .filter(([, row]) => row.circumstantial)
    .map(([code]) => code),
);

/** A place in the source text of a program: line and column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A failure of one call. `message` is the host's own sentence; text of the guest in it is escaped and cut. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  /**
   * Where in the program an error was made, by the error's own `stack`. The guest can write any `stack`, so this is a claim
   * of the guest's about its own program, and nothing may depend on it. Absent where there is none.
   */
  readonly position?: Position;
}
