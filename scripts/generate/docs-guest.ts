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

A hook is one ES module. It runs in a world of its own, which is the same on both engines: what one of them lacks, the
other does not show. There is no \`import\`, \`import()\`, \`require\`, network, file, timer or process.

- **Calls.** The default export is a function, or an object of functions by event name. It is called without a
  receiver, with two arguments made from JSON. A promise is awaited as long as the hook itself can settle it; a result
  with a \`then\` function is awaited as \`await\` would.
- **Time.** \`Date\` stands at the event's time while a call runs, and at 1 January 1970 while the module is loaded. The
  zone is UTC, and there is no locale.
- **Chance.** \`Math.random\` gives the same numbers for the same seed, on every machine and on both engines.
- **Loading.** The module is loaded when its top level has run and no promise job that it has queued is left: what a
  promise sets up at the top level is there in every call. Jobs that never end are a \`timeout\` or \`steps-exceeded\`.
- **Memory.** Every call starts from the world as it was when the module had been loaded. Nothing that a call changes,
  a variable, a prototype, a cache, is there in the next one, unless the host chose kept contexts.
- **Code from strings.** \`eval\` and every function constructor throw.
- **The answer** is written down once, as JSON, the moment it is known, together with the log. \`toJSON\` and getters
  run then, within the limits of the call. Jobs that are left have no effect.
- **The console** writes one line a call: texts as they are, other values as JSON, as far as the rest of \`logBytes\`
  goes. A value that is too large is cut off there, not walked to its end. Objects that contain themselves show
  \`"[circular]"\`, those nested more than 32 levels deep \`"[object]"\` or \`"[array]"\`. Lines that do not fit are
  dropped, and the last line says how many.
- **The stack** ends where \`stackKb\` says, as a \`RangeError\` that the hook can catch; where it is not caught, the fault
  is \`stack-exceeded\` (quickjs) or \`threw\` (isolate). On quickjs in child processes the same call ends the same way in
  a new process and in one that has long been running.
- **Errors.** \`stack\` is text; \`Error.prepareStackTrace\` can be set and is never called.

## Globals

${rows(allowedGlobals)}

## Not there

${rows(refusedGlobals)}

## Own properties of what is there

A built-in function that is not listed has \`length\` and \`name\`. A name between \`%\` is not a global: it is how the
language's specification calls the object. \`@@\` stands for a symbol.

${table(
  ["object", "properties"],
  intrinsicNames.map(([path, names]) => [code(path), code(names.join(" "))]),
)}

## Where the engines differ

What is not in this list is a defect.

${table(
  ["what", "why"],
  divergences.map(({ what, reason }) => [what, reason]),
)}
`;
}
