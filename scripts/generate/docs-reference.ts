import {
  circumstantialFaults,
  type FaultRow,
  faultTable,
  answerLimits,
  type LimitRow,
  limitTable,
  loadLimits,
} from "@hookwarden/sandbox";
import { maxReasonLength, maxTextLength } from "../../src/catalogue/fields.ts";
import { type ErrorRow, errorTable } from "../../src/errors/index.ts";
import { memoryPollIntervalMs } from "../../src/compile/run-child.ts";
import { type BudgetRow, budgetTable, manifestLimits, stateLimits } from "../../src/pack/limits.ts";
import { childLimits } from "../../src/compile/child-limits.ts";
import { code, markdownNotice, sentence, table } from "./text.ts";

const faults: readonly (readonly [string, FaultRow])[] = Object.entries(faultTable);
const errors: readonly (readonly [string, ErrorRow])[] = Object.entries(errorTable);
const limits: readonly (readonly [string, LimitRow])[] = Object.entries(limitTable);
const budgets: readonly (readonly [string, BudgetRow])[] = Object.entries(budgetTable);

const blame: ReadonlyMap<string, string> = new Map([
  ["hook", "the hook's author has to act"],
  ["host", "the operator of hookwarden has to act"],
  ["engine", "the sandbox is at fault, unless the hook attacked it"],
]);

/** docs/faults.md */
export function faultsPage(): string {
  return `# Faults

${markdownNotice}

A fault is a failure of a hook. There are exactly ${faults.length} kinds. A fault never opens a gate silently: if the event
has a "closed as" verdict and the hook could have stopped or changed something there, the fault becomes that verdict, unless
the pack lets the hook fail open. The code is derived from what the host knows, never from what the hook threw.

In a decision a fault is \`{ code, message, at }\`. \`at\` is the location in the pack's sources where the hook's error was created:
\`{ file, line, column }\`, lines and columns from 1, and files of npm packages under \`node_modules/\`. It is derived from the
error's \`stack\`, which a hook can forge: a hostile hook can name a wrong location in the files of its own program,
but no other file. It is absent if unknown: for faults without an error, for thrown values that are not errors, and
for programs whose source map is larger than 512 KiB. [Bundles](bundles.md) contain the maps.

A replay reproduces faults, except those that depend on the host's circumstances, which it takes from the log:
${[...circumstantialFaults].map(code).join(", ")}.

${table(
  ["code", "what happened", "responsible"],
  faults.map(([name, row]) => [`[${code(name)}](#${name})`, row.title, row.blame]),
)}

${faults
  .map(
    ([name, row]) => `## ${name}

${sentence(row.title)}

- **Cause:** ${row.cause}
- **Fix:** ${row.fix}
- **Blame:** ${row.blame}: ${blame.get(row.blame)}.`,
  )
  .join("\n\n")}
`;
}

const exits: ReadonlyMap<number, string> = new Map([
  [64, "invalid usage of the command or the library"],
  [65, "invalid input"],
  [69, "something required is not available"],
  [70, "an internal failure of hookwarden"],
]);

/** docs/errors.md */
export function errorsPage(): string {
  return `# Errors

${markdownNotice}

An error is a mistake of the host, such as an event that violates its schema or a pack that does not load. The library throws
a \`HookwardenError\` with a stable \`code\` and the location; the command line prints one sentence and exits with the status
below. A failure of a hook is not an error but a [fault](faults.md).

${table(
  ["code", "exit", "what it means"],
  errors.map(([name, row]) => [`[${code(name)}](#${name})`, String(row.exit), row.means]),
)}

${table(
  ["exit", "meaning"],
  [...exits].map(([status, meaning]) => [String(status), meaning]),
)}

${errors
  .map(
    ([name, row]) => `## ${name}

${sentence(row.means)}

- **Fix:** ${row.fix}
- **Exit:** ${row.exit}, ${exits.get(row.exit)}.`,
  )
  .join("\n\n")}
`;
}

const number = (value: number): string => value.toLocaleString("en");

/** docs/limits.md */
export function limitsPage(): string {
  return [
    callSection(),
    loadingSection(),
    decisionSection(),
    childSection(),
    answerSection(),
    manifestSection(),
  ].join("");
}

function callSection(): string {
  return `# Limits

${markdownNotice}

Every limit that a hook meets, with its default and how far it can be raised. Characters are UTF-16 code units, as
JavaScript counts them.

## One call

A hook requests its limits in \`limits\` of hook.json. The pack has \`defaults.limits\` for hooks that request none, and
\`grants.<hook>.limits\` as the ceiling of one hook; the lower of requested and granted applies. A value outside
minimum and ceiling is refused.

${table(
  ["limit", "default", "minimum", "ceiling", "unit", "what it limits"],
  limits.map(([name, row]) => [
    code(name),
    number(row.default),
    number(row.minimum),
    number(row.ceiling),
    row.unit,
    row.means,
  ]),
)}

`;
}

function loadingSection(): string {
  return `## Loading

A script is loaded once in each process of the sandbox (quickjs), or for each call (isolate), and whenever its limits
change. It is loaded when its top level has run and no promise job that it has queued is left.

${table(
  ["limit", "default", "unit", "what it limits"],
  [
    ["time", number(loadLimits.wallMs), "milliseconds", "loading, or `limits.wallMs` if that is higher"],
    [
      "steps",
      number(loadLimits.steps),
      "engine steps",
      "loading, or `limits.steps` if that is higher (quickjs only)",
    ],
    [
      "pause",
      number(loadLimits.retryMs),
      "milliseconds",
      "how long a script that ran out of time while loading is not loaded again",
    ],
  ],
)}

Loading is part of the decision that waits for it: it never takes longer than what is left of \`budgets.decisionMs\`, and
the call gets the rest. A script that is not loaded in time fails with \`timeout\`; the message names the limit that it met.
Until the pause is over its calls fail at once, unless a call has at least twice as much time. Each failure counts
towards the circuit breaker, as the end of a process does.

`;
}

function decisionSection(): string {
  return `## One decision

Set in \`budgets\` of hookwarden.json.

${table(
  ["budget", "default", "minimum", "ceiling", "unit", "what it limits"],
  budgets.map(([name, row]) => [
    code(name),
    number(row.default),
    number(row.minimum),
    number(row.ceiling),
    row.unit,
    row.means,
  ]),
)}

## State

Set in \`state\` of hook.json.

${table(
  ["limit", "minimum", "ceiling", "unit", "what it limits"],
  Object.entries(stateLimits).map(([name, row]) => [
    code(name),
    number(row.minimum),
    number(row.ceiling),
    row.unit,
    row.means,
  ]),
)}

`;
}

function childSection(): string {
  return `## Bundling and checking

Scripts are bundled, type-checked and linted in child processes. The host sets their limits, in the options of
\`compileScripts\`, \`checkPack\` and the like. Memory is sampled every ${memoryPollIntervalMs} ms; a child that exceeds the limit is killed
with all its descendants, and the error has the code \`load-failed\`.

${table(
  ["limit", "default", "minimum", "ceiling", "unit", "what it limits"],
  Object.entries(childLimits).map(([name, row]) => [
    code(name),
    number(row.default),
    number(row.minimum),
    number(row.ceiling),
    row.unit,
    row.means,
  ]),
)}

`;
}

function answerSection(): string {
  return `## Answers

The same for every hook.

${table(
  ["what", "most"],
  [
    ["keys in all objects of an answer together", number(answerLimits.keys)],
    ["characters of a key", number(answerLimits.keyLength)],
    ["characters of a reason or of feedback", number(maxReasonLength)],
    ["characters of an added text", number(maxTextLength)],
  ],
)}

`;
}

function manifestSection(): string {
  const { priority, ...counts } = manifestLimits;
  const manifest: readonly (readonly [string, number])[] = [
    ["hooks of a pack", counts.hooks],
    ["entries of `on`", counts.subscriptions],
    ["entries of `reads`", counts.reads],
    ["characters of a path of `reads`", counts.readLength],
    ["characters of a matcher", counts.matcherLength],
    ["characters of `entry`, or of a hook's folder", counts.pathLength],
    ["characters of `version`", counts.versionLength],
    ["characters of `description`", counts.descriptionLength],
  ];
  return `## Manifests

${table(
  ["what", "most"],
  manifest.map(([what, most]) => [what, number(most)]),
)}

\`priority\` goes from ${number(priority.minimum)} to ${number(priority.maximum)}; the default is ${number(priority.default)}.
`;
}
