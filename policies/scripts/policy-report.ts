/**
 * Dispatches recorded events through the shipped policies and writes what each of them did into `docs/policies.md`:
 * `HOOKWARDEN_CORPUS=events.jsonl node policies/scripts/policy-report.ts [--check]`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { createWarden } from "hookwarden/warden";
import type { Decision, EventInput } from "hookwarden/broker";

const page = fileURLToPath(new URL("../../docs/policies.md", import.meta.url));
const policies = fileURLToPath(new URL("../", import.meta.url));
const [begin, end] = ["<!-- begin: recorded events -->", "<!-- end: recorded events -->"];

/** What one policy did with recorded events. */
interface Deeds {
  seen: number;
  stopped: number;
  asked: number;
  changed: number;
  added: number;
  faulted: number;
}

const stops: ReadonlySet<string> = new Set(["deny", "block", "skip", "halt", "drop_chunk"]);
const changes = /^(?:replace_|modify_|transform|set_params)/;

/** Decides events on QuickJS, in order. */
export async function decideAll(events: readonly EventInput[]): Promise<readonly Decision[]> {
  await using warden = await createWarden({ pack: policies, isolation: "inline" });
  const decisions: Decision[] = [];
  for (const event of events) decisions.push(await warden.dispatch(event));
  return decisions;
}

/** The events of a JSON Lines file. */
export function eventsOf(path: string): readonly EventInput[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as EventInput);
}

/** What every policy did, as Markdown: a table, and a list of what was stopped or asked about. */
export async function reportOf(decisions: readonly Decision[]): Promise<string> {
  const names = (JSON.parse(readFileSync(`${policies}hookwarden.json`, "utf8")) as { hooks: string[] }).hooks;
  const deeds = new Map<string, Deeds>(
    names.map((name) => [name, { seen: 0, stopped: 0, asked: 0, changed: 0, added: 0, faulted: 0 }]),
  );
  for (const { trace } of decisions) {
    for (const { hook, outcome, actions, fault } of trace) {
      const deed = deeds.get(hook);
      if (deed === undefined || outcome === "not-matched" || outcome === "not-run") continue;
      const did = actions.map(({ action }) => action);
      deed.seen++;
      if (did.some((action) => stops.has(action))) deed.stopped++;
      if (did.includes("ask") || did.includes("retry")) deed.asked++;
      if (did.some((action) => changes.test(action))) deed.changed++;
      if (did.some((action) => action === "augment" || action === "add_context" || action === "inject"))
        deed.added++;
      if (fault) deed.faulted++;
    }
  }
  const rows = [...deeds].map(
    ([name, { seen, stopped, asked, changed, added, faulted }]) =>
      `| \`${name}\` | ${seen} | ${stopped} | ${asked} | ${changed} | ${added} | ${faulted} | ${seen - stopped - asked - changed - added - faulted} |`,
  );
  const text = [
    `${decisions.length} events of a coding agent (20 sessions), decided by the pack as it stands:`,
    "",
    "| policy | events it saw | stopped | asked about or sent back | changed | added to | faults | let through untouched |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
    "",
    ...listOf(
      "Stopped",
      decisions.filter(({ verdict }) => stops.has(verdict)),
    ),
    "",
    ...listOf(
      "Asked about or sent back",
      decisions.filter(({ verdict }) => verdict === "ask" || verdict === "retry"),
    ),
  ].join("\n");
  return (await format(text, { parser: "markdown" })).trim();
}

function listOf(title: string, decisions: readonly Decision[]): readonly string[] {
  if (decisions.length === 0) return [`${title}: nothing.`];
  const counts = new Map<string, number>();
  for (const { decided_by, verdict, reason, feedback } of decisions) {
    const line = `${verdict} by \`${decided_by}\`: ${(reason ?? feedback ?? "").replace(/[<>|]/g, "\\$&")}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [
    `${title} (${decisions.length}):`,
    "",
    ...[...counts].map(([line, count]) => `- ${line}${count > 1 ? ` (${count} times)` : ""}`),
  ];
}

/** The page with a new report between its marks. */
export function withReport(text: string, report: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`docs/policies.md has no place for the report: \`${begin}\` … \`${end}\``);
  return `${text.slice(0, from + begin.length)}\n\n${report}\n\n${text.slice(to)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const corpus = process.env["HOOKWARDEN_CORPUS"];
  if (corpus === undefined) throw new Error("set HOOKWARDEN_CORPUS to a JSON Lines file of recorded events");
  const before = readFileSync(page, "utf8");
  const after = withReport(before, await reportOf(await decideAll(eventsOf(corpus))));
  if (process.argv.includes("--check")) process.exitCode = before === after ? 0 : 1;
  else writeFileSync(page, after);
}
