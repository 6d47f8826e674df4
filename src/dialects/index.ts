/** Dialects: how systems with hooks of their own speak with a warden, each in its own words. */
import type { Warden } from "../warden/index.ts";
import { dialectOf } from "./dialects.ts";
import { Translator, type TranslatorOptions } from "./translator.ts";

export type { Dialect, DialectRow, Parsed, Helpers, Message, StopVerdict } from "./dialect.ts";
export { dialectOf, dialects } from "./dialects.ts";
export { type Reply, Translator, type TranslatorOptions } from "./translator.ts";

/**
 * Lets a system speak with a warden in its own words. Several dialects may speak with one warden.
 *
 * @param name `pig`, `agentix`, `eai`, `ex-athena`, `hook-event` or `claude-code`.
 * @throws {HookwardenError} `dialect-unknown`, or `policy-invalid` for a pack that the system would not take.
 *
 * @example
 *     const pig = createDialect(warden, "pig");
 *     await pig.handle({ event: "tool_call", tool_name: "bash", tool_call_id: "1", arguments_json: "{}" });
 *     // { decision: "ToolAllowed" }
 */
export function createDialect(warden: Warden, name: string, options: TranslatorOptions = {}): Translator {
  return new Translator(dialectOf(name), warden, options);
}
export { withholdToolOutput } from "./claude-code-output.ts";
export { claudeCode, unhooked } from "./claude-code.ts";
export { commonOf, fieldOf, readMessage } from "./message.ts";
export { addedTexts, feedbackParts, reasonParts } from "./decision-queries.ts";
