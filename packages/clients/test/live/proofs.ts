import { existsSync } from "node:fs";
import type { EventActionName, EventName } from "hookwarden/catalogue";
import { claudeCode } from "hookwarden/dialects";
import { type ClientName, clients } from "../../src/clients/index.ts";
import { type CanaryHook, writeCanaryPack } from "../../src/doctor/canary-pack.ts";
import { installIn, runSession, type Session, type SessionPlace } from "../../src/doctor/session.ts";
import { programs } from "../../src/hook/programs.ts";
import { readCall, shellCall, subagentCall } from "../../src/launch/tools.ts";
import type { Script } from "../../src/model-server/index.ts";
import { carriedActions } from "../../src/translate/client-dialect.ts";
import { decisionsIn, logging } from "./decisions.ts";

/**
 * What the transcript of a real client shows of an action. `carried`: it did what the action means. `denied`: the step was
 * refused instead, as the table says of `ask` and `halt`. `not carried`: neither. `no reason`: the step was
 * refused, and neither the model nor the person was shown why. `not reached`: the client did not fire the event.
 */
export type ProofOutcome = "carried" | "denied" | "no reason" | "not carried" | "not reached";

/** A real session, with what it left behind. */
interface ProofSession extends Session {
  /** Whether the second canary command ran. */
  readonly ranAgain: boolean;
  /** Everything that the model was shown. */
  readonly seen: string;
  /** Everything that the model was shown as results of tools. */
  readonly results: string;
  /** Rounds of tool calls after which the model was asked again. */
  readonly rounds: number;
}

interface Proof {
  readonly action: EventActionName;
  /** One session proves the action at each of these events. */
  readonly events: readonly EventName[];
  readonly does: string;
  readonly script?: (place: SessionPlace) => Script;
  readonly state?: true;
  readonly outcome: (session: ProofSession, event: EventName) => ProofOutcome;
}

const prompt = "touch the canary file";
const subagentPrompt = "be the subagent of the proof";
/** What the canary command prints; the command itself does not contain it. */
const secret = "secret-of-42";
const command = (file: string): string => `printf 'secret-of-%s\\n' 42; touch '${file}'`;

const shellTwice =
  ({ canary }: SessionPlace): Script =>
  ({ rounds, tools }) => {
    const call = rounds < 2 ? shellCall(tools, command(rounds === 0 ? canary : `${canary}-2`)) : null;
    return call ? { calls: [call] } : { text: "done" };
  };

const failingRead =
  ({ cwd }: SessionPlace): Script =>
  ({ rounds, tools }) => {
    const call = rounds === 0 ? readCall(tools, `${cwd}/missing.txt`) : null;
    return call ? { calls: [call] } : { text: "done" };
  };

const inSubagent =
  ({ canary }: SessionPlace): Script =>
  (conversation) => {
    const { prompt: said, rounds, tools } = conversation;
    const inside = said.includes(subagentPrompt);
    const shell = inside && rounds === 0 ? shellCall(tools, command(canary)) : null;
    const call = inside ? shell : subagentCall(conversation, subagentPrompt);
    return call ? { calls: [call] } : { text: "done" };
  };

const yes = (carried: boolean): ProofOutcome => (carried ? "carried" : "not carried");
const refused = ({ ran, rounds }: ProofSession): ProofOutcome =>
  ran ? "not carried" : rounds === 0 ? "carried" : "denied";
const ended = ({ rounds, ranAgain }: ProofSession): ProofOutcome =>
  rounds === 0 ? "carried" : ranAgain ? "not carried" : "denied";
const addsText = ({ seen }: ProofSession, event: EventName): ProofOutcome =>
  yes(seen.includes(`text at ${event}`));
const withheld = ({ ran, results }: ProofSession): ProofOutcome => yes(ran && !results.includes(secret));
const promptWithheld = ({ seen }: ProofSession): ProofOutcome => yes(!seen.includes(prompt));

const stopReason = "not on a Sunday";
const stops = (action: string): string => `() => ({ action: "${action}", reason: "${stopReason}" })`;

const proofs: readonly Proof[] = [
  ...(["deny", "skip"] as const).map((action): Proof => ({
    action,
    events: ["PreToolUse"],
    does: stops(action),
    outcome: ({ ran, seen, output }) =>
      ran ? "not carried" : (seen + output).includes(stopReason) ? "carried" : "no reason",
  })),
  { action: "halt", events: ["PreToolUse"], does: stops("halt"), outcome: refused },
  {
    action: "ask",
    events: ["PreToolUse"],
    does: stops("ask"),
    // Without a terminal a client can only refuse what it would ask for.
    outcome: ({ ran }) => (ran ? "not carried" : "denied"),
  },
  {
    action: "modify_input",
    events: ["PreToolUse"],
    does: `({ tool_input }) => ({
      action: "modify_input",
      input: JSON.parse(JSON.stringify(tool_input, (name, value) =>
        typeof value === "string" && value.includes("secret-of") ? "echo rewritten" : value)),
    })`,
    outcome: ({ ran, results }) => yes(!ran && results.includes("rewritten")),
  },
  {
    action: "add_context",
    events: ["SessionStart", "UserPromptSubmit", "PreToolUse"],
    does: `(event) => ({ action: "add_context", text: "text at " + event.hook_event_name })`,
    outcome: addsText,
  },
  {
    action: "inject",
    events: ["SessionStart", "UserPromptSubmit", "PostToolUse"],
    does: `(event) => ({ action: "inject", messages: [{ role: "user", content: "text at " + event.hook_event_name }] })`,
    outcome: addsText,
  },
  {
    action: "augment",
    events: ["PostToolUse"],
    does: `(event) => ({ action: "augment", text: "text at " + event.hook_event_name })`,
    outcome: addsText,
  },
  {
    action: "replace_result",
    events: ["PostToolUse"],
    does: `() => ({ action: "replace_result", result: "nothing to see" })`,
    outcome: (session) => (session.results.includes("nothing to see") ? withheld(session) : "not carried"),
  },
  { action: "block", events: ["PostToolUse"], does: stops("block"), outcome: withheld },
  { action: "halt", events: ["PostToolUse"], does: stops("halt"), outcome: ended },
  { action: "block", events: ["UserPromptSubmit"], does: stops("block"), outcome: promptWithheld },
  { action: "halt", events: ["UserPromptSubmit"], does: stops("halt"), outcome: promptWithheld },
  {
    action: "transform",
    events: ["UserPromptSubmit"],
    does: `() => ({ action: "transform", prompt: "another prompt" })`,
    outcome: ({ seen }) => yes(seen.includes("another prompt") && !seen.includes(prompt)),
  },
  {
    action: "halt",
    events: ["SessionStart"],
    does: stops("halt"),
    outcome: ({ seen, ran }) => (seen.includes(prompt) ? (ran ? "not carried" : "denied") : "carried"),
  },
  {
    action: "retry",
    events: ["Stop"],
    state: true,
    does: `(event, ctx) => ctx.state === null
      ? [{ action: "set_state", value: 1 }, { action: "retry", feedback: "run the tests" }] : undefined`,
    outcome: ({ seen }) => yes(seen.includes("run the tests")),
  },
  ...(["block", "halt"] as const).map((action): Proof => ({
    action,
    events: ["PreModelRequest"],
    does: stops(action),
    outcome: ({ conversations }) => yes(conversations.length === 0),
  })),
  {
    action: "add_context",
    events: ["PostToolUseFailure"],
    does: `(event) => ({ action: "add_context", text: "text at " + event.hook_event_name })`,
    script: failingRead,
    outcome: addsText,
  },
  {
    action: "augment",
    events: ["PostToolUseFailure"],
    does: `(event) => ({ action: "augment", text: "text at " + event.hook_event_name })`,
    script: failingRead,
    outcome: addsText,
  },
  {
    action: "add_context",
    events: ["SubagentStart"],
    does: `(event) => ({ action: "add_context", text: "text at " + event.hook_event_name })`,
    script: inSubagent,
    outcome: addsText,
  },
  {
    action: "inject",
    events: ["SubagentStart"],
    does: `(event) => ({ action: "inject", messages: [{ role: "user", content: "text at " + event.hook_event_name }] })`,
    script: inSubagent,
    outcome: addsText,
  },
  {
    action: "retry",
    events: ["SubagentStop"],
    state: true,
    script: inSubagent,
    does: `(event, ctx) => ctx.state === null
      ? [{ action: "set_state", value: 1 }, { action: "retry", feedback: "run the tests" }] : undefined`,
    outcome: ({ seen }) => yes(seen.includes("run the tests")),
  },
];

/** The actions that a client carries at its events, by the table that decides. */
export function carriedBy(client: ClientName): ReadonlyMap<EventName, ReadonlySet<EventActionName>> {
  const rows =
    client === "claude-code"
      ? [...claudeCode.rows.values()].map(({ event, carries }) => [event, carries] as const)
      : Object.values(clients[client].events).map((row) => [row.event, carriedActions(row)] as const);
  return new Map(rows.map(([event, actions]) => [event, new Set(actions)]));
}

/** What was seen of each action, by the catalogue's name of the event. */
export type ActionResults = { [event in EventName]?: { [action in EventActionName]?: ProofOutcome } };

/** Runs a session of the real client for each action that its table says it carries. */
export async function proveActions(
  client: ClientName,
  binary: string,
  onResult: (what: string, outcome: ProofOutcome, session: ProofSession) => void,
  only: (what: string) => boolean = () => true,
): Promise<ActionResults> {
  const carried = carriedBy(client);
  const found: ActionResults = {};
  for (const proof of proofs) {
    const events = proof.events.filter(
      (event) => carried.get(event)?.has(proof.action) && only(`${event} ${proof.action}`),
    );
    if (events.length === 0) continue;
    const session = await runProof(client, binary, proof, events);
    for (const event of events) {
      const outcome = session.fired.has(event) ? proof.outcome(session, event) : "not reached";
      (found[event] ??= {})[proof.action] = outcome;
      onResult(`${event} ${proof.action}`, outcome, session);
    }
  }
  return found;
}

async function runProof(
  client: ClientName,
  binary: string,
  proof: Proof,
  events: readonly EventName[],
): Promise<ProofSession & { readonly fired: ReadonlySet<EventName> }> {
  const { action, does, script = shellTwice, state } = proof;
  const actions = state ? [action, "set_state"] : [action];
  const hook: CanaryHook = { on: events, actions, does, ...(state ? { state } : {}) };
  let ranAgain = false;
  let fired: ReadonlySet<EventName> = new Set();
  const session = await runSession({
    client,
    binary,
    prompt,
    script,
    prepare: async (place) => {
      await writeCanaryPack(place.pack, hook);
      await installIn(logging(place), { node: process.execPath, client: programs().client });
    },
    finish: async ({ canary, home }) => {
      ranAgain = existsSync(`${canary}-2`);
      fired = new Set(decisionsIn(home).map(({ event }) => event));
    },
  });
  const results = session.conversations.flatMap((one) => one.results).join("\n");
  return {
    ...session,
    ranAgain,
    fired,
    results,
    seen: `${session.conversations.map((one) => one.prompt).join("\n")}\n${results}`,
    rounds: Math.max(0, ...session.conversations.map((one) => one.rounds)),
  };
}
