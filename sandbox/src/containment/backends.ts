import { readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { seccompFilter, type FilterArchitecture } from "./seccomp.ts";
import { filterDescriptor } from "./spawn.ts";
import type { BackendName, WallName } from "./walls.ts";

/** A child's requirements and limits. */
export interface ChildSpec {
  /** Files and folders that it may read. */
  readonly reads: readonly string[];
  /** Intended maximum of memory, in bytes. The kernel's limit is higher; see `dataBytes`. */
  readonly memoryBytes: number;
  /** Most descriptors. */
  readonly descriptors: number;
  /** Whether it may start processes, behind the same walls. */
  readonly startsProcesses: boolean;
}

/** Properties of the machine that command lines depend on. */
export interface Machine {
  readonly nodeFiles: readonly string[];
  readonly architecture: FilterArchitecture | null;
}

export interface BackendRow {
  readonly name: BackendName;
  readonly program: string;
  readonly walls: readonly WallName[];
  /** The command line to prepend to that of Node.js. */
  readonly line: (spec: ChildSpec, machine: Machine) => readonly string[];
}

/** Part of util-linux; that of Busybox does not know `--pdeathsig`. The kernel kills the child when its parent dies. */
const setpriv = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--no-new-privs"];

const unshare = "/usr/bin/unshare --user --map-root-user --net --ipc --uts --".split(" ");
/** Root of a namespace otherwise has all capabilities in it. */
const withoutCapabilities = "--inh-caps=-all --bounding-set=-all --".split(" ");
const bubblewrap = [
  "/usr/bin/bwrap --unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try",
  "--uid 65534 --gid 65534 --cap-drop ALL --die-with-parent",
  // The loader's cache of library paths; contains no secrets.
  "--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache",
].flatMap((options) => options.split(" "));

/** Programs that contain a child, best first. Paths are fixed: `PATH` is not consulted. */
export const backends: readonly BackendRow[] = [
  {
    name: "bubblewrap",
    program: "/usr/bin/bwrap",
    walls: ["files", "network", "processes", "privileges", "system-calls"],
    line: bubblewrapLine,
  },
  {
    name: "unshare",
    program: "/usr/bin/unshare",
    walls: ["network", "privileges"],
    line: () => [...unshare, ...setpriv, ...withoutCapabilities],
  },
  { name: "setpriv", program: setpriv[0] as string, walls: [], line: () => [...setpriv, "--"] },
];

function bubblewrapLine(spec: ChildSpec, { nodeFiles, architecture }: Machine): readonly string[] {
  const libraries = new Set(nodeFiles);
  return [
    ...bubblewrap,
    ...outermost([...nodeFiles, ...spec.reads]).flatMap((path) =>
      libraries.has(path) ? boundFile(path) : readable(path),
    ),
    ...(spec.startsProcesses ? ["--dev-bind", "/dev/null", "/dev/null"] : []),
    ...(architecture === null ? [] : ["--seccomp", String(filterDescriptor)]),
    "--remount-ro",
    "/",
    "--chdir",
    "/",
    "--",
  ];
}

/** The paths without those that another one contains: its mount has them already, and a link cannot be made twice. */
function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths.map(withoutSlash))].sort();
  const folders = new Set(sorted.filter((path) => linkTarget(path) === null));
  return sorted.filter((path) => !ancestorsOf(path).some((folder) => folders.has(folder)));
}

function ancestorsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}

/** A library that is a link is mounted as the file that it leads to: its target may be a link as well, in any folder. */
function boundFile(path: string): readonly string[] {
  return ["--ro-bind-try", path, path];
}

/** Links are recreated as links, because Node.js resolves real paths. */
function readable(path: string): readonly string[] {
  const target = linkTarget(path);
  return target === null ? boundFile(path) : ["--symlink", target, path];
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, "");
}

/** What Node.js reserves as writable without ever touching it: room for code, stacks of threads. */
const reservedBytes = 1_073_741_824;

/** The kernel's limit of writable private memory (`RLIMIT_DATA`), which counts what is reserved and not only what is used. */
export function dataBytes({ memoryBytes }: ChildSpec): number {
  return 2 * memoryBytes + reservedBytes;
}

export const prlimit = "/usr/bin/prlimit";

/**
 * Resource limits of a child, which last through every `exec`. Not `RLIMIT_AS`: WebAssembly and Go reserve address space
 * by the gigabyte that they never use. Not `RLIMIT_NPROC`: it counts all processes of the user.
 */
export function limitsLine(spec: ChildSpec): readonly string[] {
  return [
    prlimit,
    `--data=${dataBytes(spec)}`,
    "--fsize=0",
    "--core=0",
    `--nofile=${spec.descriptors}`,
    "--memlock=0",
    "--msgqueue=0",
    "--",
  ];
}

/** The filter for a child; `null` if the backend does not use one. */
export function filterFor(name: BackendName, spec: ChildSpec, { architecture }: Machine): Uint8Array | null {
  if (name !== "bubblewrap" || architecture === null) return null;
  return seccompFilter(architecture, spec.startsProcesses);
}
