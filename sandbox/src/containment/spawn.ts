import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import type { Duplex } from "node:stream";

/** Descriptor on which bubblewrap reads the filter for system calls. */
export const filterDescriptor = 3;

/** As `spawn`, and hands the filter for system calls to the program that applies it. `null`: there is none. */
export function spawnWithFilter(
  command: string,
  args: readonly string[],
  filter: Uint8Array | null,
  options: SpawnOptions & { readonly stdio: readonly unknown[] },
): ChildProcess {
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
