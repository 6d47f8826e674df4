import { and, assemble, ifAtLeast, ifEqual, type Instruction, load, ret, unlessEqual } from "./bpf.ts";
import { childSyscalls, type Condition, startingSyscalls, type SyscallRow } from "./syscalls.ts";

/** `AUDIT_ARCH_*` of the kernel: a number means something for one architecture only. */
const architectures = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
export type FilterArchitecture = keyof typeof architectures;

/** Offsets in `struct seccomp_data`. */
const offsets = { number: 0, architecture: 4, arguments: 16 } as const;
/** Numbers from here on are the x32 interface of x86-64, which reaches the same calls under other numbers. */
const x32 = 0x4000_0000;
const ENOSYS = 38;
const actions = { allow: 0x7fff_0000, refuse: 0x0005_0000 | ENOSYS, kill: 0x8000_0000 } as const;

/** The architecture that a filter can be made for, or `null`. */
export function filterArchitecture(name: string = process.arch): FilterArchitecture | null {
  return Object.hasOwn(architectures, name) ? (name as FilterArchitecture) : null;
}

/** The system calls that a child may make, by name. */
export function allowedSyscalls(startsProcesses: boolean): { readonly [name: string]: SyscallRow } {
  return startsProcesses ? { ...childSyscalls, ...startingSyscalls } : childSyscalls;
}

/**
 * A filter for system calls in the format of `bwrap --seccomp`.
 *
 * @param startsProcesses whether the child may start processes (in the same namespaces, under the same filter).
 */
export function seccompFilter(architecture: FilterArchitecture, startsProcesses: boolean): Uint8Array {
  const rows = Object.values(allowedSyscalls(startsProcesses));
  return assemble([
    load(offsets.architecture),
    ...unlessEqual(architectures[architecture], [ret(actions.kill)]),
    load(offsets.number),
    ...(architecture === "x64" ? ifAtLeast(x32, [ret(actions.kill)]) : []),
    ...rows.flatMap((row) => {
      const number = row[architecture];
      return number === null ? [] : ifEqual(number, verdict(row.when));
    }),
    ret(actions.refuse),
  ]);
}

function verdict(when: Condition | undefined): readonly Instruction[] {
  if (when === undefined) return [ret(actions.allow)];
  const low = offsets.arguments + 8 * when.argument;
  if ("zero" in when) {
    const highToo = [load(low + 4), ...ifEqual(0, [ret(actions.allow)])];
    return [load(low), ...ifEqual(0, highToo), ret(actions.refuse)];
  }
  if ("mask" in when) {
    return [load(low), and(when.mask), ...ifEqual(when.equals, [ret(actions.allow)]), ret(actions.refuse)];
  }
  const any = when.oneOf.flatMap((value) => ifEqual(value, [ret(actions.allow)]));
  return [load(low), ...any, ret(actions.refuse)];
}
