import { guessed, type Inner, type Inside, opaque, type ReadFile, standardInput } from "./inside.ts";
import { argsOf, type Invocation } from "./invocation.ts";
import { asMany, isUnknown, unknown } from "./text.ts";

/** Finds the commands in the arguments of a program. */
type Carrier = (invocation: Invocation, read: ReadFile) => Inside | readonly Inner[];

/** Settings of apt whose values are command lines. */
const aptHook = /^(?:-o)?(?:APT|DPkg)::[\w:-]*(?:Invoke|Pkgs)[\w:-]*=([^]+)$/i;

/** Programs that carry a command line or a command in their arguments. */
export const carriers: ReadonlyMap<string, Carrier> = new Map<string, Carrier>([
  ["eval", (invocation) => [{ code: argsOf(invocation).join(" "), where: "here", through: "eval" }]],
  ["su", otherUser],
  ["runuser", otherUser],
  ["script", otherUser],
  ["at", fromInput],
  ["batch", fromInput],
  [
    "trap",
    (invocation) =>
      argsOf(invocation)
        .filter((arg) => arg !== "--" && arg !== "-p" && arg !== "-l")
        .slice(0, 1)
        .filter((code) => code !== "-" && code !== "")
        .map((code) => ({ code, where: "here", maybe: true, through: "trap" })),
  ],
  [
    "alias",
    (invocation) =>
      argsOf(invocation)
        .filter((arg) => arg.includes("="))
        .map((arg) => ({
          code: arg.slice(arg.indexOf("=") + 1),
          where: "here",
          maybe: true,
          through: "alias",
        })),
  ],
  [
    "tmux",
    (invocation) =>
      argsOf(invocation)
        .filter((arg) => /\s/.test(arg))
        .map((code) => ({ code, guess: true, where: "child", through: "tmux" })),
  ],
  ["ssh", remote],
  ["find", (invocation) => findCommands(argsOf(invocation))],
  ["fd", (invocation) => fdCommands(invocation)],
  ["fdfind", (invocation) => fdCommands(invocation)],
  ["source", sourced],
  [".", sourced],
  ["git", gitCommands],
  ["rsync", valueCode(/^(?:-[a-zA-Z]*e|--rsh|--rsync-path)$/, /^--(?:rsh|rsync-path)=([^]*)$/)],
  ["crontab", (invocation) => scheduled(invocation)],
  ["npm", (invocation) => npmCommands(invocation)],
  ["pnpm", (invocation) => npmCommands(invocation)],
  ["npx", valueCode(/^(?:-c|--call)$/, /^--call=([^]*)$/)],
  [
    "parallel",
    (invocation) => (argsOf(invocation).every((arg) => arg.startsWith("-")) ? fromInput(invocation) : []),
  ],
  ["sftp", valueCode(/^-[DS]$/, /^-[DS]([^]+)$/)],
  ["scp", valueCode(/^-[DS]$/, /^-[DS]([^]+)$/)],
  ["apt", optionCode(aptHook)],
  ["apt-get", optionCode(aptHook)],
  ["nix-shell", valueCode(/^--(?:run|command)$/, /^--(?:run|command)=([^]*)$/)],
  ...["guix", "nix", "devbox", "distrobox", "toolbox"].map((name): [string, Carrier] => [name, afterDashes]),
  ["socat", optionCode(/^(?:exec|system|shell):((?:[^,]|,(?![a-z-]+(?:=|,|$)))*)/i)],
  ["nc", valueCode(/^(?:-[a-z]*[ec]|--exec|--sh-exec)$/, /^--(?:sh-)?exec=([^]*)$/)],
  ["ncat", valueCode(/^(?:-[a-z]*[ec]|--exec|--sh-exec)$/, /^--(?:sh-)?exec=([^]*)$/)],
  [
    "tar",
    optionCode(/^--(?:to-command|checkpoint-action|use-compress-program|rsh-command)=(?:exec=)?([^]*)$/),
  ],
]);

/** Options of the form `name=code`. */
function optionCode(option: RegExp): Carrier {
  return (invocation) =>
    argsOf(invocation).flatMap((arg) => {
      const code = option.exec(arg)?.[1];
      return code === undefined ? [] : [guessed(code, invocation.name)];
    });
}

/** Options whose value, glued or the next word, is code. */
function valueCode(option: RegExp, glued: RegExp): Carrier {
  return (invocation) =>
    argsOf(invocation).flatMap((arg, at, args) => {
      const code = glued.exec(arg)?.[1] ?? (option.test(arg) ? args[at + 1] : undefined);
      return code === undefined ? [] : [guessed(code, invocation.name)];
    });
}

/** A command stands after `--`, `-c` or `--command`, and runs in an environment that the program makes. */
function afterDashes(invocation: Invocation): readonly Inner[] {
  const args = argsOf(invocation);
  const at = args.findIndex((arg) => arg === "--" || arg === "-c" || arg === "--command");
  const words = at < 0 ? [] : args.slice(at + 1);
  return words.length === 0 ? [] : [{ words, where: "child", maybe: true, through: invocation.name }];
}

/** What Git runs: aliases, settings that are command lines, and commands that take one. */
function gitCommands(invocation: Invocation): readonly Inner[] {
  const args = argsOf(invocation);
  const settings = args.flatMap((arg, at) => {
    const glued = /^(?:--config=)?([a-zA-Z][\w.-]*)=([^]*)$/.exec(arg);
    const [key, value] = glued ? [glued[1], glued[2]] : [arg, args[at + 1]];
    if (value === undefined || !runningSetting.test(key ?? "")) return [];
    return /^alias\./i.test(key ?? "") && !value.startsWith("!")
      ? [`git ${value}`]
      : [value.replace(/^!/, "")];
  });
  const runs = args.flatMap((arg, at) => {
    if (
      /^(?:-x|--exec|--extcmd|--(?:tree|index|env|msg|commit|parent|tag-name|subdirectory)-filter|--upload-pack|--receive-pack)$/.test(
        arg,
      )
    )
      return args.slice(at + 1, at + 2);
    return /^--(?:exec|extcmd|upload-pack|receive-pack|open-files-in-pager)=([^]*)$/.exec(arg)?.[1] ?? [];
  });
  const each =
    args[0] === "submodule" && args[1] === "foreach"
      ? [
          args
            .slice(2)
            .filter((arg) => !arg.startsWith("--"))
            .join(" "),
        ]
      : [];
  const bisect = args[0] === "bisect" && args[1] === "run" ? [args.slice(2).join(" ")] : [];
  return [...settings, ...runs, ...each, ...bisect].map((code) => guessed(code, "git"));
}

const runningSetting =
  /^(?:alias\..+|core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|diff\.external|(?:diff|merge|filter|difftool|mergetool|trailer|credential|gpg|remote|uploadpack|browser|man|sendemail|interactive)\..*(?:textconv|command|cmd|driver|clean|smudge|process|helper|program|hook|filter|path|proxy)|credential\.helper|interactive\.difffilter)$/i;

/** `crontab -` and its lines: five fields or a name, and then the command. */
function scheduled(invocation: Invocation): Inside | readonly Inner[] {
  const args = argsOf(invocation);
  if (args.some((arg) => /^-[a-z]*[lre]/.test(arg))) return [];
  const text = invocation.input?.text;
  if (text === undefined) return args.length === 0 || args.includes("-") ? opaque : [];
  return text.split("\n").flatMap((line) => {
    const code = /^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+([^]+)$/.exec(line)?.[1];
    return code === undefined ? [] : [{ code, where: "child", maybe: true, through: "crontab" } as const];
  });
}

/** `npm pkg set scripts.x=…`, `npm exec -c …`, `npm set-script x …` */
function npmCommands(invocation: Invocation): readonly Inner[] {
  const args = argsOf(invocation);
  const codes = args.flatMap((arg, at) => {
    const script = /^scripts\.[^=]+=([^]*)$/.exec(arg)?.[1];
    if (script !== undefined) return [script];
    if (/^(?:-c|--call)$/.test(arg)) return args.slice(at + 1, at + 2);
    return arg === "set-script" ? args.slice(at + 2, at + 3) : [];
  });
  return codes.map((code) => guessed(code, invocation.name));
}

function fromInput({ name, input }: Invocation): Inside | readonly Inner[] {
  return input?.text === undefined
    ? opaque
    : [{ code: input.text, where: "child", maybe: true, through: name }];
}

/** Programs that give a text to a shell: after `-c`, or from their input. */
function otherUser(invocation: Invocation): Inside | readonly Inner[] {
  const { name } = invocation;
  const args = argsOf(invocation);
  const at = args.findIndex((arg) => /^(-[a-z]*c|--command)$/.test(arg));
  if (at < 0 && name === "runuser" && args.includes("--")) return afterDashes(invocation);
  if (at < 0) return fromInput(invocation);
  return [{ code: args[at + 1] ?? "", parameters: [name], where: "child", maybe: true, through: name }];
}

function sourced(invocation: Invocation, read: ReadFile): Inside {
  const [file = "", ...rest] = argsOf(invocation);
  const text = standardInput.has(file) ? invocation.input?.text : read(file);
  if (text === undefined) return opaque;
  const inner: Inner = {
    code: text,
    where: "here",
    maybe: true,
    through: invocation.name,
    ...(rest.length > 0 ? { parameters: [file, ...rest] } : {}),
  };
  return { inner: [inner], opaque: !file.startsWith("/dev/") || isUnknown(text) };
}

function remote(invocation: Invocation): Inside | readonly Inner[] {
  const args = argsOf(invocation);
  let at = 0;
  const proxies: Inner[] = [];
  while (args[at]?.startsWith("-")) {
    const takes = /^-[a-zA-Z0-9]*[BbcDEeFIiJLlmOopQRSWw]$/.test(args[at] ?? "");
    const setting = takes ? args[at + 1] : args[at]?.slice(2);
    const code = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]([^]*)$/i.exec(setting ?? "")?.[1];
    if (code !== undefined) proxies.push({ code, where: "child", maybe: true, through: "ssh" });
    at += takes ? 2 : 1;
  }
  const code = args.slice(at + 1).join(" ");
  if (code === "") return proxies.length > 0 ? proxies : fromInput(invocation);
  return [...proxies, { code, parameters: ["ssh"], where: "elsewhere", through: "ssh" }];
}

/** The commands after `-exec` and its kin, with `{}` as each folder that is searched and a name below it. */
function findCommands(args: readonly string[]): readonly Inner[] {
  const found: Inner[] = [];
  args.forEach((arg, at) => {
    if (!/^-(exec|ok)(dir)?$/.test(arg)) return;
    const end = args.findIndex(
      (word, index) => index > at && (word === ";" || (word === "+" && args[index - 1] === "{}")),
    );
    const words = args.slice(at + 1, end < 0 ? args.length : end);
    const file = unknown("o", "find");
    const isNarrowed = leavesFolder(args.slice(0, at));
    for (const folder of searched(args)) {
      const below = folder === "/" ? `/${file}` : `${folder}/${file}`;
      const paths = args[end] === "+" ? [asMany(below)] : isNarrowed ? [below] : [below, folder];
      for (const path of paths) {
        found.push({
          words: words.map((word) => word.replaceAll("{}", path)),
          where: "child",
          maybe: true,
          through: "find",
        });
      }
    }
  });
  return found;
}

/** Whether the tests before an action of `find` leave out the folder that is searched, in each of their alternatives. */
function leavesFolder(tests: readonly string[]): boolean {
  let isLeft = false;
  for (let at = 0; at < tests.length; at++) {
    const [test = "", value = ""] = tests.slice(at, at + 2);
    if (/^(?:-o|-or|,)$/.test(test)) {
      if (!isLeft) return false;
      isLeft = false;
    } else if (!/^(?:!|-not)$/.test(tests[at - 1] ?? "")) {
      isLeft ||=
        (/^-i?name$/.test(test) && /[^*?.[\]]/.test(value)) ||
        (test === "-mindepth" && /^[1-9]/.test(value)) ||
        (test === "-type" && /^[flpsbc]$/.test(value));
    }
  }
  return isLeft;
}

function fdCommands({ argv, name }: Invocation): readonly Inner[] {
  const at = argv.findIndex((arg) => /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(arg));
  if (at < 0) return [];
  const file = unknown("o", name, true);
  const command = argv.slice(at + 1);
  const hasPlace = command.some((word) => /\{.*\}/.test(word));
  const words = command.map((word) => word.replace(/\{[^}]*\}/g, file));
  return [{ words: hasPlace ? words : [...words, file], where: "child", maybe: true, through: name }];
}

/** The folders that a `find` searches. */
export function searched(args: readonly string[]): readonly string[] {
  const from = args.findIndex((arg) => !/^-[HLPDO]/.test(arg));
  const rest = from < 0 ? [] : args.slice(from);
  const end = rest.findIndex((arg) => /^[-(!]/.test(arg));
  const folders = end < 0 ? rest : rest.slice(0, end);
  return folders.length > 0 ? folders : ["."];
}
