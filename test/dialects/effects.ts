import type { ActionName } from "../../src/catalogue/actions.ts";

type Json = { readonly [field: string]: any };

/**
 * The actions of hooks that an answer can come of: for each effect that a host would read out of it, the names that
 * would have that effect. Written against the wire forms, and not against the code that makes them.
 */
export function effectsOf(dialect: string, sent: Json, answer: any): readonly (readonly ActionName[])[] {
  const reader = readers[dialect];
  if (!reader) throw new Error(dialect);
  return reader(sent, answer);
}

type Effects = (readonly ActionName[])[];

const readers: { readonly [dialect: string]: (sent: Json, answer: any) => Effects } = {
  pig(_, { decision }) {
    const effects: { readonly [decision: string]: Effects } = {
      ToolAllowed: [],
      ToolBlocked: [["deny"]],
      ResultUnchanged: [],
      ResultTransformed: [["replace_result"]],
      MessagesUnchanged: [],
      MessagesReplaced: [["replace_messages"]],
      Notified: [],
    };
    return known(effects, decision);
  },

  agentix(sent, answer) {
    if ("halt" in answer) return [["halt", "block"]];
    if ("dropped" in answer) return [["drop_chunk"]];
    if ("chunk" in answer) return same(answer.chunk, sent.chunk) ? [] : [["replace_chunk"]];
    const { injections = [], ...turn } = answer.cont;
    const { injections: before = [], ...was } = sent.turn;
    const effects: Effects = injections.length > before.length ? [["inject", "add_context"]] : [];
    const writers: { readonly [field: string]: readonly ActionName[] } = {
      messages: ["replace_messages"],
      system: ["replace_system"],
      params: ["set_params"],
      assistant_message: ["replace_response"],
    };
    for (const field of Object.keys({ ...turn, ...was }))
      if (!same(turn[field], was[field])) effects.push(writers[field]!);
    return effects;
  },

  eai(sent, answer) {
    if ("block" in answer) return [["deny", "block"]];
    if ("modify" in answer) return [["modify_input"]];
    if (sent.run === "post" || sent.run === "llm_post")
      return same(answer.ok, sent.result) ? [] : [["replace_result"]];
    if (answer.ok !== true) throw new Error("no form of eai");
    return [];
  },

  "ex-athena"(_, answer) {
    if (answer === "ok") return [];
    const effects: Effects = [];
    const closing: Effects = [["halt", "block"]];
    for (const [field, value] of Object.entries(answer)) {
      if (field === "deny") effects.push(["deny"]);
      else if (field === "augment") effects.push(["augment"]);
      else if (field === "halt") effects.push(...(value === null ? [] : closing));
      else if (field === "injects")
        effects.push(...((value as unknown[]).length > 0 ? ([["inject"]] as Effects) : []));
      else if (field === "transform") effects.push(...(value === null ? [] : ([["transform"]] as Effects)));
      else throw new Error(`no form of ex-athena: ${field}`);
    }
    return effects;
  },

  "hook-event"(sent, answer) {
    const writers: { readonly [field: string]: readonly ActionName[] } = {
      tool_arguments: ["modify_input"],
      tool_result: ["replace_result"],
      tool_error: ["replace_error"],
      user_input: ["transform"],
      messages: ["replace_messages"],
      system_prompt: ["replace_system"],
      assistant_output: ["replace_response"],
      inject_messages: ["inject"],
      additional_context: ["add_context"],
      retry_feedback: ["retry"],
      system_message: ["notify"],
    };
    return Object.keys(answer).map((field) => {
      if (field !== "action") return writers[field]!;
      return answer.action === "stop"
        ? ["block"]
        : sent.event === "pre_tool_execution"
          ? ["skip", "deny"]
          : [];
    });
  },

  "claude-code"(sent, answer) {
    const effects: Effects = [];
    const { hookSpecificOutput: output = {}, ...rest } = answer;
    if (rest.continue === false) effects.push(["halt"]);
    if (rest.decision === "block") effects.push(["block", "retry"]);
    if (rest.systemMessage !== undefined) effects.push(["notify"]);
    const { permissionDecision, decision } = output;
    if (permissionDecision === "deny") effects.push(["deny", "skip", "halt"]);
    else if (permissionDecision !== undefined) effects.push([permissionDecision]);
    if (decision?.behavior === "deny") effects.push(["deny", "halt"]);
    else if (decision !== undefined) effects.push(["allow"]);
    if (output.updatedInput !== undefined) effects.push(["modify_input"]);
    if (output.updatedToolOutput !== undefined) effects.push(["replace_result", "block", "halt"]);
    if (output.additionalContext !== undefined) effects.push(["add_context", "inject", "augment"]);
    const fields = ["continue", "stopReason", "decision", "reason", "systemMessage"];
    if (Object.keys(rest).some((field) => !fields.includes(field))) throw new Error("no form of claude-code");
    if (output.hookEventName !== undefined && output.hookEventName !== sent.hook_event_name)
      throw new Error("another event");
    return effects;
  },
};

function known<T>(table: { readonly [name: string]: T }, name: string): T {
  const value = table[name];
  if (value === undefined) throw new Error(`no form: ${name}`);
  return value;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
