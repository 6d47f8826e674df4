import { existsSync } from "node:fs";
import {
  type BackendRow,
  backends,
  type ChildSpec,
  filterFor,
  limitsLine,
  type Machine,
  prlimit,
} from "./backends.ts";
import { nodeFiles } from "./node-files.ts";
import { filterArchitecture } from "./seccomp.ts";
import { killGroup, spawnContained } from "./spawn.ts";
import {
  type BackendName,
  type ContainmentMode,
  ContainmentMissingError,
  type ContainmentReport,
  type WallName,
  defaultContainment,
  wallNames,
  type WallState,
} from "./walls.ts";

/** How to start a contained child. */
export interface Wrapper {
  /** The command line to prepend to that of Node.js; may be empty. */
  readonly line: readonly string[];
  /** The seccomp filter to write to `filterDescriptor`; `null` if there is none. */
  readonly filter: Uint8Array | null;
}

/** What this machine supports; probed once per process. */
interface Support {
  readonly backend: BackendRow | null;
  readonly machine: Machine;
  readonly hasLimits: boolean;
  /** Why a better backend is not used, by its name. */
  readonly failures: ReadonlyMap<BackendName, string>;
}

/** A child without requirements, for probing. */
const minimalSpec: ChildSpec = {
  reads: [],
  memoryBytes: 1_073_741_824,
  descriptors: 64,
  startsProcesses: false,
};
/** Timeout of a probe, in milliseconds. */
const trialTimeoutMs = 10_000;

const setpriv = backends.at(-1) as BackendRow;
let support: Promise<Support> | undefined;
let parentDeathWrapper: Promise<readonly string[]> | undefined;

/**
 * Returns how to start a child.
 *
 * @param mode default: that of the process, see `setDefaultContainment`.
 * @throws {ContainmentMissingError} if the mode is `required` and a wall is missing.
 */
export async function contain(
  spec: ChildSpec,
  mode: ContainmentMode = defaultContainment(),
): Promise<Wrapper> {
  if (mode === "none") return { line: await withParent(), filter: null };
  const supported = await (support ??= probeBackends());
  if (mode === "required") refuseMissing(wallStates(supported));
  return wrapperOf(supported, supported.backend, spec);
}

/** `contain` with a given backend, or the reason why this machine does not support it. For tests of the walls. */
export async function containWith(name: BackendName, spec: ChildSpec): Promise<Wrapper | string> {
  const backend = backends.find((row) => row.name === name) ?? null;
  if (process.platform !== "linux" || !backend) return `there is none on ${process.platform}`;
  const supported = await probeBackend(backend, new Map());
  return typeof supported === "string" ? supported : wrapperOf(supported, backend, spec);
}

/** A command line that has the kernel kill a child when its parent dies; not containment. Empty if unsupported. */
export function withParent(): Promise<readonly string[]> {
  return (parentDeathWrapper ??= probeParentDeath());
}

async function probeParentDeath(): Promise<readonly string[]> {
  if (process.platform !== "linux" || !existsSync(setpriv.program)) return [];
  const line = setpriv.line(minimalSpec, { nodeFiles: [], architecture: null });
  return (await runTrial({ line, filter: null })) === null ? line : [];
}

/**
 * Reports which walls are in force around the child processes that this process starts, and why others are not. Probes
 * the machine once per process.
 *
 * @param mode default: that of the process, which is `auto` unless the command line says otherwise.
 */
export async function describeContainment(
  mode: ContainmentMode = defaultContainment(),
): Promise<ContainmentReport> {
  if (mode === "none") {
    const walls = wallNames.map((wall) => ({ wall, inForce: false, why: "containment is `none`" }));
    return { mode, backend: "none", walls };
  }
  const supported = await (support ??= probeBackends());
  return { mode, backend: supported.backend?.name ?? "none", walls: wallStates(supported) };
}

/** @throws {ContainmentMissingError} */
function refuseMissing(walls: readonly WallState[]): void {
  const missing = walls.filter(({ inForce }) => !inForce);
  if (missing.length > 0) throw new ContainmentMissingError(missing);
}

function wallStates({ backend, machine, hasLimits, failures }: Support): readonly WallState[] {
  const whyNot =
    process.platform === "linux"
      ? [...failures].map(([name, why]) => `${name}: ${why}`).join("; ")
      : `there is none on ${process.platform}`;
  const state = (wall: WallName): WallState => {
    if (wall === "limits")
      return { wall, inForce: hasLimits, why: hasLimits ? "prlimit" : `${prlimit} is not installed` };
    if (wall === "system-calls" && machine.architecture === null)
      return { wall, inForce: false, why: `there is no filter for ${process.arch}` };
    if (backend?.walls.includes(wall)) return { wall, inForce: true, why: backend.name };
    return { wall, inForce: false, why: whyNot };
  };
  return wallNames.map(state);
}

function wrapperOf({ machine, hasLimits }: Support, backend: BackendRow | null, spec: ChildSpec): Wrapper {
  const line = [...(hasLimits ? limitsLine(spec) : []), ...(backend?.line(spec, machine) ?? [])];
  return { line, filter: backend && filterFor(backend.name, spec, machine) };
}

/** Probes the backends, best first, by starting Node.js with each. */
async function probeBackends(): Promise<Support> {
  const failures = new Map<BackendName, string>();
  const machine: Machine = { nodeFiles: [], architecture: filterArchitecture() };
  const none: Support = { backend: null, machine, hasLimits: false, failures };
  if (process.platform !== "linux") return none;
  for (const backend of backends) {
    const supported = await probeBackend(backend, failures);
    if (typeof supported !== "string") return supported;
    failures.set(backend.name, supported);
  }
  const hasLimits = existsSync(prlimit);
  return {
    ...none,
    hasLimits: hasLimits && (await runTrial({ line: limitsLine(minimalSpec), filter: null })) === null,
  };
}

/** What the machine supports with one backend, or why it does not support it. */
async function probeBackend(
  backend: BackendRow,
  failures: ReadonlyMap<BackendName, string>,
): Promise<Support | string> {
  if (!existsSync(backend.program)) return "not installed";
  const files = backend.walls.includes("files") ? await nodeFiles().catch((error: Error) => error) : [];
  if (files instanceof Error) return files.message;
  const machine = { nodeFiles: files, architecture: filterArchitecture() };
  const supported = { backend, machine, hasLimits: existsSync(prlimit), failures };
  return (await runTrial(wrapperOf(supported, backend, minimalSpec))) ?? supported;
}

/** Runs `node --version`; `null` if it works, otherwise the error. */
function runTrial({ line, filter }: Wrapper): Promise<string | null> {
  return new Promise((resolve) => {
    const [command = process.execPath, ...args] = [...line, process.execPath, "--version"];
    const child = spawnContained(command, args, filter, {
      cwd: "/",
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const timer = setTimeout(() => killGroup(child.pid), trialTimeoutMs);
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (output += part));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => {
      clearTimeout(timer);
      const works = code === 0 && output.trim() === process.version;
      resolve(works ? null : (output.trim().split("\n")[0] || `it ended with ${code}`).slice(0, 200));
    });
  });
}
