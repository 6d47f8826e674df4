import { BoundedMap } from "@hookwarden/mediator";
import type { AnyTool } from "./types.ts";

type ModelOutput = Awaited<ReturnType<NonNullable<AnyTool["toModelOutput"]>>>;
type Convert = (options: {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}) => Promise<ModelOutput>;

/**
 * Appends what hooks added to the model's view of a tool's result. The result itself, which programs and user interfaces
 * read, keeps its shape.
 */
export class ModelOutputs {
  readonly #added = new BoundedMap<{ readonly output: string; readonly text: string }>(10_000);

  /** Remembers a text to append to a result. */
  augment(toolCallId: string, output: unknown, text: string): void {
    this.#added.set(toolCallId, { output: JSON.stringify(output) ?? "", text });
  }

  /** The tool's `toModelOutput`, or the AI SDK's default, with what hooks added. */
  converter(tool: AnyTool): Convert {
    const own = tool.toModelOutput as Convert | undefined;
    return async (options) => {
      const base = own ? await own.call(tool, options) : plainOutput(options.output);
      const added = this.#added.get(options.toolCallId);
      if (!added || added.output !== (JSON.stringify(options.output) ?? "")) return base;
      return withAppended(base, added.text);
    };
  }
}

function plainOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  const text = JSON.stringify(output);
  return { type: "json", value: text === undefined ? null : JSON.parse(text) };
}

/** A model's view of a result with a text appended. */
export function withAppended(base: ModelOutput, text: string): ModelOutput {
  switch (base.type) {
    case "text":
    case "error-text":
      return { ...base, value: `${base.value}\n\n${text}` };
    case "json":
      return { type: "text", value: `${JSON.stringify(base.value)}\n\n${text}` };
    case "error-json":
      return { type: "error-text", value: `${JSON.stringify(base.value)}\n\n${text}` };
    case "content":
      return { ...base, value: [...base.value, { type: "text", text }] };
    default:
      return base;
  }
}
