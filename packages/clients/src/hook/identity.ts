import { realpathSync, statSync } from "node:fs";
import { hookArguments, type HookOptions } from "./hook-options.ts";

/** Grows with every change of what client and daemon say to each other. */
const protocol = 1;

/**
 * Everything that makes one daemon another: what it says, the program and the Node that it runs, the user, the pack and
 * the options. A client that differs in any of it does not speak with that daemon. That the pack's files are those of
 * now is the daemon's to see, before each event.
 *
 * @param program path of the daemon's program.
 * @throws where the pack or the program is not there.
 */
export function identityOf(options: HookOptions, program: string): string {
  const { ino, size, mtimeMs } = statSync(program);
  const pack = realpathSync(options.pack);
  return JSON.stringify({
    protocol,
    program: [program, ino, size, mtimeMs],
    node: [process.execPath, process.version],
    uid: process.getuid?.() ?? null,
    state: options.state === null ? [process.env["XDG_STATE_HOME"] ?? "", process.env["HOME"] ?? ""] : null,
    options: hookArguments({ ...options, pack }),
  });
}
