import {
  newId,
  fieldsOf,
  type Json,
  listOf,
  type ModelApi,
  type OfferedTool,
  serverSentEvents,
  textOf,
} from "./conversation.ts";

/** OpenAI's Responses, as Codex uses them. */
export const responses: ModelApi = {
  matches: (path) => path.endsWith("/responses"),

  read(body) {
    const items = listOf(body["input"]);
    const ofType = (pattern: RegExp): Json[] => items.filter(({ type }) => pattern.test(String(type)));
    return {
      prompt: [
        textOf(body["instructions"]),
        ...items.filter(({ role }) => role !== "assistant").map(({ content }) => textOf(content)),
      ].join("\n"),
      rounds: ofType(/^(function_call|custom_tool_call)$/).length,
      results: ofType(/_output$/).map(({ output }) => textOf(output)),
      tools: listOf(body["tools"]).flatMap((tool) => offered(tool)),
    };
  },

  write(turn) {
    const id = newId("resp");
    const response = { id, object: "response", created_at: 1, status: "in_progress", output: [] };
    const items: Json[] =
      "text" in turn
        ? [
            {
              type: "message",
              id: newId("msg"),
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: turn.text, annotations: [] }],
            },
          ]
        : turn.calls.map(({ name, namespace, input }) => {
            const call = {
              id: newId("fc"),
              call_id: newId("call"),
              name,
              ...(namespace === undefined ? {} : { namespace }),
              status: "completed",
            };
            return typeof input === "string"
              ? { type: "custom_tool_call", ...call, input }
              : { type: "function_call", ...call, arguments: JSON.stringify(input) };
          });
    const events: { type: string; [field: string]: unknown }[] = [
      { type: "response.created", response },
      ...items.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
        { type: "response.output_item.done", output_index, item },
      ]),
      {
        type: "response.completed",
        response: {
          ...response,
          status: "completed",
          output: items,
          usage: {
            input_tokens: 1,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 1,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 2,
          },
        },
      },
    ];
    return {
      type: "text/event-stream",
      body: serverSentEvents(events.map((data) => ({ name: data.type, data }))),
    };
  },
};

/** A tool, or the tools of a namespace such as an MCP server's. */
function offered(tool: Json, namespace?: string): OfferedTool[] {
  const name = String(tool["name"] ?? tool["type"]);
  if (tool["type"] === "namespace") return listOf(tool["tools"]).flatMap((inner) => offered(inner, name));
  const where = {
    description: String(tool["description"] ?? ""),
    ...(namespace === undefined ? {} : { namespace }),
  };
  if (tool["type"] === "custom") return [{ name, ...where, fields: {}, required: [], freeform: true }];
  return [{ name, ...where, ...fieldsOf(tool["parameters"]) }];
}
