import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventName } from "hookwarden/catalogue";
import type { SessionPlace } from "../../src/doctor/session.ts";

/** A decision of a session, as its log has it. */
export interface LoggedDecision {
  readonly event: EventName;
  readonly tool: string | null;
  readonly verdict: string;
}

const logOf = (home: string): string => join(home, "decisions.jsonl");

/** The place of a session whose hook writes a decision log. */
export function logging(place: SessionPlace): SessionPlace {
  return { ...place, hook: { ...place.hook, idleSeconds: 60, log: logOf(place.home) } };
}

/** The decisions that were made in a session, in order. */
export function decisionsIn(home: string): LoggedDecision[] {
  if (!existsSync(logOf(home))) return [];
  return readFileSync(logOf(home), "utf8")
    .split("\n")
    .filter((line) => line.includes('"kind":"decision"'))
    .map((line) => {
      const { event, decision } = JSON.parse(line) as {
        event: { hook_event_name: EventName; tool_name?: string };
        decision: { verdict: string };
      };
      return { event: event.hook_event_name, tool: event.tool_name ?? null, verdict: decision.verdict };
    });
}
