import { writeText } from "./layout.ts";
import type { EngineModule } from "./module.ts";

/**
 * Asks the guest for the text of an error, within the bounds of the call that failed.
 *
 * @param strings where to remember a text that the host has to free
 */
export function describeError(
  { exports, memory }: EngineModule,
  context: number,
  error: number,
  strings: number[] | undefined,
): string {
  const text = exports._QTS_GetString(context, error);
  if (text === 0) return "a value that cannot be described";
  strings?.push(text);
  return textAt(memory, text, 1_000);
}

/** The text of an error's stack, also within those bounds; empty where it has none. */
export function stackOf(module: EngineModule, context: number, error: number): string {
  const { exports, memory } = module;
  const name = writeText(module, "stack");
  if (name.at === 0) return "";
  const key = exports._QTS_NewString(context, name.at);
  exports._free(name.at);
  const value = exports._QTS_GetProp(context, error, key);
  // A getter of the guest's may have thrown.
  if (exports._QTS_ResolveException(context, value) !== 0) return "";
  const text = exports._QTS_GetString(context, value);
  return text === 0 ? "" : textAt(memory, text, 2_000);
}

/** At most so many bytes of a text that ends with a NUL. */
function textAt({ buffer }: WebAssembly.Memory, at: number, maxBytes: number): string {
  const memory = Buffer.from(buffer);
  return memory.toString("utf8", at, Math.min(memory.indexOf(0, at), at + maxBytes));
}
