import { readFileSync } from "node:fs";

/** Inputs of hooks as the real client has sent them (`record-hook-inputs.ts`). */
export interface RecordedInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly [field: string]: unknown;
}

const text = readFileSync(new URL("fixtures/hook-inputs.jsonl", import.meta.url), "utf8");

export const recorded: readonly RecordedInput[] = text
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line) as RecordedInput);

export const recordedAt = (event: string): readonly RecordedInput[] =>
  recorded.filter(({ hook_event_name }) => hook_event_name === event);
