import { isObject, quote } from "@hookwarden/sandbox/json";
import type { Decision } from "../broker/index.ts";
import { HookwardenError } from "../errors/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import { type Dialect, type DialectRow, type Parsed, type Message, table } from "./dialect.ts";
import { commonOf, fieldOf, invalid, rowOf } from "./message.ts";
import { addedTexts, reasonOf } from "./decision-queries.ts";

interface AgentixRow extends DialectRow {
  /** Fields of the turn and the event's fields that they are; what else a turn has stands in `turn`. */
  readonly turn?: { readonly [field: string]: string };
}

const pre = { model: "model", messages: "messages", system: "system", params: "params" };

const rows = table<AgentixRow>({
  pre: {
    event: "PreModelRequest",
    carries: ["halt", "block", "replace_messages", "replace_system", "set_params", "inject", "add_context"],
    // A hook in the chain that crashes, or returns what is no return, halts the turn, whatever it may do else.
    onFailure: "closed",
    stops: { halt: "halt", block: "halt" },
    turn: pre,
  },
  post: {
    event: "PostModelResponse",
    carries: ["halt", "block", "replace_response"],
    // The message is final; a crash there is noted, and the turn goes on.
    onFailure: "open",
    stops: { halt: "halt", block: "halt" },
    turn: { model: "model", messages: "messages", assistant_message: "message" },
  },
  chunk: {
    event: "ModelResponseChunk",
    carries: ["replace_chunk", "drop_chunk"],
    // What the chunk handler does not recognise is dropped.
    onFailure: "closed",
    stops: { drop_chunk: "dropped" },
    fields: { chunk: "chunk", stream_id: "stream_id", index: "index", final: "final", model: "model" },
  },
});

/** The hooks of Agentix (Elixir): around a model call, on the turn. */
export const agentix: Dialect<AgentixRow> = {
  name: "agentix",
  system: "Agentix.Hook (Elixir)",
  rows,

  parse(message) {
    const [name, row] = rowOf(rows, message, "phase", "agentix");
    return row.turn === undefined ? parseChunk(name, row, message) : parseTurn(name, row, row.turn, message);
  },

  format(decision, parsed: Parsed<AgentixRow>) {
    const { row, message } = parsed;
    if (decision.verdict === "drop_chunk") return { dropped: true };
    if (row.turn === undefined) return { chunk: decision.changes.chunk ?? message.chunk };
    const hook = overflowing(decision);
    if (hook !== undefined) return { halt: { injection_overflow: hook } };
    if (decision.verdict !== "continue") return { halt: reasonOf(decision) };
    return { cont: turnAfter(decision, parsed) };
  },

  checkPack(pack: LoadedPack) {
    for (const hook of pack.hooks) {
      if (hook.mode !== "parallel" || !hook.on.some(({ event }) => event === "PostModelResponse")) continue;
      throw new HookwardenError(
        "policy-invalid",
        `the hook ${quote(hook.name)} is parallel and listens to PostModelResponse: in agentix only hooks before the model call can be parallel`,
      );
    }
  },
};

function parseChunk(name: string, row: AgentixRow, message: Message): Parsed<AgentixRow> {
  const chunk = fieldOf(message, "chunk");
  if (chunk === undefined)
    throw invalid(`the message is no ${quote(name)}: it must have \`chunk\``, "/chunk");
  // A transformer is a function of the chunk alone: the system names no stream and no place in it.
  const event: { [field: string]: unknown } = {
    hook_event_name: row.event,
    ...commonOf(message),
    stream_id: "default",
    index: 0,
  };
  for (const field of Object.keys(row.fields ?? {})) {
    const value = fieldOf(message, field);
    if (value !== undefined) event[field] = value;
  }
  return { name, row, message, event };
}

function parseTurn(
  name: string,
  row: AgentixRow,
  fields: { readonly [field: string]: string },
  message: Message,
): Parsed<AgentixRow> {
  const turn = fieldOf(message, "turn");
  if (!isObject(turn))
    throw invalid(`the message is no ${quote(name)}: it must have an object \`turn\``, "/turn");
  if (turn.injections !== undefined && !Array.isArray(turn.injections)) {
    throw invalid(
      `the message is no ${quote(name)}: \`injections\` of its turn is no array`,
      "/turn/injections",
    );
  }
  const event: { [field: string]: unknown } = { hook_event_name: row.event, ...commonOf(message) };
  const rest: { [field: string]: unknown } = {};
  for (const [field, value] of Object.entries(turn)) {
    const ours = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (ours === undefined) rest[field] = value;
    else if (value !== null) event[ours] = value;
  }
  const places = Object.fromEntries(Object.entries(fields).map(([field, ours]) => [ours, `/turn/${field}`]));
  if (Object.keys(rest).length > 0) event.turn = rest;
  return { name, row, message, event, places };
}

/** An overflow halts the turn whatever the hook's failure policy: it is an error in the configuration, and a loud one. */
function overflowing(decision: Decision): string | undefined {
  return decision.trace.find(({ fault }) => fault?.code === "injection-overflow")?.hook;
}

function turnAfter(decision: Decision, { row, message, name }: Parsed<AgentixRow>): unknown {
  const turn: { [field: string]: unknown } = { ...(message.turn as object) };
  for (const [field, ours] of Object.entries(row.turn ?? {})) {
    if (Object.hasOwn(decision.changes, ours)) turn[field] = decision.changes[ours];
  }
  if (name !== "pre") return turn;
  const parts = addedTexts(decision, ["inject", "add_context"]).map(({ hook, trust, text, durable }) => ({
    type: "text",
    text,
    durable,
    hook,
    trust,
  }));
  turn.injections = [...((turn.injections as readonly unknown[] | undefined) ?? []), ...parts];
  return turn;
}
