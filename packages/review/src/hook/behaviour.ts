import type { FaultCode } from "@hookwarden/sandbox";
import { actionRows } from "hookwarden/catalogue";
import type {
  BehaviourSection,
  Condition,
  EmittedText,
  EventBehaviour,
  OutputCluster,
  StateBehaviour,
  Trigger,
} from "../report.ts";
import type { AnswerChange } from "../explore/answer-change.ts";
import { effectWords } from "../run/effect.ts";
import type { Run } from "../run/runner.ts";
import { guestText, guestJson } from "../guest-text.ts";
import type { Leak } from "./leaks.ts";

const max = { clusters: 24, texts: 60, conditions: 16, near: 60, triggers: 40 } as const;

export interface BehaviourParts {
  readonly determinism: BehaviourSection["determinism"];
  readonly leaks: readonly Leak[];
  readonly turns: readonly AnswerChange[];
  readonly isStateful: boolean;
}

/** What a hook did, over all runs. */
export function behaviourOf(
  runs: readonly Run[],
  { determinism, leaks, turns, isStateful }: BehaviourParts,
): BehaviourSection {
  return {
    events: eventsOf(runs),
    conditions: conditionsOf(runs),
    clusters: clustersOf(runs),
    texts: emittedTexts(runs, leaks),
    determinism,
    state: isStateful ? stateOf(runs, leaks) : null,
    triggers: turns.slice(0, max.triggers).map(triggerOf),
  };
}

function eventsOf(runs: readonly Run[]): readonly EventBehaviour[] {
  return [...Map.groupBy(runs, (run) => run.event)].map(([event, own]) => {
    const actions: { [action: string]: number } = {};
    const faults: { [code in FaultCode]?: number } = {};
    const count = (name: string): void => void (actions[name] = (actions[name] ?? 0) + 1);
    for (const { answer } of own) {
      if (!answer.ok) {
        count("(fault)");
        faults[answer.fault.code] = (faults[answer.fault.code] ?? 0) + 1;
      } else if (answer.actions.length === 0) count("(nothing)");
      else for (const { action } of answer.actions) count(action);
    }
    return { event, calls: own.length, actions, faults };
  });
}

/** The texts of an event by path. */
function leaves(value: unknown, path: string, into: Map<string, string>): Map<string, string> {
  if (typeof value === "object" && value !== null)
    for (const [key, member] of Object.entries(value))
      leaves(member, path === "" ? key : `${path}.${key}`, into);
  else if (!/^(?:session_id|time|hook_event_name|tool_use_id)$/.test(path)) into.set(path, String(value));
  return into;
}

/** Pairs of nearest events with different effects: where a hook draws its lines. */
function conditionsOf(runs: readonly Run[]): readonly Condition[] {
  const found: Condition[] = [];
  for (const [event, own] of Map.groupBy(runs, (run) => run.event)) {
    const kinds = [
      ...Map.groupBy(
        own.filter(({ answer }) => answer.ok),
        (run) => effectWords(run.effect),
      ),
    ];
    if (kinds.length < 2) continue;
    const seen = new Map(
      kinds.flatMap(([, all]) =>
        thin(all).map((run) => [run, leaves(JSON.parse(run.args[0]), "", new Map())] as const),
      ),
    );
    const pairs: Condition[] = [];
    for (const [index, [, left]] of kinds.entries()) {
      for (const [, right] of kinds.slice(index + 1)) {
        for (const a of thin(left).slice(0, 20)) {
          let best: Condition | null = null;
          for (const b of thin(right)) {
            const { distance, path } = distanceOf(
              seen.get(a) as Map<string, string>,
              seen.get(b) as Map<string, string>,
            );
            if (best !== null && distance >= best.distance) continue;
            best = { event, path, distance, a: side(a, path), b: side(b, path) };
          }
          if (best) pairs.push(best);
        }
      }
    }
    found.push(...pairs.sort((a, b) => a.distance - b.distance).slice(0, max.conditions));
  }
  return found;
}

function thin(runs: readonly Run[]): readonly Run[] {
  if (runs.length <= max.near) return runs;
  return runs.filter((_, index) => index % Math.ceil(runs.length / max.near) === 0);
}

function distanceOf(
  a: ReadonlyMap<string, string>,
  b: ReadonlyMap<string, string>,
): { readonly distance: number; readonly path: string | null } {
  let distance = 0;
  const paths: string[] = [];
  for (const path of new Set([...a.keys(), ...b.keys()])) {
    const [x, y] = [a.get(path) ?? "", b.get(path) ?? ""];
    if (x === y && a.has(path) === b.has(path)) continue;
    paths.push(path);
    distance += Math.max(1, differing(x, y));
  }
  return { distance, path: paths.length === 1 ? (paths[0] as string) : null };
}

/** Characters between the common start and the common end of two texts. */
function differing(x: string, y: string): number {
  let start = 0;
  while (start < x.length && start < y.length && x[start] === y[start]) start++;
  let end = 0;
  while (end < x.length - start && end < y.length - start && x[x.length - 1 - end] === y[y.length - 1 - end])
    end++;
  return Math.max(x.length, y.length) - start - end;
}

function side(run: Run, path: string | null): Condition["a"] {
  const value =
    path === null ? run.args[0] : (leaves(JSON.parse(run.args[0]), "", new Map()).get(path) ?? "(absent)");
  return { verdict: effectWords(run.effect), shown: guestText(value, 300), origin: run.input.label };
}

/** An output with what varies from event to event taken out. */
function shapeOf(output: string): string {
  return output
    .replaceAll(/\\?`[^`]*`/g, "`…`")
    .replaceAll(/\\"(?:[^"\\]|\\[^"])*\\"/g, '\\"…\\"')
    .replaceAll(/“[^”]*”/g, "“…”")
    .replaceAll(/\d+/g, "#")
    .replaceAll(/"(input|result|message|messages|prompt|system|chunk|value)":.*/g, '"$1":…');
}

function clustersOf(runs: readonly Run[]): readonly OutputCluster[] {
  const answered = runs.filter(
    ({ output, answer }) => output !== null && answer.ok && answer.actions.length > 0,
  );
  return [...Map.groupBy(answered, (run) => `${run.event} ${shapeOf(run.output as string)}`).values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, max.clusters)
    .map((own) => {
      const first = own[0] as Run;
      const example = own.reduce((a, b) => ((b.output?.length ?? 0) < (a.output?.length ?? 0) ? b : a));
      return {
        event: first.event,
        shape: guestText(shapeOf(first.output as string), 300),
        verdict: effectWords(first.effect),
        count: own.length,
        example: guestText(example.output as string, 400),
      };
    });
}

const readers: ReadonlyMap<string, EmittedText["to"]> = new Map([
  ["reason", "both"],
  ["feedback", "model"],
]);

/** The texts of an answer that someone reads, as they came. */
export function textsFor(
  run: Run,
): readonly { readonly action: string; readonly to: EmittedText["to"]; readonly text: string }[] {
  if (run.output === null || !run.answer.ok) return [];
  const raw: unknown = JSON.parse(run.output);
  return (Array.isArray(raw) ? (raw as unknown[]) : [raw]).flatMap((one) => {
    if (typeof one !== "object" || one === null) return [];
    const fields = one as { readonly [field: string]: unknown };
    const action = String(fields["action"]);
    if (!actionRows.has(action)) return [];
    const found: { action: string; to: EmittedText["to"]; text: string }[] = [];
    for (const field of ["reason", "feedback", "text"]) {
      const text = fields[field];
      if (typeof text === "string")
        found.push({ action, to: readers.get(field) ?? (action === "notify" ? "person" : "model"), text });
    }
    if (action === "inject" && Array.isArray(fields["messages"]))
      for (const message of fields["messages"] as readonly { readonly content?: unknown }[])
        if (typeof message?.content === "string") found.push({ action, to: "model", text: message.content });
    return found;
  });
}

function emittedTexts(runs: readonly Run[], leaks: readonly Leak[]): readonly EmittedText[] {
  const found = new Map<string, { text: EmittedText; shape: string }>();
  const counts = new Map<string, number>();
  for (const run of runs) {
    for (const { action, to, text } of textsFor(run)) {
      const shape = `${action} ${shapeOf(text)}`;
      counts.set(shape, (counts.get(shape) ?? 0) + 1);
      if (found.has(shape)) continue;
      const carries = leaks
        .filter(
          (leak) =>
            leak.action === action && shapeOf(leak.output).slice(0, 40) === shapeOf(text).slice(0, 40),
        )
        .map(({ path, as, characters }) => ({ path, as, characters }));
      found.set(shape, {
        shape,
        text: {
          action,
          to,
          text: guestText(text, 600),
          count: 0,
          carries: [...new Map(carries.map((one) => [`${one.path} ${one.as}`, one])).values()],
        },
      });
    }
  }
  return [...found.values()]
    .map(({ text, shape }) => ({ ...text, count: counts.get(shape) ?? 0 }))
    .sort((a, b) => b.count - a.count)
    .slice(0, max.texts);
}

function stateOf(runs: readonly Run[], leaks: readonly Leak[]): StateBehaviour {
  const states = runs.flatMap(({ answer }) => (answer.ok && answer.state !== null ? [answer.state] : []));
  const examples = [
    ...new Map(states.map((state) => [state.replaceAll(/\d+/g, "#").slice(0, 80), state])).values(),
  ].slice(0, 6);
  return {
    writes: states.length,
    largestBytes: states.reduce((size, state) => Math.max(size, Buffer.byteLength(state)), 0),
    examples: examples.map((state) => guestText(state, 300)),
    keeps: [...new Set(leaks.filter(({ kind }) => kind === "state").map(({ path }) => path))],
  };
}

const kinds: ReadonlyMap<string, Trigger["kind"]> = new Map([
  ["tenant", "tenant"],
  ["time", "time"],
  ["id", "session"],
  ["chance", "chance"],
  ["state", "state"],
  ["config", "config"],
]);

/** What kind of trigger a turn is. */
export function kindOfTurn({ slot, word }: AnswerChange): Trigger["kind"] {
  if (word === "unicode" || word === "size" || word === "prototype" || word === "type") return word;
  const kind = kinds.get(slot.kind);
  if (kind) return kind;
  if (slot.kind === "name" || slot.kind === "fact") return slot.kind;
  return slot.kind === "inert" || slot.path === "cwd" ? "field" : "text";
}

export function triggerOf(turn: AnswerChange): Trigger {
  return {
    kind: kindOfTurn(turn),
    event: turn.before.event,
    path: turn.slot.path,
    from: guestText(turn.from, 300),
    to: guestText(turn.to, 300),
    before: effectWords(turn.before.effect),
    after: effectWords(turn.after.effect),
    opens: turn.opens,
  };
}

/** An event as evidence: without what every event has. */
export function eventEvidence(run: Run): {
  readonly label: string;
  readonly text: ReturnType<typeof guestText>;
} {
  const { hook_event_name, ...rest } = run.input.event;
  return { label: `event (${hook_event_name})`, text: guestJson(rest, 700) };
}
