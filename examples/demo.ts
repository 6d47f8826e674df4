/**
 * Dispatches a recorded agent session through the shipped policies, on both engines, and prints what was decided.
 *
 *     npm run demo
 */
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual, styleText } from "node:util";
import { createWarden, type Decision, type EngineName, HookwardenError, sanitizeText } from "hookwarden";

interface SessionEvent {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly tool_name?: string;
  readonly tool_input?: { readonly [field: string]: unknown };
}

const engines: readonly EngineName[] = ["quickjs", "isolate"];
const here = (path: string): string => new URL(path, import.meta.url).pathname;
const width = Math.min(process.stdout.columns ?? 80, 110);

/** Decides all events on one engine, in order. */
async function decideAll(engine: EngineName, events: readonly SessionEvent[]): Promise<readonly Decision[]> {
  await using warden = await createWarden({ pack: here("../policies"), engine });
  // A process loads each hook at its first call. The session is played once under another name, so that the times
  // below are those of a host that has been running for a while.
  for (const event of events) await warden.dispatch({ ...event, session_id: `before ${event.session_id}` });
  const decisions: Decision[] = [];
  for (const event of events) decisions.push(await warden.dispatch(event));
  return decisions;
}

/** What a decision says, without what differs from run to run: its id and its measurements. */
function essence({ verdict, reason, feedback, decided_by, changes, additions, trace }: Decision): unknown {
  const hooks = trace.map(({ hook, outcome, actions, refused, fault }) => ({
    hook,
    outcome,
    actions,
    refused,
    fault,
  }));
  return { verdict, reason, feedback, decided_by, changes, additions, hooks };
}

/** Which hooks did something, and what they say. */
function deeds({ trace, decided_by, reason, feedback, verdict }: Decision): readonly string[] {
  return trace.flatMap(({ hook, outcome, actions, fault, refused }) => {
    if (fault) return [`${hook}: ${fault.code}: ${fault.message}`];
    if (refused.length > 0) return refused.map(({ action, code }) => `${hook}: ${action} refused: ${code}`);
    if (hook === decided_by) return [`${hook}: ${reason ?? feedback ?? verdict}`];
    if (outcome !== "honoured") return [];
    const shown = actions.filter(({ action }) => action !== "continue" && action !== "set_state");
    return shown.map(({ action, text, reason = text }) =>
      typeof reason === "string" ? `${hook}: ${action}: ${reason}` : `${hook}: ${action}`,
    );
  });
}

/** What the tool was asked to do, on one line. */
function asked({ tool_input = {} }: SessionEvent): string {
  const what = [tool_input["command"], tool_input["file_path"], tool_input["url"]].find(
    (one) => typeof one === "string",
  );
  const line = sanitizeText(String(what ?? "")).replace(/\s+/g, " ");
  return line.length > width - 4 ? `${line.slice(0, width - 5)}…` : line;
}

function colour(verdict: string): "dim" | "green" | "yellow" | "red" {
  if (verdict === "continue") return "dim";
  if (verdict === "allow") return "green";
  return verdict === "ask" || verdict === "retry" ? "yellow" : "red";
}

function wrapped(text: string, indent: number): readonly string[] {
  const lines = [""];
  for (const word of sanitizeText(text).split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length >= width - indent) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.map((line) => " ".repeat(indent) + line);
}

function row(event: string, tool: string, verdict: string, times: readonly string[]): string {
  const cells = [
    event.padEnd(19),
    tool.slice(0, 20).padEnd(20),
    styleText(colour(verdict), verdict.padEnd(10)),
  ];
  return [...cells, ...times.map((time) => time.padStart(10))].join(" ");
}

/** Prints all decisions; answers how many of them are the same on both engines. */
function print(
  events: readonly SessionEvent[],
  [first = [], second = []]: readonly (readonly Decision[])[],
): number {
  console.log(
    row(
      "EVENT",
      "TOOL",
      "VERDICT",
      engines.map((engine) => `${engine} µs`),
    ),
  );
  let same = 0;
  for (const [index, event] of events.entries()) {
    const [one, other] = [first[index], second[index]];
    if (!one || !other) continue;
    const times = [one, other].map(({ duration_us }) => duration_us.toLocaleString("en"));
    console.log(row(event.hook_event_name, sanitizeText(event.tool_name ?? ""), one.verdict, times));
    const done = deeds(one);
    if (done.length > 0 && asked(event) !== "") console.log(styleText("dim", `    ${asked(event)}`));
    for (const deed of done) for (const line of wrapped(deed, 4)) console.log(line);
    if (isDeepStrictEqual(essence(one), essence(other))) same++;
    else console.log(styleText("red", `    isolate differs: ${other.verdict}: ${deeds(other).join("; ")}`));
  }
  return same;
}

/** One line: how many events, what was decided, how long it took, and whether the engines agree. */
function totals(
  events: readonly SessionEvent[],
  decisions: readonly (readonly Decision[])[],
  same: number,
): string {
  const [first = []] = decisions;
  const verdicts = Object.entries(Object.groupBy(first, ({ verdict }) => verdict));
  const counts = verdicts.map(([verdict, of]) => `${of.length} ${verdict}`).join(", ");
  const median = (of: readonly Decision[]): number =>
    of.map(({ duration_us }) => duration_us).toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
  const times = engines.map((engine, index) => `${engine} ${median(decisions[index] ?? [])} µs`).join(", ");
  const agree = same === events.length ? "both engines agree" : `the engines agree on ${same} only`;
  return `${events.length} events: ${counts}; median ${times}; ${agree}`;
}

try {
  const lines = (await readFile(here("agent-session.jsonl"), "utf8")).split("\n").filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as SessionEvent);
  const decisions: (readonly Decision[])[] = [];
  for (const engine of engines) decisions.push(await decideAll(engine, events));
  const same = print(events, decisions);
  console.log(`\n${totals(events, decisions, same)}`);
  if (same !== events.length) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof HookwardenError)) throw error;
  console.error(error.toLine());
  process.exitCode = 1;
}
