import { programName } from "./invocation.ts";
import { isUnknown } from "./text.ts";

/** A program that starts another one, given in its arguments. */
interface Wrapper {
  /** Letters of short options that take a value. */
  readonly short?: string;
  /** Long options that take a value as the next argument. */
  readonly long?: readonly string[];
  /** How many operands stand before the program. */
  readonly skip?: number;
  /** `NAME=value` may stand before the program. */
  readonly assignments?: true;
  /** Options that set the working directory. */
  readonly directory?: readonly string[];
  /** The words are joined, and a shell reads them. */
  readonly code?: true;
  /** Operands that name what it does; without one of them first, nothing is started. */
  readonly verbs?: readonly string[];
}

const containerOptions = [
  "--env",
  "--volume",
  "--user",
  "--workdir",
  "--name",
  "--network",
  "--mount",
  "--publish",
  "--entrypoint",
  "--env-file",
  "--label",
  "--platform",
  "--container",
  "--namespace",
  "--context",
];

const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "sudo",
    {
      short: "ugpChrtTUDR",
      long: ["--user", "--group", "--chdir", "--host", "--prompt", "--chroot", "--role", "--type"],
      assignments: true,
      directory: ["-D", "--chdir"],
    },
  ],
  ["doas", { short: "uC" }],
  [
    "env",
    {
      short: "uC",
      long: ["--unset", "--chdir"],
      assignments: true,
      directory: ["-C", "--chdir"],
    },
  ],
  ["command", {}],
  ["builtin", {}],
  ["exec", { short: "a" }],
  ["nohup", {}],
  ["setsid", {}],
  ["logsave", { short: "a", skip: 1 }],
  ["systemd-socket-activate", { short: "lE", long: ["--listen", "--setenv", "--fdname"] }],
  ["nice", { short: "n", long: ["--adjustment"] }],
  ["ionice", { short: "cnp", long: ["--class", "--classdata"] }],
  ["time", { short: "fo", long: ["--format", "--output"] }],
  ["timeout", { short: "ks", long: ["--kill-after", "--signal"], skip: 1 }],
  ["stdbuf", { short: "ioe", long: ["--input", "--output", "--error"] }],
  ["chroot", { skip: 1 }],
  ["strace", { short: "eopPsuaEISXO" }],
  ["ltrace", { short: "eopsun" }],
  ["pkexec", { long: ["--user"] }],
  ["gosu", { skip: 1 }],
  ["su-exec", { skip: 1 }],
  ["taskset", { skip: 1 }],
  ["chrt", { skip: 1 }],
  ["flock", { short: "wE", long: ["--timeout", "--wait", "--conflict-exit-code"], skip: 1 }],
  ["systemd-run", { short: "pu", long: ["--unit", "--property", "--uid", "--gid", "--setenv"] }],
  ["screen", { short: "ScTst" }],
  ["unbuffer", {}],
  ["fakeroot", {}],
  ["busybox", {}],
  ["toybox", {}],
  ["caffeinate", { short: "tw" }],
  ["watch", { short: "n", long: ["--interval"], code: true }],
  [
    "xargs",
    {
      short: "ILndEsaP",
      long: ["--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines", "--max-chars"],
    },
  ],
  ["parallel", { short: "jIN", code: true }],
  ...[
    "openvt prlimit numactl setarch linux32 linux64 i386 x86_64 torsocks torify proxychains proxychains4 dbus-run-session valgrind multitime grc chronic setlock eatmydata faketime catchsegv setpriv dbus-launch ts ifne entr xvfb-run winpty arch rlwrap aa-exec proot choom firejail bwrap doppler rr sem",
  ]
    .join(" ")
    .split(" ")
    .map((name): [string, Wrapper] => [name, { short: "nfpsl" }]),
  ["cpulimit", { short: "lp" }],
  ["softlimit", { short: "acdfHhlmoprst" }],
  ["sshpass", { short: "pfdP" }],
  ["capsh", {}],
  ["start-stop-daemon", { short: "panuxkR", long: ["--pidfile", "--name", "--user", "--chdir"] }],
  ["perf", { short: "eopF", verbs: ["stat", "record", "trace"] }],
  ["rustup", { skip: 1, verbs: ["run"] }],
  ["direnv", { skip: 1, verbs: ["exec"] }],
  ...[
    "poetry",
    "uv",
    "pipenv",
    "hatch",
    "rye",
    "pdm",
    "conda",
    "mamba",
    "micromamba",
    "op",
    "dotenvx",
    "mise",
    "rtx",
  ].map((name): [string, Wrapper] => [
    name,
    {
      short: "np",
      long: ["--with", "--python", "--env-file", "--name", "--project", "--directory"],
      verbs: ["run", "exec", "x"],
    },
  ]),
  ...["bundle", "asdf", "rbenv", "pyenv", "nodenv", "volta"].map((name): [string, Wrapper] => [
    name,
    { verbs: ["exec"] },
  ]),
  ...["ld.so", "ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1"].map(
    (name): [string, Wrapper] => [name, { long: ["--library-path", "--preload", "--argv0", "--audit"] }],
  ),
  ["bun", { verbs: ["exec"], code: true }],
  ["aws-vault", { skip: 1, verbs: ["exec"] }],
  ["lxc", { skip: 1, verbs: ["exec"] }],
  ["unshare", {}],
  ["nsenter", { short: "t", long: ["--target"] }],
  ["docker", { short: "evuwp", long: containerOptions, skip: 1, verbs: ["exec", "run"] }],
  ["podman", { short: "evuwp", long: containerOptions, skip: 1, verbs: ["exec", "run"] }],
  ["kubectl", { short: "cn", long: containerOptions, skip: 1, verbs: ["exec"] }],
]);

/** A program inside a wrapper. */
export interface Wrapped {
  readonly words: readonly string[];
  /** Whether the words are joined, and a shell reads them. */
  readonly code: boolean;
  /** Working directory that the wrapper sets. */
  readonly directory: string | undefined;
  readonly variables: readonly (readonly [string, string])[];
  /** The wrapper's own options, each with its value. */
  readonly options: readonly (readonly [string, string | undefined])[];
  /** Whether the options are known, so that the words are sure to be the program. */
  readonly sure: boolean;
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/;

/** Whether a program starts the one in its arguments, on this machine, and uses nothing else of them. */
export function isPlainWrapper(name: string): boolean {
  const wrapper = wrappers.get(name);
  return wrapper !== undefined && wrapper.verbs === undefined && wrapper.code !== true;
}

/** The program that a wrapper starts; `null` for a program that is no wrapper, or starts nothing here. */
export function unwrap(words: readonly string[]): Wrapped | null {
  const name = programName(words[0] ?? "");
  const wrapper = wrappers.get(name);
  if (wrapper === undefined) return null;
  // `command -v rm` starts nothing: it prints where `rm` is.
  if (name === "command" && words.some((word, at) => at > 0 && /^-[pvV]*[vV]$/.test(word))) return null;
  const reading = readOptions(name, wrapper, words);
  if (reading === null) return null;
  let { at, sure } = reading;
  const variables: [string, string][] = [];
  while (wrapper.assignments) {
    const [, key, value] = assignment.exec(words[at] ?? "") ?? [];
    if (key === undefined || value === undefined) break;
    variables.push([key, value]);
    at++;
  }
  for (let skipped = 0; skipped < (wrapper.skip ?? 0); skipped++)
    if (isUnknown(words[at++] ?? "")) sure = false;
  if (name === "kubectl" && words[at] === "--") at++;
  let rest = words.slice(at);
  const split = reading.options.find(([option]) => option === "-S" || option === "--split-string");
  if (name === "env" && split !== undefined) rest = [split[1] ?? "", ...rest];
  const code =
    wrapper.code === true ||
    (name === "env" && split !== undefined) ||
    (name === "flock" && rest[0] === "-c");
  if (name === "flock" && rest[0] === "-c") rest = rest.slice(1);
  if (rest.length === 0) return null;
  const directory = reading.options.findLast(([option]) => wrapper.directory?.includes(option))?.[1];
  return { words: rest, code, directory, variables, options: reading.options, sure };
}

interface Options {
  readonly at: number;
  readonly options: readonly (readonly [string, string | undefined])[];
  readonly sure: boolean;
}

/** Reads the options before the program. */
function readOptions(name: string, wrapper: Wrapper, words: readonly string[]): Options | null {
  const options: (readonly [string, string | undefined])[] = [];
  let at = 1;
  let sure = true;
  if (wrapper.verbs !== undefined) {
    at = words.findIndex((word) => wrapper.verbs?.includes(word));
    if (at < 0) return null;
    at++;
  }
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (isUnknown(word)) sure = false;
    if (!/^-./.test(word)) break;
    if (word === "--") {
      at++;
      break;
    }
    const taken = takesValue(name, wrapper, word);
    if (taken === "next") options.push([optionOf(word), words[++at]]);
    else if (taken === null) options.push([word, undefined]);
    else options.push(taken);
  }
  return { at, options, sure };
}

/** `-Cu` takes the value of `u`. */
function optionOf(word: string): string {
  return word.startsWith("--") ? word : `-${word.at(-1)}`;
}

/** Whether an option takes the next word, brings its value along, or has none. */
function takesValue(name: string, wrapper: Wrapper, word: string): "next" | readonly [string, string] | null {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    if (equals > 0) return [word.slice(0, equals), word.slice(equals + 1)];
    if (name === "env" && word === "--split-string") return "next";
    return wrapper.long?.includes(word) ? "next" : null;
  }
  const valued = `${wrapper.short ?? ""}${name === "env" ? "S" : ""}`;
  for (let at = 1; at < word.length; at++) {
    if (!valued.includes(word[at] ?? "")) continue;
    return at === word.length - 1 ? "next" : [`-${word[at]}`, word.slice(at + 1)];
  }
  return null;
}
