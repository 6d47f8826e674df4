import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import type { Duplex } from "node:stream";

/** Descriptor on which bubblewrap reads the filter for system calls. */
export const filterDescriptor = 3;

const hasGroups = process.platform !== "win32";

/**
 * As `spawn`, in a process group of its own, which `killGroup` ends. Hands the filter for system calls to the program that
 * applies it; `null`: there is none.
 */
export function spawnContained(
  command: string,
  args: readonly string[],
  filter: Uint8Array | null,
  spawnOptions: SpawnOptions & { readonly stdio: readonly unknown[] },
): ChildProcess {
  const options = { ...spawnOptions, detached: hasGroups };
  if (filter === null) return spawn(command, args, options);
  const stdio = [...options.stdio] as unknown[];
  stdio[filterDescriptor] = "pipe";
  const child = spawn(command, args, { ...options, stdio: stdio as NonNullable<SpawnOptions["stdio"]> });
  const pipe = child.stdio[filterDescriptor] as (Duplex & Partial<NodeJS.RefCounted>) | null | undefined;
  // EPIPE: the child may exit before it reads; its exit status is the better error.
  pipe?.on("error", () => {});
  pipe?.unref?.();
  pipe?.end(filter, () => pipe.destroy());
  return child;
}

/**
 * Kills a child of `spawnContained` with its descendants; `false` if it has ended. The child alone would not do: while
 * bubblewrap starts, its second process waits for the first one, and would wait forever.
 */
export function killGroup(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(hasGroups ? -pid : pid, "SIGKILL");
  } catch {
    return false;
  }
}
