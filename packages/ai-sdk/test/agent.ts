import { generateText, isStepCount, type ModelMessage, streamText, type ToolSet } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import type { GuardedSettings } from "../src/index.ts";
import type { Content, GenerateResult, StreamPart } from "../src/types.ts";

/** What the model answers in one step: a text, the pieces of one, or parts. */
export type Answer = string | readonly string[] | readonly Content[];
export type Mode = "generate" | "stream";
export const modes: readonly Mode[] = ["generate", "stream"];

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
} as const;

/** A call that the model asks for. */
export function call(toolName: string, input: unknown, toolCallId = `c-${toolName}`): Content {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/** An offline model of the package that follows its script, one answer a request, and remembers what it was sent. */
export function scripted(answers: readonly Answer[]): MockLanguageModelV4 {
  let next = 0;
  const take = (): Content[] => {
    const answer = answers[next++];
    if (answer === undefined) throw new Error("the script has no more answers");
    if (typeof answer === "string") return [{ type: "text", text: answer }];
    if (typeof answer[0] === "string") return (answer as string[]).map((text) => ({ type: "text", text }));
    return [...(answer as readonly Content[])];
  };
  const finishOf = (content: Content[]): GenerateResult["finishReason"] => ({
    unified: content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop",
    raw: undefined,
  });
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = take();
      const texts = content.filter((part) => part.type === "text");
      const merged: Content[] =
        texts.length > 1 ? [{ type: "text", text: texts.map(({ text }) => text).join("") }] : content;
      return {
        content: merged,
        finishReason: finishOf(content),
        usage,
        warnings: [],
        response: { body: { raw: JSON.stringify(content) } },
      };
    },
    doStream: async () => {
      const content = take();
      const open = content.some(({ type }) => type === "text");
      const parts: StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...(open ? [{ type: "text-start", id: "1" } as const] : []),
        ...content.map((part): StreamPart =>
          part.type === "text" ? { type: "text-delta", id: "1", delta: part.text } : (part as StreamPart),
        ),
        ...(open ? [{ type: "text-end", id: "1" } as const] : []),
        { type: "finish", usage, finishReason: finishOf(content) },
      ];
      return { stream: convertArrayToReadableStream(parts) };
    },
  });
}

/** What came of a run, whichever way it was made. */
export interface Ran {
  readonly text: string;
  /** Everything that a host could show, as JSON: parts of the stream, or the steps. */
  readonly shown: string;
  readonly messages: readonly ModelMessage[];
  readonly steps: number;
  readonly error: unknown;
}

/** Runs a whole agent loop. */
export async function run(
  mode: Mode,
  settings: GuardedSettings<ToolSet>,
  prompt: string | ModelMessage[],
  more: object = {},
): Promise<Ran> {
  const options = {
    ...settings,
    ...(typeof prompt === "string" ? { prompt } : { messages: prompt }),
    stopWhen: isStepCount(6),
    maxRetries: 0,
    ...more,
  } as Parameters<typeof generateText>[0];
  if (mode === "generate") {
    try {
      const result = await generateText(options);
      return {
        text: result.text,
        shown: JSON.stringify([result.steps, result.content, result.response.body ?? null]),
        messages: result.responseMessages,
        steps: result.steps.length,
        error: null,
      };
    } catch (error) {
      return { text: "", shown: String(error), messages: [], steps: 0, error };
    }
  }
  let error: unknown = null;
  const result = streamText({
    ...(options as Parameters<typeof streamText>[0]),
    onError: (event) => void (error = event.error),
  });
  const parts: unknown[] = [];
  for await (const part of result.fullStream) parts.push(part);
  const or = async <T>(value: PromiseLike<T>, otherwise: T): Promise<T> => {
    try {
      return await value;
    } catch {
      return otherwise;
    }
  };
  return {
    text: await or(result.text, ""),
    shown: JSON.stringify(parts),
    messages: await or(result.responseMessages, []),
    steps: (await or(result.steps, [])).length,
    error,
  };
}

/** What the model was sent in a request, as JSON. */
export function sent(model: MockLanguageModelV4, index: number): string {
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls];
  return JSON.stringify(calls[index]?.prompt);
}
