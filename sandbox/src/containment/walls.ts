/** One wall between a child process whose engine is broken and the rest of the machine. */
export interface WallRow {
  /** What native code in the child can no longer do. */
  readonly stops: string;
  /** What it leaves possible; may be empty. */
  readonly leaves: string;
  /** What puts it up where it is missing. */
  readonly install: string;
}

const bubblewrap =
  "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`) and allow user namespaces";

/** Every wall of containment: the one place that reports, errors, documentation and tests are made from. */
export const wallTable = {
  files: {
    stops:
      "reading or writing any file but the child's own code: the root is read-only and holds nothing else",
    leaves: "the child's own code, the binary of Node.js and its shared libraries can be read",
    install: bubblewrap,
  },
  network: {
    stops:
      "reaching any network or socket of the machine: the network namespace is the child's own and empty",
    leaves: "",
    install: `${bubblewrap}, or util-linux 2.36 or newer`,
  },
  processes: {
    stops:
      "seeing or signalling any other process: the PID namespace is the child's own, and there is no /proc",
    leaves: "",
    install: bubblewrap,
  },
  privileges: {
    stops: "gaining rights: no capabilities, no setuid programs, a user namespace of its own",
    leaves: "",
    install: `${bubblewrap}, or util-linux 2.36 or newer`,
  },
  "system-calls": {
    stops:
      "all but about 90 system calls: no sockets, no new processes, no ptrace, mount, bpf, keyctl, io_uring or namespaces",
    leaves:
      "a child may replace itself with the one program that it can see, Node.js, behind the same walls; the bundler may start processes, because esbuild is one",
    install: `${bubblewrap}; filters exist for x86-64 and arm64`,
  },
  limits: {
    stops: "taking more memory than the limit, writing files, opening many files, dumping core (`prlimit`)",
    leaves: "what the child holds below its limit",
    install: "install util-linux (`prlimit`)",
  },
} as const satisfies Record<string, WallRow>;

export type WallName = keyof typeof wallTable;
export const wallNames = Object.keys(wallTable) as readonly WallName[];

/** `required`: every wall, or an error. `auto`: the walls that the machine can have. `none`: none of them. */
export type ContainmentMode = "auto" | "required" | "none";
export const containmentModes = ["auto", "required", "none"] as const satisfies readonly ContainmentMode[];

let defaultMode: ContainmentMode = "auto";

/** The default mode. */
export function defaultContainment(): ContainmentMode {
  return defaultMode;
}

/** Sets the default mode for this process's children, as `--containment` does. Initially `auto`. */
export function setDefaultContainment(mode: ContainmentMode): void {
  defaultMode = mode;
}

/** One wall, and whether it is in force. */
export interface WallState {
  readonly wall: WallName;
  readonly inForce: boolean;
  /** What enforces it, or why it is missing. */
  readonly why: string;
}

/** What is in force around the child processes of this process. */
export interface ContainmentReport {
  readonly mode: ContainmentMode;
  /** The program that puts the walls up; `none` where no program does. */
  readonly backend: BackendName;
  readonly walls: readonly WallState[];
}

export type BackendName = "bubblewrap" | "unshare" | "setpriv" | "none";

/** A wall is missing that `containment: "required"` asks for. */
export class ContainmentMissingError extends Error {
  override readonly name = "ContainmentMissingError";
  readonly missing: readonly WallState[];

  constructor(missing: readonly WallState[]) {
    const walls = missing.map(({ wall, why }) => `\`${wall}\` (${why})`).join(", ");
    const installs = [...new Set(missing.map(({ wall }) => wallTable[wall].install))].join("; ");
    super(`containment is required, and these walls are missing: ${walls}; to put them up, ${installs}`);
    this.missing = missing;
  }
}
