import { conditionText } from "hookwarden/facts";
import { actionRows, eventRows, legalActions, type ActionName } from "hookwarden/catalogue";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import type { Power, PowersSection } from "../report.ts";
import type { Run } from "../run/runner.ts";
import { coversPath, type ReadTree } from "./read-tree.ts";

/** Settings of the host that hooks will run on, as far as they are powers of hooks. */
export interface HostSettings {
  /** Whether each call starts without traces of earlier ones. Default: `true` */
  readonly pristine?: boolean;
  /** What a pristine call runs in on isolate. */
  readonly realm?: "frozen" | "fresh";
}

/** How dangerous an action is in an untrusted hook, and its description. Most dangerous first. */
const dangers: { readonly [A in ActionName]: readonly [danger: number, words: (on: string) => string] } = {
  allow: [100, (on) => `may approve ${on} without asking a person`],
  modify_input: [95, (on) => `may change the input of ${on}`],
  replace_system: [92, () => "may rewrite the system prompt"],
  replace_messages: [90, () => "may rewrite the conversation"],
  set_params: [78, () => "may change the parameters of model requests"],
  transform: [85, () => "may rewrite the person's prompt"],
  replace_response: [82, () => "may rewrite the model's response"],
  replace_result: [80, (on) => `may rewrite the results of ${on} before the model sees them`],
  replace_error: [70, (on) => `may rewrite the errors of ${on} before the model sees them`],
  replace_chunk: [68, () => "may rewrite chunks of streamed responses"],
  inject: [75, () => "may add messages to the conversation"],
  augment: [62, (on) => `may add text to the results of ${on}`],
  add_context: [60, () => "may add context for the model"],
  halt: [50, () => "may halt the agent"],
  retry: [42, () => "may make the agent retry, up to three times"],
  deny: [40, (on) => `may deny ${on}`],
  block: [40, () => "may block a prompt, request, response, result or stop"],
  skip: [38, (on) => `may skip ${on}`],
  drop_chunk: [36, () => "may drop chunks of streamed responses"],
  ask: [25, (on) => `may ask a person to approve ${on}`],
  set_state: [20, () => "may keep state between calls"],
  notify: [15, () => "may show text to the person"],
  continue: [0, () => "may continue without a verdict"],
};

/** What a path of an event holds, for those where a reader should know. Longest prefix counts. */
const readWords: readonly (readonly [path: string, danger: number, sentence: string])[] = [
  ["*", 72, "sees everything of its events: inputs, results, conversations, ids and folders"],
  ["messages", 70, "sees the whole conversation"],
  ["system", 66, "sees the system prompt"],
  ["tool_response", 65, "sees tool results: every file that is read, every page that is fetched"],
  ["tool_input.content", 58, "sees what is written to files"],
  ["tool_input.command", 45, "sees every shell command"],
  ["tool_input", 58, "sees the input of every tool call"],
  ["prompt", 60, "sees the person's prompts"],
  ["message", 55, "sees the model's messages"],
  ["last_assistant_message", 55, "sees the model's final message"],
  ["session_id", 30, "sees the session identifier"],
  ["cwd", 20, "sees the agent's working directory"],
  ["error", 45, "sees error messages"],
];

/** What a hook may do and see, in plain sentences, most dangerous first. */
export function powersOf(
  { hook, pack }: { readonly hook: LoadedHook; readonly pack: LoadedPack },
  runs: readonly Run[],
  reads: ReadTree,
  host: HostSettings,
): PowersSection {
  const others = pack.hooks.filter((other) => other !== hook);
  const actions = actionPowers(hook, others, runs);
  const seen = readPowers(hook, others);
  const list = [...actions, ...seen, ...morePowers(hook, others), ...hostPowers(host)].sort(
    (a, b) => b.danger - a.danger,
  );
  return {
    list,
    on: hook.on.map(({ event, matcher, when }) => ({
      event,
      matcher: matcher?.source ?? null,
      when: when ? conditionText(when.condition) : null,
      onFailure: hook.onFailure.get(event) ?? "open",
    })),
    reads: hook.reads,
    state: hook.state,
    limits: { ...hook.limits },
    unused: [
      ...actions.filter((power) => power.used?.recorded === 0 && power.used.generated === 0),
      ...seen.filter(
        (power) => reads.calls > 0 && power.name !== "read *" && !reads.touches(power.name.slice(5)),
      ),
    ],
    alone: list
      .filter(({ others: have, granted }) => granted && others.length > 0 && have.length === 0)
      .map(({ name }) => name),
  };
}

/** A power that is granted by itself, and of which no use is counted. */
function power(name: string, danger: number, sentence: string, others: readonly LoadedHook[] = []): Power {
  return { name, sentence, danger, granted: true, used: null, others: others.map((other) => other.name) };
}

function actionPowers(
  hook: LoadedHook,
  others: readonly LoadedHook[],
  runs: readonly Run[],
): readonly Power[] {
  const on = onWords(hook);
  const uses = (action: string, isCounted: (run: Run) => boolean): number =>
    runs.filter(
      (run) => isCounted(run) && run.answer.ok && run.answer.actions.some((one) => one.action === action),
    ).length;
  return [...hook.asked]
    .filter((action) => action !== "continue")
    .map((action): Power => {
      const [danger, words] = dangers[action];
      const legal = hook.on.some(({ event }) => legalActions(event).has(action));
      const granted = hook.granted.has(action);
      return {
        name: action,
        sentence: `${words(on)}${legal ? "" : ", which is not legal at any of its events"}${granted ? "" : ", which the pack does not grant"}`,
        danger: granted && legal ? danger : 5,
        granted,
        used: {
          recorded: uses(action, ({ input }) => input.origin === "recorded"),
          generated: uses(action, ({ input }) => input.origin !== "recorded"),
        },
        others: others.filter((other) => other.granted.has(action)).map(({ name }) => name),
      };
    });
}

function readPowers(hook: LoadedHook, others: readonly LoadedHook[]): readonly Power[] {
  return hook.reads.map((path) => {
    const [, danger = 15, sentence = `sees \`${path}\``] =
      readWords.find(([prefix]) => path === prefix || path.startsWith(`${prefix}.`)) ?? [];
    const also = others.filter((other) =>
      other.on.some(({ event }) => coversPath(other.reads, path.split("."), event)),
    );
    return power(`read ${path}`, danger, sentence, also);
  });
}

/** Powers of the manifest that are neither actions nor reads. */
function morePowers(hook: LoadedHook, others: readonly LoadedHook[]): readonly Power[] {
  const found: Power[] = [];
  if (hook.roles.has("system"))
    found.push(
      power(
        "role system",
        93,
        "may add messages that speak as the system",
        others.filter(({ roles }) => roles.has("system")),
      ),
    );
  if (hook.state) {
    const tenant = hook.state.scope === "tenant";
    found.push(
      power(
        "state",
        tenant ? 48 : 22,
        `keeps up to ${hook.state.maxBytes} bytes ${tenant ? "for all sessions of a tenant: data from one session can be used in another" : "for each session"}`,
        others.filter(({ state }) => state !== null),
      ),
    );
  }
  const canStop = [...hook.granted].some((action) => actionRows.get(action)?.stops);
  for (const [event, policy] of hook.onFailure)
    if (policy === "open" && eventRows.get(event)?.closedAs && canStop)
      found.push(
        power(`open at ${event}`, 55, `fails open at ${event}: the step continues when the hook fails`),
      );
  return found;
}

/** What the host's settings let every hook do. */
function hostPowers({ pristine = true, realm }: HostSettings): readonly Power[] {
  return [
    ...(pristine
      ? []
      : [
          power(
            "pristine: false",
            56,
            "keeps its variables between calls: one event can decide about later ones",
          ),
        ]),
    ...(realm === "fresh"
      ? [power("realm: fresh", 28, "may change built-in objects for the rest of a call, on isolate")]
      : []),
  ];
}

/** What its events are about: tools by matcher, or steps. */
function onWords({ on }: LoadedHook): string {
  const tools = on.filter(({ event }) => "tool_name" in (eventRows.get(event)?.fields ?? {}));
  if (tools.length === 0) return "steps";
  const matchers = [...new Set(tools.map(({ matcher }) => matcher?.source ?? null))];
  if (matchers.includes(null)) return "calls of any tool";
  const all = matchers.join("|").toLowerCase();
  if (/^bash$/.test(all)) return "shell commands";
  if (/bash|shell/.test(all)) return "shell commands and similarly named tools";
  return `calls of \`${matchers.join("`, `").slice(0, 60)}\``;
}
