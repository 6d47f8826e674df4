/** Dialects: how systems with hooks of their own speak with a warden, each in its own words. */
import { quote } from "../../sandbox/json/index.ts";
import { HookwardenError } from "../errors.ts";
import type { Warden } from "../warden.ts";
import { agentix } from "./agentix.ts";
import { claudeCode } from "./claude-code.ts";
import type { Dialect } from "./dialect.ts";
import { eai } from "./eai.ts";
import { exAthena } from "./ex-athena.ts";
import { hookEvent } from "./hook-event.ts";
import { pig } from "./pig.ts";
import { Translator, type TranslatorOptions } from "./translator.ts";

export type { Dialect, DialectRow, Heard, Means, Message, StopVerdict, Untouched } from "./dialect.ts";
export type { Reply, Translator, TranslatorOptions } from "./translator.ts";

/** All dialects, by name. */
export const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>(
  ([pig, agentix, eai, exAthena, hookEvent, claudeCode] as readonly Dialect[]).map((dialect) => [
    dialect.name,
    dialect,
  ]),
);

/**
 * A dialect by its name.
 *
 * @throws {HookwardenError} `dialect-unknown`
 */
export function dialectOf(name: string): Dialect {
  const dialect = dialects.get(name);
  if (dialect) return dialect;
  throw new HookwardenError(
    "dialect-unknown",
    `there is no dialect ${quote(name)}; there are ${[...dialects.keys()].join(", ")}`,
  );
}

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
