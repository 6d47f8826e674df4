import { BoundedMap } from "@hookwarden/mediator";
import type { AnyTool } from "./types.ts";

type ModelOutput = Awaited<ReturnType<NonNullable<AnyTool["toModelOutput"]>>>;
type Convert = (options: {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}) => Promise<ModelOutput>;

/**
 * Puts what hooks add behind a tool's result where the model reads it, so that the result itself, which programs and
 * user interfaces read, keeps its shape.
 */
export class ModelOutputs {
  private readonly added = new BoundedMap<{ readonly output: string; readonly text: string }>(10_000);

  /** Remembers a text behind a result. */
  augment(toolCallId: string, output: unknown, text: string): void {
    this.added.set(toolCallId, { output: JSON.stringify(output) ?? "", text });
  }

  /** The tool's `toModelOutput`, or what the package does without one, with what hooks added. */
  converter(tool: AnyTool): Convert {
    const own = tool.toModelOutput as Convert | undefined;
    return async (options) => {
      const base = own ? await own.call(tool, options) : plainOutput(options.output);
      const added = this.added.get(options.toolCallId);
      if (!added || added.output !== (JSON.stringify(options.output) ?? "")) return base;
      return behind(base, added.text);
    };
  }
}

function plainOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  const text = JSON.stringify(output);
  return { type: "json", value: text === undefined ? null : JSON.parse(text) };
}

/** A model's view of a result with a text behind it. */
export function behind(base: ModelOutput, text: string): ModelOutput {
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
