import { availableParallelism } from "node:os";
import { type ContainmentMode, containmentModes } from "../containment/walls.ts";
import type { EngineName, RealmKind } from "../contract.ts";

export interface ProcessSandboxOptions {
  readonly engine: EngineName;
  /** Most child processes that work at the same time. Default: one less than there are cores, 1 to 4. */
  readonly processes?: number;
  /**
   * Children that stand ready to take over. They come on top of `processes`; where one child is killed after another,
   * up to two more stand by for a while. Default 1.
   */
  readonly spares?: number;
  /**
   * `one`: a child serves one tenant in its life, and is replaced for another one. `shared`: it serves all, one after
   * another, and the engine keeps them apart. Default: `shared` for quickjs; isolate is always `one`.
   */
  readonly tenantsPerProcess?: "shared" | "one";
  /** `false` lets the engine keep contexts where a call has a `keep` key. Default `true`. */
  readonly pristine?: boolean;
  /**
   * What pristine calls run in; isolate only. `frozen`: a context whose built-in objects are frozen, in which the module
   * is evaluated anew for each call. `fresh`: a new context for each call, about a hundred times slower, for programs
   * that change built-in objects. Default `frozen`.
   */
  readonly realm?: RealmKind;
  /** Memory of a child beyond what it had before a call and what the call may take, in bytes. Default 64 MiB. */
  readonly rssMarginBytes?: number;
  /** A child above this is replaced when it has answered, in bytes. Default 1.25 GiB. */
  readonly rssRetireBytes?: number;
  /** Heap of V8 in a child, in MiB. Default 512. */
  readonly heapMb?: number;
  /** Most calls that wait or run at the same time; more are answered with `overloaded`. Default 1024. */
  readonly queueLimit?: number;
  /** Most bytes of arguments that wait or run at the same time. Default 64 MiB. */
  readonly queueBytes?: number;
  /** How long a call may wait for a child, in milliseconds; then it is answered with `overloaded`. Default 5000. */
  readonly queueMs?: number;
  /** Most calls that are sent to one child before it has answered the first of them. Default 32. */
  readonly pipeline?: number;
  /**
   * `true`: calls are written when all that is ready to be read has been read, and where many are under way their answers
   * are read once a millisecond, so that calls of different clients travel together. Much less work under load, and up
   * to two milliseconds more for a call then. Default `false`.
   */
  readonly gather?: boolean;
  /**
   * How long this process and its children look for what they wait for before they go to sleep, in microseconds: to be
   * woken takes longer than most calls. It makes calls that are made one after another much faster, for as much processor
   * time at the most. Default 100; 0 with `gather`, which is for throughput, on a single core and on Windows.
   */
  readonly spinUs?: number;
  /** What a call gets beyond `limits.wallMs` before its child is killed, in milliseconds. Default 50. */
  readonly graceMs?: number;
  /** How long a child may take to start, in milliseconds. Default 10000. */
  readonly startMs?: number;
  /**
   * Walls of the operating system around the children; see docs/containment.md. `auto`: those that the machine can have.
   * `required`: all of them, or the creation rejects with `ContainmentMissingError`. `none`: none of them. Default: that of
   * the process, which is `auto`.
   */
  readonly containment?: ContainmentMode;
  /**
   * Command that a child is started with: its contained command line is put after it. It must pass standard input and
   * output on, and end when it is killed, with all that it has started. With `containment: "none"` only the command line
   * of Node.js is put after it, as a container's entry needs it. Default: none; with `gather`, `chrt --batch 0`, which
   * replaces itself.
   */
  readonly launcher?: readonly string[];
  /** Path of a script that stands in for the child's program. For tests of the parent. */
  readonly childModule?: string;
  /** Path of a module that stands in for the engine in the child. For tests of the child. */
  readonly engineModule?: string;
}

/** Options with every default filled in. */
export type Settings = Required<Omit<ProcessSandboxOptions, Optional>> &
  Pick<ProcessSandboxOptions, Optional>;
type Optional = "containment" | "launcher" | "childModule" | "engineModule";

const MiB = 1_048_576;
const spinUsByDefault = 250;

/** Fills in the defaults. Throws `RangeError` for a number that makes no sense. */
export function settingsOf(options: ProcessSandboxOptions): Settings {
  const { engine } = options;
  const settings: Settings = {
    processes: Math.max(1, Math.min(4, availableParallelism() - 1)),
    spares: 1,
    pristine: true,
    realm: "frozen",
    rssMarginBytes: 64 * MiB,
    rssRetireBytes: 1_280 * MiB,
    heapMb: 512,
    queueLimit: 1_024,
    queueBytes: 64 * MiB,
    queueMs: 5_000,
    pipeline: 32,
    gather: false,
    spinUs:
      options.gather || availableParallelism() === 1 || process.platform === "win32" ? 0 : spinUsByDefault,
    graceMs: 50,
    startMs: 10_000,
    ...options,
    // An isolate shares its process with its neighbours' memory: one tenant each, whatever is asked for.
    tenantsPerProcess: engine === "isolate" ? "one" : (options.tenantsPerProcess ?? "shared"),
  };
  const minimum = {
    processes: 1,
    spares: 0,
    rssMarginBytes: MiB,
    rssRetireBytes: MiB,
    heapMb: 32,
    queueLimit: 1,
    queueBytes: 1,
    queueMs: 1,
    pipeline: 1,
    spinUs: 0,
    graceMs: 0,
    startMs: 1,
  };
  const { containment } = settings;
  if (containment !== undefined && !containmentModes.includes(containment)) {
    throw new RangeError(
      `\`containment\` must be ${containmentModes.map((mode) => `\`${mode}\``).join(", ")}`,
    );
  }
  if (settings.realm !== "frozen" && settings.realm !== "fresh")
    throw new RangeError("`realm` must be `frozen` or `fresh`");
  for (const [name, least] of Object.entries(minimum) as [keyof typeof minimum, number][]) {
    if (!Number.isSafeInteger(settings[name]) || settings[name] < least) {
      throw new RangeError(`\`${name}\` must be a whole number of at least ${least}`);
    }
  }
  return settings;
}
