import { fieldsOfFacts, withValue } from "@hookwarden/testing/mutate";
import { coversPath } from "./read-tree.ts";
import type { Interference } from "../report.ts";
import { type Input, validEvent } from "../run/input.ts";
import type { Runner } from "../run/runner.ts";
import { guestJson } from "../guest-text.ts";
import type { Recording } from "../instrumented/recording.ts";
import { sameAnswer, type BaselineRun } from "./baseline.ts";

/** Calls that are made again, at maxCalls. */
const maxCalls = 48;

/**
 * Changes everything that a call did not read, and calls again: the answer must be the same to the byte. What the
 * recorder missed, or what the hook kept from it, shows here, because this runs the hook's own program.
 */
export async function checkInterference(runner: Runner, runs: readonly BaselineRun[]): Promise<Interference> {
  const leaks = new Map<string, Input>();
  let checked = 0;
  for (const run of spread(runs)) {
    const watched = run.instrumented?.watched;
    if (!watched || !run.outcome.ok) continue;
    const changes = unreadChanges(run.input, watched, runner.hook.reads);
    if (changes.length === 0) continue;
    checked++;
    const all = changes.reduce<Input>((input, { make }) => make(input) ?? input, run.input);
    const after = await runner.run(all);
    if (!after || sameAnswer(run, after)) continue;
    for (const { path, make } of changes) {
      const one = make(run.input);
      const alone = one && (await runner.run(one));
      if (one && alone && !sameAnswer(run, alone)) leaks.set(path, one);
    }
    if (leaks.size === 0) leaks.set("(several together)", all);
  }
  return { checked, leaks: [...leaks].map(([path, { event }]) => ({ path, event: guestJson(event) })) };
}

interface Change {
  readonly path: string;
  readonly make: (input: Input) => Input | null;
}

/** What can be changed of an input although the hook was given it, because it was not read. */
function unreadChanges(input: Input, watched: Recording, reads: readonly string[]): readonly Change[] {
  const read = new ReadIndex(watched);
  const behind = fieldsOfFacts(watched.reads.flatMap(({ of, path }) => (of === "event" ? [path] : [])));
  const changes: Change[] = [];
  const walk = (value: unknown, path: readonly string[], real: readonly string[]): void => {
    const [first] = path;
    if (first !== undefined && behind.includes(first)) return;
    if (first === "hook_event_name" || !coversPath(reads, path, String(input.event.hook_event_name))) {
      if (typeof value !== "object" || value === null || path.length > 0)
        if (path.length > 0 && !isAbove(reads, path)) return;
    }
    const how = read.at(path);
    if (typeof value === "object" && value !== null) {
      if (!how.any && path.length > 0) {
        change(real, () => (Array.isArray(value) ? [...(value as unknown[]), "zq"] : { zq: 1 }));
        return;
      }
      const list = Array.isArray(value);
      // A key more is noticed by who lists keys; one that is asked for by name would be in the record.
      if (!how.listed && !list && path.length > 0) change([...real, "zq_unread"], () => "zq");
      for (const [key, member] of Object.entries(value))
        walk(member, [...path, list ? "*" : key], [...real, key]);
      return;
    }
    if (!how.any && path.length > 0) change(real, () => other(value));
  };
  const change = (path: readonly string[], value: () => unknown): void => {
    changes.push({
      path: path.join("."),
      make: (one) => {
        const event = validEvent(withValue(one.event, path, value()));
        return event && { ...one, event };
      },
    });
  };
  walk(input.event, [], []);
  if (!read.context("tenant"))
    changes.push({ path: "tenant", make: (one) => ({ ...one, tenant: "zq-another" }) });
  if (watched.chance === 0)
    changes.push({ path: "(chance)", make: (one) => ({ ...one, decisionId: "zq-another" }) });
  return watched.clock > 0 || read.context("time") ? changes.filter(({ path }) => path !== "time") : changes;
}

class ReadIndex {
  readonly #event = new Map<string, { any: boolean; listed: boolean }>();
  readonly #context = new Set<string>();

  constructor({ reads }: Recording) {
    for (const { of, path, how } of reads) {
      if (of === "context") {
        this.#context.add(String(path[0]));
        if (path.length === 0)
          for (const name of ["tenant", "time", "state", "config", "hook"]) this.#context.add(name);
        continue;
      }
      const key = JSON.stringify(path);
      const known = this.#event.get(key) ?? { any: false, listed: false };
      this.#event.set(key, { any: true, listed: known.listed || how === "listed" });
    }
  }

  at(path: readonly string[]): { readonly any: boolean; readonly listed: boolean } {
    return this.#event.get(JSON.stringify(path)) ?? { any: false, listed: false };
  }

  context(name: string): boolean {
    return this.#context.has(name);
  }
}

/** Whether a declared path goes on below this one. */
function isAbove(reads: readonly string[], path: readonly string[]): boolean {
  const text = `${path.join(".")}.`;
  return reads.some((read) => read.startsWith(text));
}

/** Another value of the same type. */
function other(value: unknown): unknown {
  if (typeof value === "string")
    return value === "" ? "zq" : `zq ${[...value].toReversed().join("")}`.toWellFormed();
  if (typeof value === "number") return value + 41;
  if (typeof value === "boolean") return !value;
  return "zq";
}

/** Some of each event, tool and effect. */
function spread(runs: readonly BaselineRun[]): readonly BaselineRun[] {
  const kinds = Map.groupBy(runs, ({ event, effect, input }) =>
    JSON.stringify([event, effect.verdict, [...effect.changes.keys()], input.event["tool_name"] ?? null]),
  );
  const some: BaselineRun[] = [];
  for (let at = 0; some.length < maxCalls; at++) {
    let more = false;
    for (const own of kinds.values()) {
      const run = own[at];
      if (!run) continue;
      more = true;
      some.push(run);
    }
    if (!more) break;
  }
  return some.slice(0, maxCalls);
}
