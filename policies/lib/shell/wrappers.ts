/** A program that runs another program given in its arguments. */
interface Wrapper {
  /** Letters of short options that take a value. */
  readonly short?: string;
  /** Long options that take a value as the next argument. */
  readonly long?: readonly string[];
  /** How many arguments stand before the program. */
  readonly skip?: number;
  /** `NAME=value` may stand before the program. */
  readonly assignments?: true;
}

const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "sudo",
    { short: "ugpChrtTUDR", long: ["--user", "--group", "--chdir", "--host", "--prompt"], assignments: true },
  ],
  ["doas", { short: "uC" }],
  ["env", { short: "uC", long: ["--unset", "--chdir"], assignments: true }],
  ["command", {}],
  ["builtin", {}],
  ["exec", { short: "a" }],
  ["nohup", {}],
  ["setsid", {}],
  ["nice", { short: "n", long: ["--adjustment"] }],
  ["ionice", { short: "cnp", long: ["--class", "--classdata"] }],
  ["time", { short: "fo" }],
  ["timeout", { short: "ks", long: ["--kill-after", "--signal"], skip: 1 }],
  ["stdbuf", { short: "ioe" }],
  ["chroot", { skip: 1 }],
  ["strace", { short: "eopPsu" }],
  ["pkexec", { long: ["--user"] }],
  ["gosu", { skip: 1 }],
  ["taskset", { skip: 1 }],
  ["chrt", { skip: 1 }],
  ["systemd-run", { short: "pu", long: ["--unit", "--property", "--uid", "--gid", "--setenv"] }],
  ["screen", { short: "ScTst" }],
  ["unbuffer", {}],
  ["fakeroot", {}],
  ["busybox", {}],
  ["toybox", {}],
  ["caffeinate", { short: "tw" }],
  ["watch", { short: "n", long: ["--interval"] }],
  ["xargs", { short: "ILndEsaP", long: ["--max-args", "--max-procs", "--delimiter", "--arg-file"] }],
  ["parallel", { short: "jIN" }],
  ["unshare", {}],
  ["nsenter", { short: "t" }],
]);

/** What is left of a command when wrappers are taken off. */
export interface Unwrapped {
  readonly words: readonly string[];
  readonly through: readonly string[];
  /** Options of the last wrapper that matter: the placeholder of `xargs -I`. */
  readonly placeholder: string | undefined;
}

/** File name of a program, in lower case and without `.exe`: some file systems ignore case. */
export function programName(program: string): string {
  return program
    .slice(program.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*=/;
const mostWrappers = 16;

/** Takes wrappers off a command, such as `sudo -u root nice -n 5`. */
export function unwrap(words: readonly string[]): Unwrapped {
  let rest = words;
  let placeholder: string | undefined;
  const through: string[] = [];
  while (through.length < mostWrappers) {
    const name = programName(rest[0] ?? "");
    const wrapper = wrappers.get(name);
    if (wrapper === undefined) break;
    // `command -v rm` starts nothing: it prints where `rm` is.
    if (name === "command" && /^-[vV]$/.test(rest[1] ?? "")) break;
    let at = 1;
    let option = rest[at];
    while (option !== undefined && option.startsWith("-") && option !== "-") {
      at++;
      if (option === "--") break;
      // `env -S` takes a command line; what reads command lines looks at it again.
      if (name === "env" && (option.startsWith("-S") || option.startsWith("--split-string"))) {
        const glued = option.startsWith("--") ? option.slice("--split-string=".length) : option.slice(2);
        rest = ["eval", ...(glued === "" ? [] : [glued]), ...rest.slice(at)];
        return { words: rest, through: [...through, name], placeholder };
      }
      const value = takesValue(option, wrapper) ? rest[at++] : undefined;
      if (name === "xargs") placeholder = placeholderOf(option, value) ?? placeholder;
      option = rest[at];
    }
    while (wrapper.assignments && assignment.test(rest[at] ?? "")) at++;
    rest = rest.slice(at + (wrapper.skip ?? 0));
    through.push(name);
    if (name === "watch" || name === "parallel") return { words: ["eval", ...rest], through, placeholder };
  }
  return { words: rest, through, placeholder };
}

/** What `xargs` replaces by what it reads: `-I R`, `-IR`, `-i`, `-iR`, `--replace`, `--replace=R`. */
function placeholderOf(option: string, value: string | undefined): string | undefined {
  const glued = /^(?:-[Ii]|--replace=?)(.*)$/s.exec(option)?.[1];
  return glued === undefined ? undefined : glued || value || "{}";
}

function takesValue(option: string, wrapper: Wrapper): boolean {
  if (option.startsWith("--")) return wrapper.long?.includes(option) ?? false;
  // `-u root` takes the next word, `-uroot` brings it along, `-nu root` takes it too.
  return (wrapper.short ?? "").includes(option.at(-1) ?? "") && !/^-[A-Za-z][^A-Za-z]/.test(option);
}
