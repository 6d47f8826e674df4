import { errorTable, HookwardenError } from "../errors/index.ts";
import { excerpt, safeJson, visible } from "./sanitize-text.ts";
import type { Terminal } from "./terminal.ts";

/** Longest message of a failure of our own, which may hold another program's whole output. */
const maxTextLength = 300;

/**
 * Tells an error on standard error: one sentence with code, place and remedy, or one JSON object. A stack trace appears
 * only for failures of our own, and only where `HOOKWARDEN_DEBUG` is set.
 *
 * @returns the exit status of the error.
 */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  const error = thrown instanceof HookwardenError ? thrown : asInternal(thrown);
  terminal.note(json ? safeJson({ error: error.toJSON() }) : errorLine(terminal, error));
  if (error.code === "internal" && process.env["HOOKWARDEN_DEBUG"] && thrown instanceof Error) {
    terminal.note(thrown.stack ?? "");
  }
  return errorTable[error.code].exit;
}

function errorLine(terminal: Terminal, error: HookwardenError): string {
  const line = visible(error.toLine());
  return terminal.styleError("red", error.code) + line.slice(error.code.length);
}

function asInternal(thrown: unknown): HookwardenError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HookwardenError(
    "internal",
    excerpt(message, maxTextLength).replace(/\.$/, ""),
    {},
    { cause: thrown },
  );
}
