import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { agentix } from "./agentix.ts";
import { claudeCode } from "./claude-code.ts";
import type { Dialect } from "./dialect.ts";
import { eai } from "./eai.ts";
import { exAthena } from "./ex-athena.ts";
import { hookEvent } from "./hook-event.ts";
import { pig } from "./pig.ts";

const all: readonly Dialect[] = [pig, agentix, eai, exAthena, hookEvent, claudeCode];

/** All dialects, by name. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(all.map((dialect) => [dialect.name, dialect]));

/**
 * A dialect by its name.
 *
 * @throws {HookwardenError} `dialect-unknown`
 */
export function dialectOf(name: string): Dialect {
  const dialect = dialects.get(name);
  if (dialect) return dialect;
  const there = [...dialects.keys()].join(", ");
  throw new HookwardenError("dialect-unknown", `there is no dialect ${quote(name)}; there are ${there}`);
}
