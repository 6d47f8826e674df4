import { errorTable, fileError, HookwardenError, listenError, systemReason } from "../errors/index.ts";
import { excerpt, safeJson, visible } from "./sanitize-text.ts";
import type { Terminal } from "./terminal.ts";

/** Longest message of a failure of our own, which may hold another program's whole output. */
const maxTextLength = 300;

/**
 * Reports an error on standard error: a line with code, place and remedy for it and for each that was found with it, or
 * one JSON object. A stack trace appears only for an internal failure, and only if `HOOKWARDEN_DEBUG` is set.
 *
 * @returns the exit status of the error.
 */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  const error = thrown instanceof HookwardenError ? thrown : asInternal(thrown);
  if (json) terminal.note(safeJson({ error: error.toJSON() }));
  else for (const one of [error, ...error.also]) terminal.note(errorLine(terminal, one));
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
  const system = unexpectedSystemError(thrown);
  if (system) return system;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HookwardenError(
    "internal",
    excerpt(message, maxTextLength).replace(/\.$/, ""),
    {},
    { cause: thrown },
  );
}

/** Calls of the system that change something. */
const writing =
  /^(open|write|mkdir|rename|unlink|rmdir|rm|ftruncate|fsync|copyfile|link|symlink|chmod|utime)/;

/** An error of the operating system that no other code has dealt with; `null` for any other error. */
function unexpectedSystemError(error: unknown): HookwardenError | null {
  const { code, syscall, path, address, port } = (error ?? {}) as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (!(error instanceof Error) || code === undefined || syscall === undefined) return null;
  if (syscall === "listen" || syscall === "bind")
    return listenError(error, address ?? "localhost", port ?? 0);
  if (path !== undefined && !syscall.startsWith("spawn"))
    return fileError(path, error, writing.test(syscall) ? "write" : "read");
  const { reason, fix = "" } = systemReason(error);
  return new HookwardenError("system-failed", `\`${syscall}\` failed: ${reason}`, {}, { cause: error, fix });
}
