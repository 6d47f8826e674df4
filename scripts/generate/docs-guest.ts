import { divergences } from "../../sandbox/src/guest/divergences.ts";
import { allowedGlobals, type GlobalRow, refusedGlobals } from "../../sandbox/src/guest/globals.ts";
import { intrinsicNames } from "../../sandbox/src/guest/permits.ts";
import { code, codes, markdownNotice, table } from "./text.ts";

const rows = (globals: readonly GlobalRow[]): string =>
  table(
    ["names", "why"],
    globals.map(({ names, reason }) => [codes(names), reason]),
  );

/** docs/guest-world.md */
export function guestWorldPage(): string {
  return `# The guest's world

${markdownNotice}

A hook is one ES module. Its environment is the same on both engines: a feature that one of them lacks is hidden in the other.
There is no \`import\`, \`import()\`, \`require\`, network, file, timer or process.

- **Calls.** The default export is a function, or an object of functions by event name. It is called without a
  receiver, with two arguments parsed from JSON. A promise is awaited as long as the hook itself can settle it; a result
  with a \`then\` function is awaited as \`await\` would.
- **Time.** \`Date\` is fixed at the event's time during a call, and at 1 January 1970 while the module loads. The
  time zone is UTC, and there is no locale.
- **Randomness.** \`Math.random\` returns the same numbers for the same seed, on every machine and on both engines.
- **Loading.** The module is loaded when its top level has run and its queue of promise jobs is empty: anything that a
  promise sets up at the top level is available in every call. Endless jobs are a \`timeout\` or \`steps-exceeded\`.
- **Memory.** Every call starts from the state right after the module was loaded. No change made by a call, to a variable, a
  prototype or a cache, is visible to the next one, unless the host chose to keep contexts.
- **Code from strings.** \`eval\` and every function constructor throw.
- **The answer** is serialized once, as JSON, as soon as it is known, together with the log. \`toJSON\` and getters
  run then, within the limits of the call. Pending microtasks are dropped.
- **The console** writes one line per console call: strings as they are, other values as JSON, up to the remaining
  \`logBytes\`. A value that is too large is truncated there, without traversing the rest. Cyclic objects show
  \`"[circular]"\`, objects nested more than 32 levels deep \`"[object]"\` or \`"[array]"\`. Lines that do not fit are
  dropped, and the last line gives their number.
- **The stack** is limited by \`stackKb\`. An overflow is a \`RangeError\` that the hook can catch; if it does not, the fault
  is \`stack-exceeded\` (quickjs) or \`threw\` (isolate). On quickjs in child processes, the same call overflows at the same depth
  in a new process and in a long-running one.
- **Errors.** \`stack\` is text; \`Error.prepareStackTrace\` can be set and is never called.

## Globals

${rows(allowedGlobals)}

## Not available

${rows(refusedGlobals)}

## Own properties of available objects

A built-in function that is not listed has \`length\` and \`name\`. A name between \`%\` is not a global: it is the name of the
object in the language specification. \`@@\` marks a symbol.

${table(
  ["object", "properties"],
  intrinsicNames.map(([path, names]) => [code(path), code(names.join(" "))]),
)}

## Where the engines differ

Any other difference is a bug.

${table(
  ["difference", "reason"],
  divergences.map(({ what, reason }) => [what, reason]),
)}
`;
}
