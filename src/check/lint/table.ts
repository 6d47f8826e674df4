import type { FindingRow } from "./row.ts";

export interface LintRow extends FindingRow {
  /** Whether it counts in npm packages too, whose authors have never heard of hooks. */
  readonly packages: boolean;
}

/** What can be risky in the code of a script. Nothing of it is run to find out. */
export const lintTable = {
  "unparsable-code": {
    severity: "error",
    packages: true,
    means: "a program cannot be parsed, so that nothing is known of what it does",
    why: "Code that is too deep or too large for a parser cannot be reviewed either.",
    fix: "Make the script smaller and flatter.",
  },
  "dynamic-code": {
    severity: "error",
    packages: true,
    means: "a script makes code out of text, or loads it while it runs",
    why: "Code that comes into being while it runs cannot be reviewed. The sandbox refuses it, so the hook fails there.",
    fix: "Write the code out, and import what is needed at the top of the script.",
  },
  "builtin-write": {
    severity: "warning",
    packages: true,
    means: "a script changes built-in objects or the prototype of an object",
    why: "What a changed built-in does is not what it says, and a prototype that is set from data adds fields to objects.",
    fix: "Use functions of the script's own, and `Map` or `Object.create(null)` for data.",
  },
  "dynamic-property": {
    severity: "warning",
    packages: false,
    means: "a script looks something up, or writes it, under a name that it is given",
    why: "`constructor` and `__proto__` are names too: with them a name from outside finds functions, or changes every object.",
    fix: "Use a `Map`, an object made with `Object.create(null)`, or `Object.hasOwn` before the look-up.",
  },
  "regex-nonlinear": {
    severity: "warning",
    packages: false,
    means: "a regular expression may take time that grows faster than the text",
    why: "The author of the text can make the hook reach its limit, and the fault decides instead of the hook.",
    fix: "Give repetitions an upper bound, and let no two of them match the same characters next to each other.",
  },
  "regex-rescan": {
    severity: "info",
    packages: false,
    means: "a regular expression without an anchor reads the same characters again from each start",
    why: "A long run of one character costs the square of its length. That is felt from some ten thousand characters on.",
    fix: "Anchor the expression, bound the repetition, or cut long texts before.",
  },
  "regex-from-event": {
    severity: "warning",
    packages: false,
    means: "a regular expression is made from data of the event",
    why: "The author of the data chooses what the expression matches, and how long it takes.",
    fix: "Compare texts with `includes`, `startsWith` and the like, or escape them with `RegExp.escape`.",
  },
  "clock-reliance": {
    severity: "warning",
    packages: false,
    means: "a script reads the clock",
    why: "The clock of a hook stands at the event's time, which the host sets: it measures nothing, and a replay sees the old time.",
    fix: "Use `ctx.time`, and say in a case what is expected at which time.",
  },
  "random-reliance": {
    severity: "warning",
    packages: false,
    means: "a script draws random numbers",
    why: "They come from the decision's id, so that a decision can be replayed: they are no secret, and a rate drawn from them can be foreseen.",
    fix: "Decide by the event alone; sample in the host.",
  },
  "literal-trigger": {
    severity: "warning",
    packages: false,
    means: "a script behaves differently for one tenant, session, agent or date that it names",
    why: "It is how a hook is written that does harm later, or to one customer only, and shows nothing in a test.",
    fix: "Put what differs into the hook's configuration, where it can be read and reviewed.",
  },
  "encoded-text": {
    severity: "warning",
    packages: true,
    means: "a script holds a long text or list that is encoded",
    why: "It is unreadable, and can hide code, addresses or a list of names.",
    fix: "Write it as plain text.",
  },
  "opaque-source": {
    severity: "warning",
    packages: false,
    means: "a script has been minified or obfuscated",
    why: "A reviewer cannot read it, and what cannot be read cannot be accepted.",
    fix: "Put the source itself into the pack; the loader bundles it.",
  },
  "hidden-character": {
    severity: "error",
    packages: true,
    means: "a source has characters that cannot be seen, or that look like others",
    why: "What a reviewer reads is then not what runs: text can seem to be a comment, and a name can seem to be another one.",
    fix: "Write such characters as escapes (`\\u202e`), and names in one script.",
  },
  "console-event": {
    severity: "warning",
    packages: false,
    means: "a script writes data of the event to the console",
    why: "Console lines stand in decisions and in the log, where the masks of the event's fields do not point.",
    fix: "Write what was found, not the data in which it was found.",
  },
  "unknown-global": {
    severity: "warning",
    packages: false,
    means: "a script uses a global that no hook has",
    why: "It throws when it gets there, which is a fault; or the script feels for a host that it hopes to find.",
    fix: "See docs/guest-world.md for what there is.",
  },
  "floating-promise": {
    severity: "warning",
    packages: false,
    means: "a promise is neither awaited nor returned",
    why: "Nothing runs any more once the answer has settled: what is left over never happens, and its failure is not seen.",
    fix: "Await it, or return it.",
  },
  "unbounded-loop": {
    severity: "warning",
    packages: false,
    means: "a loop has no end but one that data of the event decides",
    why: "The author of the data can make the hook reach its limit, and the fault decides instead of the hook.",
    fix: "Count the rounds, and stop at a number that the script sets.",
  },
  "swallowing-catch": {
    severity: "warning",
    packages: false,
    means: "a hook catches an error and answers nothing",
    why: "An error inside the hook then means `continue`: the gate is open, and no fault reports it.",
    fix: "Answer with a verdict in the `catch`, or let the error through: the hook's failure policy decides then.",
  },
} as const satisfies Record<string, LintRow>;

export type LintCode = keyof typeof lintTable;
