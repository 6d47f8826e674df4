import {
  newId,
  fieldsOf,
  type Json,
  listOf,
  type ModelApi,
  serverSentEvents,
  textOf,
} from "./conversation.ts";

/** Anthropic's Messages. */
export const messages: ModelApi = {
  matches: (path) => path.endsWith("/messages"),

  read(body) {
    const all = listOf(body["messages"]);
    const blocks = all.flatMap(({ content }) => listOf(content));
    return {
      prompt: [
        textOf(body["system"]),
        ...all
          .filter(({ role }) => role !== "assistant")
          .map(({ content }) =>
            textOf(
              Array.isArray(content) ? listOf(content).filter(({ type }) => type !== "tool_result") : content,
            ),
          ),
      ].join("\n"),
      rounds: all.filter(
        ({ role, content }) =>
          role === "assistant" && listOf(content).some(({ type }) => type === "tool_use"),
      ).length,
      results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => textOf(content)),
      tools: listOf(body["tools"]).map(({ name, description, input_schema }) => ({
        name: String(name),
        description: String(description ?? ""),
        ...fieldsOf(input_schema),
      })),
    };
  },

  write(turn, body) {
    const content: Json[] =
      "text" in turn
        ? [{ type: "text", text: turn.text }]
        : turn.calls.map(({ name, input }) => ({
            type: "tool_use",
            id: newId("toolu"),
            name,
            input,
          }));
    const stop_reason = "text" in turn ? "end_turn" : "tool_use";
    const usage = { input_tokens: 1, output_tokens: 1 };
    const head = {
      id: newId("msg"),
      type: "message",
      role: "assistant",
      model: body["model"],
      stop_sequence: null,
    };
    if (body["stream"] !== true) {
      return {
        type: "application/json",
        body: JSON.stringify({ ...head, content, stop_reason, usage }),
      };
    }
    const events = [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } },
      ...content.flatMap((block, index) => {
        const isText = block["type"] === "text";
        const content_block = isText ? { type: "text", text: "" } : { ...block, input: {} };
        const delta = isText
          ? { type: "text_delta", text: block["text"] }
          : { type: "input_json_delta", partial_json: JSON.stringify(block["input"]) };
        return [
          { type: "content_block_start", index, content_block },
          { type: "content_block_delta", index, delta },
          { type: "content_block_stop", index },
        ];
      }),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    return {
      type: "text/event-stream",
      body: serverSentEvents(events.map((data) => ({ name: data.type, data }))),
    };
  },
};
