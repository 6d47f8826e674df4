import {
  newId,
  fieldsOf,
  type Json,
  listOf,
  type ModelApi,
  serverSentEvents,
  textOf,
  type ToolCall,
} from "./conversation.ts";

/** OpenAI's Chat Completions. */
export const chatCompletions: ModelApi = {
  matches: (path) => path.endsWith("/chat/completions"),

  read(body) {
    const messages = listOf(body["messages"]);
    return {
      prompt: messages
        .filter(({ role }) => role !== "tool" && role !== "assistant")
        .map(({ content }) => textOf(content))
        .join("\n"),
      rounds: messages.filter(({ role, tool_calls }) => role === "assistant" && listOf(tool_calls).length > 0)
        .length,
      results: messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
      tools: listOf(body["tools"]).map(({ function: one, custom }) => {
        const { name, description, parameters } = (one ?? custom ?? {}) as Json;
        return {
          name: String(name),
          description: String(description ?? ""),
          ...fieldsOf(parameters),
          ...(custom ? { freeform: true as const } : {}),
        };
      }),
    };
  },

  write(turn, body) {
    const freeform = new Set(
      listOf(body["tools"]).map(({ custom }) => (custom as Json | undefined)?.["name"]),
    );
    const calls =
      "calls" in turn
        ? turn.calls.map((call, index) => callOf(call, index, freeform.has(call.name)))
        : undefined;
    const message = {
      role: "assistant",
      content: "text" in turn ? turn.text : null,
      ...(calls ? { tool_calls: calls } : {}),
    };
    const finish_reason = calls ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const head = { id: newId("chatcmpl"), created: 1, model: body["model"] };
    if (body["stream"] !== true) {
      const choices = [{ index: 0, message, finish_reason }];
      return {
        type: "application/json",
        body: JSON.stringify({ ...head, object: "chat.completion", choices, usage }),
      };
    }
    const chunk = { ...head, object: "chat.completion.chunk" };
    return {
      type: "text/event-stream",
      body: serverSentEvents([
        { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage } },
        { data: "[DONE]" },
      ]),
    };
  },
};

function callOf({ name, input }: ToolCall, index: number, isFreeform: boolean): Json {
  if (isFreeform) return { index, id: newId("call"), type: "custom", custom: { name, input } };
  const text = typeof input === "string" ? JSON.stringify({ input }) : JSON.stringify(input);
  return { index, id: newId("call"), type: "function", function: { name, arguments: text } };
}
