import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "./errors.ts";

/** Why the system does not let a process listen, and what to do, by the code of its error. */
const reasons: ReadonlyMap<string | undefined, string> = new Map([
  ["EADDRINUSE", "another program listens there already; end it, or choose another port"],
  ["EACCES", "this user may not listen there; choose a port from 1024 on"],
  ["EPERM", "this process may not open sockets; look at how it is contained"],
  ["EADDRNOTAVAIL", "no interface of this machine has that address; choose one that it has"],
  ["EAFNOSUPPORT", "this machine has no such kind of address; choose an IPv4 address"],
  ["EMFILE", "too many files are open; raise the limit of the process (`ulimit -n`)"],
  ["ENFILE", "too many files are open on this machine"],
  ["ENOTFOUND", "there is no such name; choose an IP address"],
]);

/** An address that could not be listened at, as an error for people. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): HookwardenError {
  const { code = "unknown error" } = error;
  const reason = reasons.get(code);
  const address = quote(`${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`);
  const message = `${address} cannot be listened at (${code})${reason === undefined ? "" : `: ${reason}`}`;
  return new HookwardenError("listen-failed", message, {}, { cause: error });
}
