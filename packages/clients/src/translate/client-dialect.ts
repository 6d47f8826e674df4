import { quote } from "@hookwarden/sandbox/json";
import type { Decision } from "hookwarden/broker";
import { type EventActionName, eventRows } from "hookwarden/catalogue";
import {
  addedTexts,
  claudeCode,
  commonOf,
  type Dialect,
  type DialectRow,
  feedbackParts,
  type Helpers,
  type Message,
  reasonParts,
  type StopVerdict,
} from "hookwarden/dialects";
import { HookwardenError } from "hookwarden/errors";
import {
  type AgentClient,
  type Answers,
  clients,
  type ClientEvent,
  type ClientName,
  type Json,
} from "../clients/index.ts";
import { merged } from "../hook/merge.ts";

/** How a row says a stop: by its own form, or by a later event because it has none. */
type StopForm = "stop" | "halt" | "held";

interface ClientRow extends DialectRow {
  readonly stops: { readonly [V in StopVerdict]?: StopForm };
  readonly client: ClientEvent;
}

/** The dialect of a client; Claude Code has its own, which its SDK and the server share. */
export function dialectOfClient(name: ClientName): Dialect {
  if (name === "claude-code") return claudeCode;
  let dialect = made.get(name);
  if (!dialect) made.set(name, (dialect = makeDialect(clients[name])));
  return dialect;
}

/** One object for each client, so that wardens plan a pack once for each. */
const made = new Map<ClientName, Dialect>();

/** The answer that carries each action; `halt` is carried everywhere, because a later event can hold it. */
const carriers: { readonly [action in EventActionName]?: keyof Answers } = {
  deny: "stop",
  skip: "stop",
  block: "stop",
  ask: "ask",
  allow: "allow",
  retry: "retry",
  modify_input: "input",
  replace_result: "result",
  transform: "prompt",
  add_context: "context",
  inject: "context",
  augment: "context",
};

/** The actions of the catalogue that a client carries at one of its events. */
export function carriedActions({ event, answers, instead }: ClientEvent): EventActionName[] {
  return (eventRows.get(event)?.actions ?? []).filter((action) => {
    if (action === "halt") return true;
    const carrier = carriers[action];
    return (
      (carrier !== undefined && answers[carrier] !== undefined) ||
      (action === "ask" && instead?.ask === "stop")
    );
  });
}

function makeDialect(client: AgentClient): Dialect<ClientRow> {
  const rows = new Map(Object.entries(client.events).map(([name, event]) => [name, rowOf(event)]));
  return {
    name: client.name,
    system: client.title,
    rows,
    parse(message) {
      const name = message["hook_event_name"];
      const row = typeof name === "string" ? rows.get(name) : undefined;
      if (typeof name !== "string" || !row) {
        throw new HookwardenError(
          "event-unknown",
          `${client.title} has no event ${typeof name === "string" ? quote(name) : "without a name"}`,
          { pointer: "/hook_event_name" },
        );
      }
      const read = row.client.read?.(message) ?? {};
      const event: { [field: string]: unknown } = {
        ...message,
        ...commonOf({ ...message, ...read }),
        ...read,
      };
      for (const [field, { optional }] of Object.entries(eventRows.get(row.event)?.fields ?? {})) {
        if (optional && (event[field] === null || event[field] === undefined)) delete event[field];
      }
      return { name, row, message, event: { ...event, hook_event_name: row.event } };
    },
    format: (decision, { row, message }, helpers) => formatAnswer(decision, row, message, helpers),
  };
}

function rowOf(client: ClientEvent): ClientRow {
  const { answers, event } = client;
  const stop = answers.stop ? "stop" : answers.halt ? "halt" : "held";
  const closes = answers.stop !== undefined;
  return {
    event,
    client,
    carries: carriedActions(client),
    stops: {
      ...(closes ? { deny: stop, skip: stop, block: stop } : {}),
      halt: answers.halt ? "halt" : stop,
    },
  };
}

function formatAnswer(
  decision: Decision,
  { client, stops }: ClientRow,
  message: Message,
  { fence }: Helpers,
): Json {
  const { answers } = client;
  const parts: (Json | undefined)[] = [];
  const stop = stops[decision.verdict as StopVerdict];
  const reason = (): string => fence(reasonParts(decision));
  if (stop === "held") parts.push(answers.notice?.(reason()));
  else if (stop !== undefined) parts.push(answers[stop]?.(reason(), message));
  else if (decision.verdict === "ask" && !answers.ask) {
    const why = `a person's approval is required, and this client cannot ask for it: ${reason()}`;
    parts.push(answers.stop?.(why, message));
  } else parts.push(...passParts(decision, answers, message, fence));
  const { notices } = decision.additions;
  if (notices.length > 0 && parts.length === 0) {
    parts.push(answers.notice?.(notices.map(({ text }) => text).join("\n")));
  }
  return merged(parts.filter((part) => part !== undefined));
}

function passParts(
  decision: Decision,
  answers: Answers,
  message: Message,
  fence: Helpers["fence"],
): (Json | undefined)[] {
  const { verdict, changes } = decision;
  const parts: (Json | undefined)[] = [];
  if (verdict === "retry") parts.push(answers.retry?.(fence(feedbackParts(decision))));
  if (verdict === "ask") parts.push(answers.ask?.(fence(reasonParts(decision))));
  if (verdict === "allow") parts.push(answers.allow?.());
  if (Object.hasOwn(changes, "tool_input")) {
    parts.push(answers.input?.(changes["tool_input"] as Json, message));
  }
  if (Object.hasOwn(changes, "tool_response"))
    parts.push(answers.result?.(changes["tool_response"], message));
  const prompt = Object.hasOwn(changes, "prompt") ? String(changes["prompt"]) : null;
  const texts = addedTexts(decision, ["augment", "inject", "add_context"]);
  // Where context is part of the prompt, it is added to the prompt as it was rewritten.
  const seen = prompt === null ? message : { ...message, prompt, transformedPrompt: prompt };
  if (texts.length > 0) parts.push(answers.context?.(fence(texts), seen));
  if (prompt !== null) parts.push(answers.prompt?.(prompt));
  return parts;
}
