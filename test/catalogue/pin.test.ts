import { describe, expect, it } from "vitest";
import { actionRows, eventRows, legalActions } from "../../src/catalogue/index.ts";

/**
 * The tables once more, by hand: what a hook may do is a promise, so that a slip in a row must not pass because
 * everything else is derived from the same row.
 */
const pinnedEvents = `
SessionStart: inject add_context halt | halt
SessionEnd: |
UserPromptSubmit: block halt retry transform inject add_context | block
UserPromptAccepted: |
PreModelRequest: block halt retry replace_messages replace_system set_params inject add_context | block
ModelResponseChunk: replace_chunk drop_chunk | drop_chunk
PostModelResponse: block halt retry replace_response | block
ModelRequestFailure: |
PreToolUse: allow ask deny skip halt modify_input add_context | deny
PermissionRequest: allow ask deny halt | deny
PermissionDenied: halt |
PostToolUse: augment replace_result block halt inject | block
PostToolUseFailure: augment replace_error add_context halt |
Stop: retry block halt inject add_context |
StopFailure: |
TurnComplete: |
SubagentStart: inject add_context halt | halt
SubagentStop: retry inject halt |
PreCompact: block halt inject add_context | block
CompactStage: halt |
PostCompact: replace_messages halt |
Notification: halt |`;

const pinnedActions = `
continue: verdict
allow: verdict reason?
ask: verdict reason
retry: verdict feedback
drop_chunk: verdict, stops
skip: verdict reason, stops
deny: verdict reason, stops
block: verdict reason, stops
halt: verdict reason, stops
modify_input: change input -> tool_input
replace_result: change result is_error? -> tool_response is_error
replace_error: change error -> error
transform: change prompt -> prompt
replace_messages: change messages -> messages
replace_system: change system -> system
set_params: change params -> params
replace_response: change message -> message
replace_chunk: change chunk -> chunk
augment: addition text, model
inject: addition messages durable?, model
add_context: addition text, model
notify: addition text
set_state: addition value`;

const pinnedFields = `
SessionStart: source? model? messages?
SessionEnd: reason? messages? total_iterations?
UserPromptSubmit: prompt messages?
UserPromptAccepted: prompt messages?
PreModelRequest: model messages system? params?
ModelResponseChunk: stream_id index chunk final? model?
PostModelResponse: message model? messages? usage? duration_ms?
ModelRequestFailure: error model?
PreToolUse: tool_name tool_input tool_use_id?
PermissionRequest: tool_name tool_input tool_use_id? permission_suggestions?
PermissionDenied: tool_name tool_input tool_use_id? reason?
PostToolUse: tool_name tool_response tool_input? original_tool_input? tool_use_id? is_error? duration_ms?
PostToolUseFailure: tool_name error tool_input? tool_use_id? is_interrupt? duration_ms?
Stop: stop_hook_active? last_assistant_message? messages? model? system?
StopFailure: error
TurnComplete: message? model? total_iterations?
SubagentStart: agent_id agent_type
SubagentStop: agent_id agent_type stop_hook_active? last_assistant_message?
PreCompact: trigger messages? model? system? custom_instructions?
CompactStage: stage trigger?
PostCompact: trigger messages? summary?
Notification: message notification_type?`;

const lines = (text: string): string[] => text.trim().split("\n");
const fieldList = (fields: Readonly<Record<string, { readonly optional?: true }>>): string =>
  Object.entries(fields)
    .map(([name, { optional }]) => name + (optional ? "?" : ""))
    .join(" ");
const sortWords = (text: string): string => text.split(" ").toSorted().join(" ");

describe("the tables are what they are promised to be", () => {
  it("has these 22 events, with these legal actions and these verdicts for faults", () => {
    const found = [...eventRows].map(([name, row]) =>
      `${name}: ${sortWords(row.actions.join(" "))}${row.actions.length > 0 ? " " : ""}| ${row.closedAs ?? ""}`.trim(),
    );
    const pinned = lines(pinnedEvents).map((line) => {
      const [name, rest] = line.split(": ") as [string, string];
      const [actions, closed = ""] = rest.split("|").map((part) => part.trim()) as [string, string];
      return `${name}: ${sortWords(actions)}${actions ? " " : ""}| ${closed}`.trim();
    });
    expect(pinned).toHaveLength(22);
    expect(found).toEqual(pinned);
  });

  it("has these 23 actions, of these kinds and with these payloads", () => {
    const found = [...actionRows].map(([name, row]) => {
      const payload = fieldList(row.payload);
      const rewrites = Object.values(row.rewrites ?? {}).join(" ");
      return [
        `${name}: ${row.kind}${payload && ` ${payload}`}${rewrites && ` -> ${rewrites}`}`,
        ...(row.stops ? ["stops"] : []),
        ...(row.modelFacing ? ["model"] : []),
      ].join(", ");
    });
    expect(lines(pinnedActions)).toHaveLength(23);
    expect(found).toEqual(lines(pinnedActions));
  });

  it("has these fields in these events", () => {
    expect([...eventRows].map(([name, row]) => `${name}: ${fieldList(row.fields)}`)).toEqual(
      lines(pinnedFields),
    );
  });

  it("allows continue, notify and set_state everywhere, and nothing else by itself", () => {
    for (const line of lines(pinnedEvents)) {
      const [name, rest] = line.split(": ") as [string, string];
      const own = rest.split("|")[0]!.trim();
      expect([...legalActions(name)].toSorted(), name).toEqual(
        [...(own ? own.split(" ") : []), "continue", "notify", "set_state"].toSorted(),
      );
    }
  });

  it("matches tool_name, source, trigger, agent_type, notification_type or model, and nothing where there is none", () => {
    const matched = new Map([...eventRows].map(([name, row]) => [name, row.matches]));
    expect(Object.fromEntries(matched)).toEqual({
      SessionStart: "source",
      SessionEnd: undefined,
      UserPromptSubmit: undefined,
      UserPromptAccepted: undefined,
      PreModelRequest: "model",
      ModelResponseChunk: "model",
      PostModelResponse: "model",
      ModelRequestFailure: "model",
      PreToolUse: "tool_name",
      PermissionRequest: "tool_name",
      PermissionDenied: "tool_name",
      PostToolUse: "tool_name",
      PostToolUseFailure: "tool_name",
      Stop: "model",
      StopFailure: undefined,
      TurnComplete: "model",
      SubagentStart: "agent_type",
      SubagentStop: "agent_type",
      PreCompact: "trigger",
      CompactStage: "trigger",
      PostCompact: "trigger",
      Notification: "notification_type",
    });
  });
});

describe("the rows fit together", () => {
  it("closes an event only with a verdict that stops and is legal there", () => {
    for (const [name, row] of eventRows) {
      if (!row.closedAs) continue;
      expect(legalActions(name), name).toContain(row.closedAs);
      expect(actionRows.get(row.closedAs)?.stops, name).toBe(true);
    }
  });

  it("lets a change rewrite only fields that the event has", () => {
    for (const [event, row] of eventRows) {
      for (const action of row.actions) {
        for (const field of Object.values(actionRows.get(action)?.rewrites ?? {})) {
          expect(Object.keys(row.fields), `${action} at ${event}`).toContain(field);
        }
      }
    }
  });

  it("holds a matcher only against a field that the event has", () => {
    for (const [name, row] of eventRows) {
      if (row.matches) expect(Object.keys(row.fields), name).toContain(row.matches);
    }
  });

  it("answers names that every object has with nothing", () => {
    for (const name of [
      "constructor",
      "__proto__",
      "toString",
      "hasOwnProperty",
      "",
      "pretooluse",
      "PreToolUse ",
    ]) {
      expect(eventRows.get(name), name).toBeUndefined();
      expect(actionRows.get(name), name).toBeUndefined();
      expect(legalActions(name).size, name).toBe(0);
    }
  });
});
