import {
  newId,
  fieldsOf,
  type Json,
  listOf,
  type ModelApi,
  serverSentEvents,
  textOf,
} from "./conversation.ts";

/** Google's generateContent. */
export const generateContent: ModelApi = {
  matches: (path) => /:(stream)?generateContent$/i.test(path),

  read(body) {
    const contents = listOf(body["contents"]);
    const parts = contents.flatMap((content) => listOf(content["parts"]));
    return {
      prompt: [
        textOf(listOf((body["systemInstruction"] as Json | undefined)?.["parts"])),
        ...contents
          .filter(({ role }) => role !== "model")
          .map((content) => textOf(listOf(content["parts"]).filter((part) => part["text"] !== undefined))),
      ].join("\n"),
      rounds: contents.filter(
        (content) =>
          content["role"] === "model" && listOf(content["parts"]).some((part) => part["functionCall"]),
      ).length,
      results: parts.flatMap(({ functionResponse }) =>
        functionResponse ? [JSON.stringify((functionResponse as Json)["response"])] : [],
      ),
      tools: listOf(body["tools"])
        .flatMap((tool) => listOf(tool["functionDeclarations"]))
        .map(({ name, description, parameters, parametersJsonSchema }) => ({
          name: String(name),
          description: String(description ?? ""),
          ...fieldsOf(parametersJsonSchema ?? parameters),
        })),
    };
  },

  write(turn, body, path) {
    // A request for structured output, such as a router's, gets an empty object.
    const wantsJson =
      (body["generationConfig"] as Json | undefined)?.["responseMimeType"] === "application/json";
    const parts =
      "text" in turn
        ? [{ text: wantsJson ? "{}" : turn.text }]
        : turn.calls.map(({ name, input }) => ({
            functionCall: { id: newId("call"), name, args: input },
          }));
    const answer = {
      candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    return /:streamGenerateContent$/i.test(path)
      ? { type: "text/event-stream", body: serverSentEvents([{ data: answer }]) }
      : { type: "application/json", body: JSON.stringify(answer) };
  },
};
