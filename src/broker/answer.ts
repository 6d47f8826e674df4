import { createHash } from "node:crypto";
import { answerLimits, type Fault, type FaultCode, type Limits } from "@hookwarden/sandbox";
import { isObject, JsonError, type JsonErrorCode, quote, readJson } from "@hookwarden/sandbox/json";
import {
  type ActionName,
  actionNames,
  validateAction,
  actionRows,
  legalActions,
} from "../catalogue/index.ts";
import { didYouMean } from "../errors/index.ts";
import { sanitizeAction } from "./sanitize-action.ts";
import type { Action, Refusal, RefusalCode } from "./decision.ts";
import { makeFault } from "./failure.ts";
import { describeError } from "./read-event.ts";
import type { DenialReason, Binding } from "./plan.ts";
import { containsNul, type ToolInputCheck } from "./tool-input.ts";

/** Most actions in one answer. */
export const maxActions = 16;

/** A valid answer, its actions sorted by kind. Texts are sanitized. */
export interface GoodAnswer {
  readonly ok: true;
  /** As returned, in order. */
  readonly actions: readonly Action[];
  /** The one verdict that is not `continue`. */
  readonly verdict: Action | null;
  readonly changes: readonly Action[];
  readonly additions: readonly Action[];
  /** JSON text of the last `set_state`; `null` where there is none. */
  readonly state: string | null;
  /** Disallowed actions that were dropped because the host is lenient about them. */
  readonly refused: readonly Refusal[];
}

/** An answer that was refused as a whole. */
export interface BadAnswer {
  readonly ok: false;
  readonly fault: Fault;
  readonly refused: readonly Refusal[];
}

export type Answer = GoodAnswer | BadAnswer;

const emptyAnswer: GoodAnswer = {
  ok: true,
  actions: [],
  verdict: null,
  changes: [],
  additions: [],
  state: null,
  refused: [],
};

/**
 * Reads what a hook returned. Checks run in this order, each on all actions before the next: the text is strict JSON
 * within the limits; every action is known and has its shape (`invalid-output`); is legal at the event
 * (`illegal-action`); is asked for and granted (`ungranted-action`); fits its tool and the hook's state
 * (`invalid-output`). The first failure refuses the whole answer.
 *
 * @param output JSON text; `null` where the hook returned nothing.
 * @param toolInput checks a modified input; `null` where the host registered no schema for the event's tool.
 */
export function readAnswer(
  binding: Binding,
  output: string | null,
  toolInput: ToolInputCheck | null,
): Answer {
  if (output === null) return emptyAnswer;
  let value: unknown;
  try {
    value = readJson(output, jsonLimits(binding.limits));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return badAnswer(faultOfJson.get(error.code) ?? "invalid-output", `the answer ${error.message}`);
  }
  if (value === null) return emptyAnswer;
  if (!Array.isArray(value)) return readActions(binding, [value], output, toolInput);
  if (value.length === 0 || value.length > maxActions) {
    return badAnswer(
      "invalid-output",
      `the answer is an array of ${value.length} actions; it must have 1 to ${maxActions}`,
    );
  }
  return readActions(binding, value, output, toolInput);
}

const limitsCache = new WeakMap<Limits, Parameters<typeof readJson>[1]>();

function jsonLimits(limits: Limits): Parameters<typeof readJson>[1] {
  let made = limitsCache.get(limits);
  if (!made) {
    made = {
      maxBytes: limits.outputBytes,
      maxDepth: limits.outputDepth,
      maxKeys: answerLimits.keys,
      maxKeyLength: answerLimits.keyLength,
    };
    limitsCache.set(limits, made);
  }
  return made;
}

const faultOfJson: ReadonlyMap<JsonErrorCode, FaultCode> = new Map([
  ["too-large", "output-too-large"],
  ["too-many-keys", "output-too-large"],
  ["key-too-long", "output-too-large"],
  ["too-deep", "output-too-deep"],
]);

function readActions(
  binding: Binding,
  values: readonly unknown[],
  output: string,
  toolInput: ToolInputCheck | null,
): Answer {
  let actions = values as readonly Action[];
  let refused: readonly Refusal[] = [];
  let verdict: Action | null = null;
  let verdicts = 0;
  for (let index = 0; index < values.length; index++) {
    const problem = shapeProblem(values[index]);
    if (problem !== null) return refuse(values, index, "invalid-output", problem);
    const action = actions[index] as Action;
    if (actionRows.get(action.action)?.kind === "verdict") {
      if (++verdicts > 1)
        return refuse(values, index, "invalid-output", "the answer has more than one verdict");
      if (action.action !== "continue") verdict = action;
    }
  }
  const denied = firstDisallowed(binding, actions);
  if (denied !== null) return refuse(values, denied.index, denied.code, denied.message);
  if (binding.lenient.size > 0 && actions.some(({ action }) => binding.disallowed.has(action))) {
    refused = disallowedRefusals(binding, actions);
    actions = actions.filter(({ action }) => !binding.disallowed.has(action));
    if (verdict !== null && binding.disallowed.has(verdict.action)) verdict = null;
  }
  const changes: Action[] = [];
  const additions: Action[] = [];
  let state: string | null = null;
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index] as Action;
    const { kind } = actionRows.get(action.action) as { kind: string };
    if (kind === "change") {
      if (action.action === "modify_input") {
        const problem = inputProblem(action, output, toolInput);
        if (problem !== null) return refuse(actions, index, "invalid-output", problem);
      }
      changes.push(action);
    } else if (action.action === "set_state") {
      state = JSON.stringify(action.value);
      const maxBytes = binding.hook.state?.maxBytes ?? 0;
      if (state.length * 3 > maxBytes && Buffer.byteLength(state) > maxBytes) {
        return refuse(
          actions,
          index,
          "invalid-output",
          `the state is larger than \`state.maxBytes\` (${maxBytes})`,
        );
      }
    } else if (kind === "addition") {
      const role = ungrantedRole(binding, action);
      if (role !== null)
        return refuse(actions, index, "ungranted-action", `role \`${role}\` is not granted to the hook`);
      additions.push(action);
    }
  }
  for (const action of actions) sanitizeAction(action);
  return { ok: true, actions, verdict, changes, additions, state, refused };
}

/** What is wrong with the shape of one action, or `null`. */
function shapeProblem(value: unknown): string | null {
  if (!isObject(value))
    return `the hook returned ${describeKind(value)}; return an action such as \`deny("…")\`, or nothing`;
  const name = value.action;
  if (typeof name !== "string")
    return 'the hook returned an object without `action`; return an action such as `deny("…")`, or nothing';
  const validate = validateAction.get(name);
  if (!validate) return `there is no action ${quote(name)}${didYouMean(name, actionNames)}`;
  if (validate(value)) return null;
  const [error] = validate.errors ?? [];
  const { pointer, problem } = describeError(error);
  if (!pointer) return `\`${name}\` ${problem}`;
  // A promise becomes `{}` in JSON.
  const inner = value[pointer.slice(1)];
  const isPromise = error?.keyword === "type" && isObject(inner) && Object.keys(inner).length === 0;
  return `${quote(pointer)} of \`${name}\` ${problem}${isPromise ? "; is an `await` missing?" : ""}`;
}

/** What a value of JSON is, for a sentence. */
function describeKind(value: unknown): string {
  if (value === null) return "`null` in an array";
  if (Array.isArray(value)) return "an array in an array";
  return typeof value === "boolean" ? `\`${value}\`` : `a ${typeof value}`;
}

/** The first disallowed action that is not dropped leniently: illegal ones before ungranted ones. */
function firstDisallowed(
  binding: Binding,
  actions: readonly Action[],
): { index: number; code: DenialReason; message: string } | null {
  for (const code of ["illegal-action", "ungranted-action"] as const) {
    const index = actions.findIndex(
      ({ action }) => binding.disallowed.get(action) === code && !binding.lenient.has(action),
    );
    if (index >= 0)
      return { index, code, message: disallowedMessage(binding, (actions[index] as Action).action, code) };
  }
  return null;
}

function disallowedRefusals(binding: Binding, actions: readonly Action[]): readonly Refusal[] {
  return actions.flatMap((action) => {
    const code = binding.disallowed.get(action.action);
    return code ? refusals([action], 0, code, disallowedMessage(binding, action.action, code)) : [];
  });
}

function disallowedMessage(binding: Binding, action: ActionName, code: DenialReason): string {
  if (code === "illegal-action") {
    return binding.parallel && actionRows.get(action)?.kind !== "addition"
      ? `a parallel hook may return additions only, not \`${action}\``
      : `\`${action}\` is not legal at ${binding.event}${legalActions(binding.event).has(action) ? " for this host" : ""}`;
  }
  if (!binding.hook.asked.has(action))
    return `\`${action}\` is not among the \`actions\` of the hook's manifest`;
  if (!binding.hook.granted.has(action)) return `the pack does not grant \`${action}\``;
  return `the manifest declares no \`state\` for \`${action}\` to write`;
}

function inputProblem(action: Action, output: string, toolInput: ToolInputCheck | null): string | null {
  // In strict JSON a U+0000 is always escaped, so nearly every answer can skip the walk.
  if (output.includes("\\u0000") && containsNul(action.input))
    return "`/input` of `modify_input` contains U+0000";
  const problem = toolInput?.(action.input) ?? null;
  return problem === null ? null : `\`/input\` of \`modify_input\` violates the tool's schema: ${problem}`;
}

function ungrantedRole(binding: Binding, action: Action): string | null {
  if (action.action !== "inject") return null;
  const messages = action.messages as readonly { role: "user" | "system" }[];
  return messages.find(({ role }) => !binding.hook.roles.has(role))?.role ?? null;
}

function badAnswer(code: FaultCode, message: string): BadAnswer {
  return { ok: false, fault: makeFault(code, message), refused: [] };
}

function refuse(
  values: readonly unknown[],
  at: number,
  code: RefusalCode & FaultCode,
  message: string,
): BadAnswer {
  return { ok: false, fault: makeFault(code, message), refused: refusals(values, at, code, message) };
}

/** Refuses all actions of an answer because of the one at `at`. */
export function refusals(
  values: readonly unknown[],
  at: number,
  code: RefusalCode,
  message: string,
): readonly Refusal[] {
  const culprit = nameOf(values[at]);
  return values.map((value, index) => ({
    action: nameOf(value),
    code,
    message: index === at ? message : `refused with the whole answer, because of \`${culprit}\``,
    digest: `sha256:${createHash("sha256").update(JSON.stringify(value)).digest("hex")}`,
  }));
}

/** The name, safe to display: catalogue names verbatim, others escaped and truncated. */
function nameOf(value: unknown): string {
  const name =
    typeof value === "object" && value !== null ? (value as Record<string, unknown>).action : undefined;
  if (typeof name !== "string") return "(none)";
  return actionRows.has(name) ? name : quote(name).slice(1, -1);
}
