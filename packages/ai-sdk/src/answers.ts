import type { Content, GenerateResult, StreamPart, Usage } from "./types.ts";

/** Assembles the content of an answer from the parts of its stream. */
export function contentOf(parts: readonly StreamPart[]): Content[] {
  const content: Content[] = [];
  const open = new Map<string, { text: string }>();
  for (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" : "reasoning";
        const block = { type, text: "" } as const;
        content.push(block);
        open.set(`${type} ${part.id}`, block);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const block = open.get(`${part.type === "text-delta" ? "text" : "reasoning"} ${part.id}`);
        if (block) block.text += part.delta;
        break;
      }
      case "tool-call":
      case "tool-result":
      case "tool-approval-request":
      case "file":
      case "reasoning-file":
      case "source":
      case "custom":
        content.push(part);
        break;
      default:
    }
  }
  return content;
}

/** The stream parts of a content, each block as one delta, without the start and the end of the stream. */
export function partsOf(content: readonly Content[], prefix: string): StreamPart[] {
  return content.flatMap((part, index): StreamPart[] => {
    if (part.type !== "text" && part.type !== "reasoning") return [part];
    const id = `${prefix}-${index}`;
    return [
      { type: `${part.type}-start`, id },
      { type: `${part.type}-delta`, id, delta: part.text },
      { type: `${part.type}-end`, id },
    ];
  });
}

const noUsage: Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The finish reason of an answer that hooks refused. The AI SDK runs no tools after it. */
export const refusedFinish = { unified: "content-filter", raw: "hookwarden" } as const;

/** The answer in place of a step that hooks refused; it ends the agent loop. */
export function refusedResult(text: string, usage: Usage = noUsage): GenerateResult {
  return { content: [{ type: "text", text }], finishReason: refusedFinish, usage, warnings: [] };
}

/** The same as a stream. */
export function refusedParts(text: string, usage: Usage = noUsage): StreamPart[] {
  return [
    ...partsOf([{ type: "text", text }], "hookwarden-refused"),
    { type: "finish", usage, finishReason: refusedFinish },
  ];
}

/** An answer with a different content, without the provider's data about the original one. */
export function withContent(result: GenerateResult, content: Content[]): GenerateResult {
  const { finishReason, usage, warnings, request, response } = result;
  const { body: _body, ...metadata } = response ?? {};
  return {
    content,
    finishReason,
    usage,
    warnings,
    ...(request ? { request } : {}),
    ...(response ? { response: metadata } : {}),
  };
}

/** The sum of the usage of two answers. */
export function addUsage(a: Usage | null, b: Usage): Usage {
  return a === null ? b : (added(a, b) as Usage);
}

function added(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return Object.fromEntries(
      [...keys].map((key) => [
        key,
        added((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
      ]),
    );
  }
  return b ?? a;
}
