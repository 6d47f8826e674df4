import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "./errors.ts";

/** Errors of the operating system by code: what each means, and what to do. */
const reasons: ReadonlyMap<string, readonly [reason: string, fix: string]> = new Map([
  ["EACCES", ["permission denied", "Use a path that this user may use, or change its permissions."]],
  [
    "EADDRINUSE",
    ["another program listens there", "Stop it, or choose another port; port 0 picks a free one."],
  ],
  ["EADDRNOTAVAIL", ["this machine has no such address", "Use `127.0.0.1`, `0.0.0.0` or an own address."]],
  ["EAFNOSUPPORT", ["this machine does not support such addresses", "Choose an IPv4 address."]],
  ["EAGAIN", ["the system is out of processes or memory", "Raise the limit (`ulimit -u`)."]],
  ["EBUSY", ["another program is using it", "Close the other program, or choose another path."]],
  ["ECONNREFUSED", ["the connection was refused", "Start the server, or correct the address."]],
  ["EDQUOT", ["the disk quota is exhausted", "Free space, or choose a path on another disk."]],
  ["EEXIST", ["it already exists", "Choose another path; existing files are never overwritten."]],
  ["EIO", ["the device reported an error", "Check the disk."]],
  ["EISDIR", ["it is a folder, not a file", "Pass a file."]],
  ["ELOOP", ["its links lead in a circle", "Remove or correct the links."]],
  ["EMFILE", ["this process has too many open files", "Raise the limit, for example `ulimit -n 4096`."]],
  ["ENAMETOOLONG", ["the name is too long", "Choose a shorter path."]],
  ["ENFILE", ["this machine has too many open files", "Raise the limit of the system."]],
  ["ENOENT", ["it does not exist", "Check the spelling, and the folder that the path is relative to."]],
  ["ENOMEM", ["the system is out of memory", "Stop other programs, or add memory."]],
  ["ENOSPC", ["the disk is full", "Free space, or choose a path on another disk."]],
  ["ENOTDIR", ["part of the path is a file, not a folder", "Correct the path."]],
  ["ENOTEMPTY", ["the folder is not empty", "Choose an empty folder."]],
  ["ENOTFOUND", ["the host name does not resolve", "Correct the name, or use an IP address."]],
  ["ENXIO", ["there is no such device", "Pass a regular file."]],
  ["EPERM", ["the operation is not permitted", "Check the owner, and how this process is contained."]],
  ["EROFS", ["the file system is read-only", "Choose a path on a writable file system."]],
  ["ETIMEDOUT", ["the connection timed out", "Check the address and the network."]],
  ["EXDEV", ["the path leads to another file system", "Choose a path on the same one."]],
]);

/** Why the operating system refused something, with the remedy; `fix` is `undefined` for an unknown code. */
export function systemReason(error: unknown): { readonly reason: string; readonly fix: string | undefined } {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const [reason, fix] = reasons.get(String(code)) ?? [];
  if (reason === undefined) return { reason: typeof code === "string" ? code : String(error), fix };
  return { reason: `${reason} (${String(code)})`, fix };
}

/** A file or folder that cannot be used, as an error for people: `access` says for what. */
export function fileError(path: string, error: unknown, access: "read" | "write" = "read"): HookwardenError {
  const { reason, fix } = systemReason(error);
  const [code, verb] =
    access === "read" ? (["file-unreadable", "read"] as const) : (["file-unwritable", "written"] as const);
  const message = `${quote(path)} cannot be ${verb}: ${reason}`;
  return new HookwardenError(code, message, { file: path }, { cause: error, fix });
}

/** An address that could not be listened at, as an error for people. */
export function listenError(error: unknown, host: string, port: number): HookwardenError {
  const { reason, fix } =
    (error as NodeJS.ErrnoException).code === "EACCES"
      ? { reason: "this user may not listen there (EACCES)", fix: "Choose a port from 1024 on." }
      : systemReason(error);
  const address = quote(`${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`);
  const message = `cannot listen at ${address}: ${reason}`;
  return new HookwardenError("listen-failed", message, {}, { cause: error, fix });
}
