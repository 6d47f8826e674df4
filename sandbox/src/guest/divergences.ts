/** One way in which the engines may legitimately differ. */
export interface Divergence {
  readonly what: string;
  readonly reason: string;
}

/** Every legitimate difference between the engines, as a guest or its host can see it. Anything else is a defect. */
export const divergences: readonly Divergence[] = [
  {
    what: "Messages of errors that the engine throws, and so the message of a `threw` or `load-failed`",
    reason: "The standard leaves them open. The kind of error is the same.",
  },
  {
    what: "`stack` of errors, and `Error.stackTraceLimit` as a property",
    reason: "The standard does not have them. They are text and a number in both.",
  },
  {
    what: "What a module threw while it was loaded, where it runs in a fresh context",
    reason:
      "quickjs says it, and so does isolate in a frozen realm. In a fresh context isolated-vm would run the guest's getters to find out, after its timeout, so isolate says only that the module threw or waits for ever, and not where.",
  },
  {
    what: "Changes of built-in objects",
    reason:
      'In a frozen realm, which is the default on isolate, they are refused with a `TypeError`; a host can choose `realm: "fresh"`. quickjs allows them, and forgets them after the call.',
  },
  {
    what: "Free names that a program adds to `globalThis`, own properties of `globalThis`, and changes of `import.meta`",
    reason:
      "In a frozen realm `globalThis` inherits the built-in names and is not the object in which free names are looked up, and `import.meta` is frozen. The bundler rewrites the names of web and Node.js globals.",
  },
  {
    what: "Which place the engine records for an error that it raises itself, such as for a property of `undefined`",
    reason:
      "V8 records the expression. quickjs records places for calls, operators, `new`, `throw` and expression statements, so the place of such an error is that of the last of these before it, which may be a line or more above. Where the hook makes the error itself, both name the same line.",
  },
  {
    what: "`Function.prototype.toString` of built-in functions",
    reason: "The standard leaves white space open.",
  },
  {
    what: "The last digit of `Math.sin`, `Math.pow` and their like",
    reason: "The standard asks for an approximation.",
  },
  {
    what: "`Date.parse` of texts that are neither ISO 8601 nor what `Date` itself writes",
    reason: "The standard leaves them open.",
  },
  {
    what: "Properties of characters in `normalize`, `toUpperCase`, `\\p{…}` and identifiers",
    reason: "The engines were built with different versions of Unicode.",
  },
  {
    what: "Syntax newer than ES2024, such as `using`, and modifiers in regular expressions",
    reason:
      "An engine takes it as soon as it knows it. The pack loader compiles scripts down to what both know.",
  },
  {
    what: "The third argument of a reviver of `JSON.parse`",
    reason: "V8 passes the source text to it, QuickJS does not yet.",
  },
  {
    what: "Order in which `sort` compares, and how often",
    reason: "The standard leaves the algorithm open. The result is the same for a consistent comparison.",
  },
  {
    what: "`steps` is `null` on isolate, and `steps-exceeded` does not exist there",
    reason: "V8 does not count. Endless work is a `timeout`.",
  },
  {
    what: "Where memory ends, and what a guest sees of it",
    reason:
      "The engines need different room for the same values. On quickjs any refused allocation is `memory-exceeded`; on isolate a refused buffer is a `RangeError` that the guest may catch, and a few kinds of growth make V8 abort its process, which is `crashed`.",
  },
  {
    what: "How deep recursion goes, and whether its end is `stack-exceeded` or `threw`",
    reason:
      "Frames have different sizes. quickjs sees that the stack was used up; on isolate the guest's `RangeError` is all there is to see.",
  },
  {
    what: "Whether recursion goes equally deep in every call of the same hook",
    reason:
      "On quickjs always, in child processes on Linux and macOS. On isolate V8's frames shrink when it has compiled a function, so a hook that counts its depth gets another number once it is warm, and one that runs a regular expression near the end of its stack can tell whether V8 had compiled it; so does one that counts how many buffers it may have, since earlier calls of the tenant leave a little in the isolate.",
  },
  {
    what: '`stackKb` on quickjs in the host\'s own process (`isolation: "inline"`), and on Windows',
    reason:
      "The engine's recursion is also recursion on V8's stack, which is small there. The guest gets as much as fits in any case: with V8's default stack 64 KiB in a call and 35 KiB while it is loaded; more where Node.js was started with a larger `--stack-size`.",
  },
  {
    what: "Overflow of the stack while a module is loaded",
    reason:
      "It is `stack-exceeded` on quickjs, and `load-failed` on isolate, where the guest's `RangeError` is all there is to see.",
  },
  {
    what: "Destructuring patterns that nest more than 255 levels deep, in declarations and parameters",
    reason: "QuickJS's parser refuses them with a `SyntaxError`.",
  },
  {
    what: "Promise jobs that are left when the answer is known",
    reason:
      "quickjs never runs them. V8 runs all jobs in one go; they have no effect, but if they do not end, the call is a `timeout` on isolate.",
  },
  {
    what: "Accessors that a hook defines at indices of `Array.prototype` or `Object.prototype`",
    reason:
      "QuickJS's own writer of JSON keeps a list of the answer's objects that sees them, so that the call may end as `threw`. V8's does not. Nothing but the hook's own objects is in that list.",
  },
  {
    what: "Digits of numbers with a fraction in another base than ten, as in `(0.1).toString(7)`",
    reason: "The standard asks for an approximation.",
  },
  {
    what: "The bits of `NaN` in a typed array",
    reason: "The standard leaves them open. `DataView` writes the same ones everywhere.",
  },
  {
    what: 'Spreading a text into an object, as in `{ ..."ab" }`',
    reason:
      'QuickJS copies nothing, where the standard asks for its characters. `{ ...Object("ab") }` is the same in both.',
  },
  {
    what: "How long things take, and so whether a call that is near its `wallMs` is a `timeout`",
    reason: "V8 compiles hot code; its regular expressions are much faster.",
  },
];
