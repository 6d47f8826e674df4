import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type LogContext, type LogReport, verifyLog, type VerifyOptions } from "../../src/log/index.ts";
import type { FakeHook } from "../support/fake-pack.ts";

export const context: LogContext = {
  engine: { name: "quickjs", version: "fake", digest: "sha256:fake" },
  tools: undefined,
  pristine: true,
};

/** A folder that is gone when the test is over. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function testFile(name = "decisions.jsonl"): string {
  return join(testFolder(), name);
}

export async function* bytesOf(text: string | Uint8Array, size = 7_919): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function verifyText(text: string | Uint8Array, options?: VerifyOptions): Promise<LogReport> {
  return verifyLog(bytesOf(text), options);
}

export interface LoggedLine {
  readonly kind: string;
  readonly n: number;
  readonly [member: string]: any;
}

export async function readLog(path: string): Promise<LoggedLine[]> {
  return parseLines(await readFile(path, "utf8"));
}

export function parseLines(text: string): LoggedLine[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LoggedLine);
}

export function toolEvent(command = "ls", session = "s1"): object {
  return { hook_event_name: "PreToolUse", session_id: session, tool_name: "Bash", tool_input: { command } };
}

/** Denies commands with `rm` in them, and says which. */
export const guard: FakeHook = {
  name: "guard",
  run: (event) =>
    event.tool_input.command.includes("rm")
      ? { action: "deny", reason: `no: ${event.tool_input.command}` }
      : null,
};
