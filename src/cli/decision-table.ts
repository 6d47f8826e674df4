import { timeOfId, type Decision } from "../broker/index.ts";
import { summarizeHooks, verdictStyle } from "./hook-summary.ts";
import { excerpt } from "./sanitize-text.ts";
import { Table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const columns = [
  { title: "TIME", width: 8 },
  { title: "EVENT", width: 19 },
  { title: "TOOL", width: 22 },
  { title: "VERDICT", width: 10 },
  { title: "ms", width: 8, right: true },
] as const;
/** Longest name of a tool, in characters. */
const longestName = 60;

/** Draws decisions for people: a row for each, and below it which hook did what, and why. */
export class DecisionTable {
  readonly #table: Table;

  constructor(terminal: Terminal) {
    this.#table = new Table(terminal, columns);
  }

  head(): string {
    return this.#table.head();
  }

  /** @param fields of the event, as far as it has them. */
  lines(decision: Decision, fields: { readonly [field: string]: unknown }): string {
    const { hook_event_name, verdict, duration_us, decision_id } = decision;
    const { time, tool_name } = fields;
    const at = typeof time === "string" ? Date.parse(time) : timeOfId(decision_id);
    const row = this.#table.row([
      Number.isFinite(at) ? new Date(at).toISOString().slice(11, 19) : "",
      hook_event_name,
      typeof tool_name === "string" ? excerpt(tool_name, longestName) : "",
      { text: verdict, style: verdictStyle(verdict) },
      inMs(duration_us),
    ]);
    const deeds = summarizeHooks(decision).map(({ hook, text, style }) =>
      this.#table.below(1, { text: `${hook}: ${text}`, style }),
    );
    return [row, ...deeds].join("\n");
  }
}

/** Counts decisions. */
export class Totals {
  #events = 0;
  #faults = 0;
  #refusals = 0;
  readonly #durations: number[] = [];
  readonly #verdicts = new Map<string, number>();

  add({ verdict, trace, duration_us }: Decision): void {
    this.#events++;
    this.#durations.push(duration_us);
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1);
    for (const { fault, refused } of trace) {
      if (fault) this.#faults++;
      // An action that is not honoured without being a fault, such as one `retry` too many.
      else if (refused.length > 0) this.#refusals++;
    }
  }

  /** One line. */
  toString(): string {
    const verdicts = [...this.#verdicts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([verdict, count]) => `${count} ${verdict}`);
    const refusals = this.#refusals > 0 ? `; ${plural(this.#refusals, "refused answer")}` : "";
    // The first one has started the sandbox, so a mean would say little.
    const median = this.#durations.toSorted((a, b) => a - b)[(this.#events - 1) >> 1] ?? 0;
    const time = this.#events > 1 ? `; median ${inMs(median)} ms` : "";
    return `${plural(this.#events, "event")}: ${verdicts.join(", ") || "no decision"}; ${plural(this.#faults, "fault")}${refusals}${time}`;
  }
}

function inMs(us: number): string {
  return (us / 1_000).toFixed(2);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
