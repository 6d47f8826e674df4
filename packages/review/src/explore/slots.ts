import { eventRows } from "hookwarden/catalogue";
import { leavesOf, withValue } from "@hookwarden/testing/mutate";
import { validEvent, type Input } from "../run/input.ts";
import type { Run, Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";

/** What an input is made of, as far as it can be changed: a leaf of the event, or something of the context. */
export type SlotKind =
  | "text"
  | "name"
  | "id"
  | "inert"
  | "place"
  | "number"
  | "tenant"
  | "time"
  | "state"
  | "config"
  | "chance"
  | "fact";

/** One changeable part of an input. */
export interface Slot {
  readonly kind: SlotKind;
  /** `tool_input.command`, `tenant`, `state.count`. */
  readonly path: string;
  readonly value: string | number;
  /** @returns `null` where the result is no event, or too large. */
  set(value: string | number): Input | null;
}

/** Fields that say who and which, and nothing of what is done. */
const ids = /(?:^|[._])(?:id|uuid)$|_id$|session_id|agent_id|tool_use_id|stream_id/i;
/** Fields that say nothing of what is done. */
const inert =
  /(?:^|\.)(?:description|transcript_path|permission_mode|duration_ms|usage|is_interrupt|timeout|timeout_ms|run_in_background|priority|comment|note|label)(?:\.|$)/;
const names = /^(?:tool_name|trigger|stage|notification_type|stream_id)$|(?:^|\.)(?:role|type)$/;
const placePaths = /(?:^|\.)(?:cwd|file_path|path|notebook_path|url|uri|host)$/;

/** Whether a field says nothing of what is done. */
export function isAside(path: string): boolean {
  return ids.test(path) || inert.test(path) || path === "cwd";
}

/** The parts of an input that a hook can see, or that stand around it. */
export function slotsOf(input: Input, reads: readonly string[]): readonly Slot[] {
  const { event } = input;
  const about = eventRows.get(event.hook_event_name)?.matches;
  const slots: Slot[] = leavesOf(event, reads).map(({ path, value }) => ({
    // The type of the agent says nothing about the action, unless the event is about it.
    kind: path[0] === "agent_type" && about !== "agent_type" ? "inert" : kindOf(path.join("."), value),
    path: path.join("."),
    value,
    set: (next) => eventWith(input, path, next),
  }));
  if (reads.includes("session_id") || reads.includes("*")) {
    slots.push({
      kind: "id",
      path: "session_id",
      value: event.session_id,
      set: (next) => eventWith(input, ["session_id"], String(next)),
    });
  }
  slots.push({
    kind: "tenant",
    path: "tenant",
    value: input.tenant,
    set: (next) => ({ ...input, tenant: String(next) }),
  });
  slots.push({
    kind: "time",
    path: "time",
    value: event.time,
    set: (next) => eventWith(input, ["time"], timeText(next)),
  });
  slots.push({
    kind: "chance",
    path: "(chance)",
    value: input.decisionId,
    set: (next) => ({ ...input, decisionId: `review-${next}` }),
  });
  for (const [kind, json] of [
    ["state", input.state],
    ["config", input.config ?? null],
  ] as const) {
    for (const { path, value } of jsonLeaves(json)) {
      slots.push({
        kind,
        path: [kind, ...path].join("."),
        value,
        set: (next) => ({
          ...input,
          [kind]: JSON.stringify(replaced(JSON.parse(json as string), path, next)),
        }),
      });
    }
  }
  return slots;
}

/** The parts of a run's input that the call looked at: no other one can change its answer. */
export function touchedSlots(runner: Runner, run: Run): readonly Slot[] {
  return slotsOf(run.input, runner.seen).filter(({ path }) => touches(run, path));
}

function kindOf(path: string, value: string | number): SlotKind {
  if (ids.test(path)) return "id";
  if (inert.test(path)) return "inert";
  if (names.test(path)) return "name";
  if (typeof value === "number") return "number";
  return placePaths.test(path) ? "place" : "text";
}

function eventWith(input: Input, path: readonly string[], value: string | number | undefined): Input | null {
  if (value === undefined || (typeof value === "string" && value.length > 600_000)) return null;
  const event = validEvent(withValue(input.event, path, value));
  return event && { ...input, event };
}

function timeText(value: string | number): string | undefined {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9_999 || at.getUTCFullYear() < 1
    ? undefined
    : at.toISOString();
}

/** Texts and numbers of a JSON text, at most 40. */
function jsonLeaves(
  json: string | null,
): readonly { readonly path: readonly string[]; readonly value: string | number }[] {
  const found: { path: readonly string[]; value: string | number }[] = [];
  const collect = (value: unknown, path: readonly string[]): void => {
    if (found.length >= 40) return;
    if (typeof value === "string" || typeof value === "number") found.push({ path, value });
    else if (typeof value === "object" && value !== null)
      for (const [key, member] of Object.entries(value)) collect(member, [...path, key]);
  };
  if (json !== null) collect(JSON.parse(json), []);
  return found;
}

function replaced(value: unknown, [head, ...rest]: readonly string[], next: string | number): unknown {
  if (head === undefined) return next;
  if (Array.isArray(value)) return value.with(Number(head), replaced(value[Number(head)], rest, next));
  const object = value as { readonly [key: string]: unknown };
  return { ...object, [head]: replaced(object[head], rest, next) };
}

/** Keys whose text is a command line, and those whose text people or models read. */
const commandKeys = /(?:^|\.)(?:command|cmd|script|shell|bash)$/;
const proseKeys =
  /(?:^|\.)(?:prompt|content|text|message|reason|error|tool_response|stdout|stderr|result|output|last_assistant_message|chunk|summary|system|custom_instructions)$/;

const queryKeys = /(?:^|\.)(?:sql|query|statement)$/;
const statement =
  /^\s*(?:select|insert|update|delete|drop|alter|create|truncate|grant|revoke|with|merge|call|exec)\b/i;
const addressKeys = /(?:^|\.)ur[il]$/;

/** Whether a shell runs what a field has. */
export function isCommand(path: string): boolean {
  return commandKeys.test(path);
}

/** Commands that start what follows them, with the arguments that they need. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ...["sudo", "doas", "nice", "ionice", "nohup", "time", "env", "command", "exec", "setsid", "busybox"].map(
    (name) => [name, name] as const,
  ),
  ["timeout", "timeout 900"],
  ["stdbuf", "stdbuf -oL"],
]);
/** A name of a program, with arguments or without. */
const commandLine = /^:$|^[a-z][\w.-]*(?: [\w@%+=:,./-]+)*$/;
/** A single command of those that treat each of their operands in the same way. */
const manyOperands = /^\s*(?:sudo\s+)?(?:rm|shred|chmod|chown|cat|truncate)\s[^|;&<>#`$()\n]*$/;

/**
 * The ways to add a word to a command so that a shell still does all that it did before. Each is at the same place for
 * every word; `null` where it does not exist for this one.
 */
export function besideCommand(path: string, text: string, word: string): readonly (string | null)[] {
  if (!isCommand(path)) return [];
  const wrapper = wrappers.get(word);
  const isLine = commandLine.test(word);
  return [
    /^[\w@%+=:,./ -]+$/.test(word) ? `: ${word}; ${text}` : null,
    isLine ? `${word}; ${text}` : null,
    isLine ? `${text}; ${word}` : null,
    wrapper === undefined && word !== neutralWord ? null : `${wrapper ?? word} ${text}`,
    manyOperands.test(text) && /^[\w.][\w./-]*$/.test(word) ? `${text} ${word}` : null,
  ];
}

/** A word that means nothing to any hook: the control for words that may mean something. */
export const neutralWord = "zqxwv";

/** The ways to add a word to a text so that nothing changes in what it does; none where there is no such way. */
export function harmless(path: string, text: string, word: string): readonly string[] {
  if (isCommand(path)) {
    const one = word.replaceAll(/[\r\n]/g, " ");
    return [`${text} # ${one}`, `# ${one}\n${text}`];
  }
  // A client keeps the fragment of an address to itself.
  if (addressKeys.test(path)) return /^https?:[^#]*$/.test(text) ? [`${text}#${word}`] : [];
  if (queryKeys.test(path) && statement.test(text)) {
    const one = word.replaceAll(/[\r\n]|\*\//g, " ");
    return [`${text} -- ${one}`, `/* ${one} */ ${text}`];
  }
  return proseKeys.test(path) ? [`${text} ${word}`, `${word}\n${text}`] : [];
}
