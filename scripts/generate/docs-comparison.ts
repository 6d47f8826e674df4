import { readFileSync } from "node:fs";
import { markdownNotice, table } from "./text.ts";

/** What a host could use for hooks of others, by the name of its row in `docs/bench.md`. */
const rows: readonly {
  readonly name: string;
  readonly row: string;
  readonly contains: string;
  readonly limits: string;
  readonly decides: string;
}[] = [
  {
    name: "hookwarden, quickjs in a child process",
    row: "dispatch, quickjs, child process",
    contains: "WebAssembly, Node.js permissions, namespaces, seccomp",
    limits: "steps, time, memory, stack, output",
    decides: "JavaScript; allow, ask, deny, rewrite, redact, add context",
  },
  {
    name: "hookwarden, isolated-vm in a child process",
    row: "dispatch, isolate, child process",
    contains: "V8 isolate, Node.js permissions, namespaces, seccomp",
    limits: "time, memory, stack, output",
    decides: "the same",
  },
  {
    name: "Cedar (cedar-wasm)",
    row: "cedar-wasm, preparsed",
    contains: "a language without effects",
    limits: "terminates by design",
    decides: "permit or forbid over entities; no rewriting, no state",
  },
  {
    name: "command hook, shell",
    row: "command hook, `sh`",
    contains: "none: the user's rights",
    limits: "the client's timeout",
    decides: "anything; a crash or bad JSON usually allows",
  },
  {
    name: "command hook, Node.js",
    row: "command hook, `node`",
    contains: "none: the user's rights",
    limits: "the client's timeout",
    decides: "anything; a crash or bad JSON usually allows",
  },
  {
    name: "SES compartment in the host's process",
    row: "SES, fresh compartment",
    contains: "frozen intrinsics; shares heap and thread with the host",
    limits: "none",
    decides: "JavaScript",
  },
  {
    name: "`node:vm` context in the host's process",
    row: "node:vm, fresh context (no security boundary)",
    contains: "none: not a security boundary",
    limits: "time",
    decides: "JavaScript",
  },
];

const head = `# Comparison

${markdownNotice}

Alternatives to hookwarden for deciding what an agent may do. Times are of one decision on an event of 1 KB, each deciding the
same, from the [bench](bench.md); multiples are of the first row. Times differ between machines, multiples much less.

`;

const foot = `
Open Policy Agent is missing from the table, because the bench does not measure it yet. Its language, Rego, has no effects
and no loops without a bound, and decides over documents as Cedar does.

Choose Cedar or OPA when your own team writes all rules, they are about who may do what, and they fit the language. Choose
hookwarden when rules look into commands, prompts and results, when they rewrite or redact, or when people you do not trust
write them. Command hooks are fine for scripts of your own on your own machine, as long as it is acceptable that a hook that
fails lets the tool run.
`;

/** `docs/comparison.md`, with the times of the last bench. */
export function comparisonPage(): string {
  const lines = measured().map(({ name, time, times, contains, limits, decides }) => [
    name,
    time,
    times,
    contains,
    limits,
    decides,
  ]);
  const columns = ["what", "time", "multiple", "containment", "limits", "what it decides with"];
  return `${head}${table(columns, lines)}\n${foot}`;
}

/** The rows of the README: what a decision costs. */
export function readmeNumbers(): string {
  const lines = measured()
    .slice(0, readmeRows)
    .map(({ name, time, contains }) => [name, time, contains]);
  return table(["one decision on an event of 1 KB", "time", "containment"], lines);
}

/** How many of the rows the README has. */
const readmeRows = 5;

/** The rows with their times, as text. */
function measured() {
  const bench = readFileSync(new URL("../../docs/bench.md", import.meta.url), "utf8");
  const figures = new Map(
    [...bench.matchAll(/^\| (.+?) +\|[^|]*×? *\|[^|]*\| *([\d.]+) \|/gm)].map(([, name, time]) => [
      name!,
      Number(time),
    ]),
  );
  const timeOf = (row: string): number => {
    const time = figures.get(row);
    if (time === undefined) throw new Error(`docs/bench.md has no row \`${row}\``);
    return time;
  };
  const first = timeOf(rows[0]!.row);
  return rows.map((one) => {
    const time = timeOf(one.row);
    return { ...one, time: microseconds(time), times: multiple(time / first) };
  });
}

function microseconds(time: number): string {
  return time < 1_000 ? `${Number(time.toPrecision(2))} µs` : `${Number((time / 1_000).toPrecision(2))} ms`;
}

function multiple(ratio: number): string {
  return `${Number(ratio.toPrecision(2))}×`;
}
