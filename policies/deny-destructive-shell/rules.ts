import type { PathUse } from "hookwarden/hook";
import { type Finding, quoted, short, softened } from "../lib/findings.ts";
import { hasOption, operands } from "../lib/options.ts";
import { isUnknown } from "../lib/marks.ts";
import { isWithin, resolvePath } from "../lib/paths.ts";
import { languageOf, searched } from "../lib/programs.ts";
import { type Invocation, textOf } from "../lib/commands.ts";
import { isDisk, type Place, placeNames, placeOf } from "./targets.ts";

type Check = (invocation: Invocation, workspace: string) => Finding | undefined;

/** How much a loss weighs, by the kind of place. */
type Weights = { readonly [P in Place]?: Finding["verdict"] | undefined };

const wholeTree: Weights = {
  root: "deny",
  system: "deny",
  home: "deny",
  "inside-system": "ask",
  workspace: "ask",
  floating: "ask",
};
const onlyKnown: Weights = { root: "deny", system: "deny", home: "deny", "inside-system": "ask" };
const singleFiles: Weights = { root: "ask", system: "ask", home: "ask", "inside-system": "ask" };

/** What a command does to some paths. */
interface Effect {
  readonly verb: string;
  readonly targets: readonly string[];
  readonly weights: Weights;
}

/** The gravest finding over the targets of an effect. */
function weigh(
  { verb, targets, weights }: Effect,
  { cwd }: Invocation,
  workspace: string,
): Finding | undefined {
  let worst: Finding | undefined;
  for (const target of targets) {
    const disk = isDisk(target, cwd);
    const place = placeOf(target, cwd, workspace);
    const verdict = disk ? "deny" : weights[place];
    if (verdict === undefined || worst?.verdict === "deny") continue;
    if (worst === undefined || verdict === "deny") {
      // hookwarden-allow dynamic-property: `placeOf` returns one of the names of the table, whatever it is given
      worst = { verdict, reason: `${verb} ${short(target)}, ${disk ? "a disk" : placeNames[place]}` };
    }
  }
  return worst;
}

const remove: Check = (invocation, workspace) => {
  const { args } = invocation;
  if (hasOption(args, "", "no-preserve-root", 4)) {
    return {
      verdict: "deny",
      reason: `${quoted(invocation)} switches off the protection of the root directory`,
    };
  }
  const recursive = hasOption(args, "rR", "recursive", 3);
  return weigh(
    { verb: "it deletes", targets: operands(args), weights: recursive ? wholeTree : singleFiles },
    invocation,
    workspace,
  );
};

const removeFiles: Check = (invocation, workspace) =>
  weigh(
    { verb: "it destroys", targets: operands(invocation.args), weights: singleFiles },
    invocation,
    workspace,
  );

const findDelete: Check = (invocation, workspace) => {
  const { args } = invocation;
  if (!args.includes("-delete")) return undefined;
  const folders = searched(args);
  const filtered =
    args.some((arg) =>
      /^-(i?name|i?path|i?wholename|i?regex|[acm]time|[acm]min|size|newer|user|empty)/.test(arg),
    ) || args.some((arg, at) => args[at - 1] === "-type" && /^[lpsbc]$/.test(arg));
  return weigh(
    { verb: "it deletes what it finds in", targets: folders, weights: filtered ? onlyKnown : wholeTree },
    invocation,
    workspace,
  );
};

/** `chmod -R` and its kin: the first operand is no path. */
const changeRights: Check = (invocation, workspace) => {
  const targets = operands(invocation.args).slice(1);
  const recursive = hasOption(invocation.args, "R", "recursive", 3);
  return weigh(
    { verb: "it changes the rights of", targets, weights: recursive ? onlyKnown : singleFiles },
    invocation,
    workspace,
  );
};

const move: Check = (invocation, workspace) => {
  const paths = operands(invocation.args);
  const target = paths.at(-1);
  if (target === "/dev/null") return { verdict: "deny", reason: `${quoted(invocation)} throws files away` };
  // `mv -t FOLDER` takes sources only.
  const last =
    target !== undefined &&
    (hasOption(invocation.args, "t", "target-directory", 3) || isDisk(target, invocation.cwd));
  return weigh(
    { verb: "it moves", targets: last ? paths : paths.slice(0, -1), weights: onlyKnown },
    invocation,
    workspace,
  );
};

/** Programs that write to their last operand. */
const writeLast: Check = (invocation, workspace) => {
  const target = operands(invocation.args).at(-1);
  const mirrors = invocation.args.some((arg) => arg.startsWith("--del"));
  const targets = target !== undefined && (mirrors || isDisk(target, invocation.cwd)) ? [target] : [];
  return weigh({ verb: "it overwrites", targets, weights: onlyKnown }, invocation, workspace);
};

const writeAll: Check = (invocation, workspace) =>
  weigh(
    { verb: "it overwrites", targets: operands(invocation.args), weights: { "inside-system": "ask" } },
    invocation,
    workspace,
  );

const diskDump: Check = (invocation, workspace) => {
  const targets = invocation.args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3));
  return weigh(
    { verb: "it overwrites", targets, weights: { "inside-system": "ask" } },
    invocation,
    workspace,
  );
};

/** Commands and options of such programs that only look, and those that change. */
const looking =
  /^(?:-l|--list|-h|--help|-V|--version|-n|--no-act|--dry-run|print|list|status|info|p|open|close|luksDump|luksOpen|luksClose|isLuks)$/;
const changing = /^(?:mk|rm|set|resize|move|name|-d|-o|-Z|-z)/;

/** What `sgdisk` only shows and verifies. */
const sgdiskLooks = /^-(?:[vpLFEfD]|i\d*)$|^--(?:verify|print|info)/;

/** Makes a file system, on a disk or in a file. */
const makeFileSystem: Check = (invocation) => {
  const { args, cwd } = invocation;
  const isDevice = args.some((arg) => {
    const path = resolvePath(arg, cwd);
    return isWithin(path, "/dev") || isUnknown(path);
  });
  return isDevice ? formatDisk(invocation, "") : undefined;
};

/** Programs that make or break file systems and partitions. */
const formatDisk: Check = (invocation) => {
  const { name, args, cwd } = invocation;
  const disk = args.some((arg) => isDisk(arg, cwd));
  if (name === "sgdisk" && args.every((arg) => isDisk(arg, cwd) || sgdiskLooks.test(arg))) return undefined;
  // What a listing shows comes first, and changes come with other commands after it.
  const [first = "", ...rest] = args.filter((arg) => !isDisk(arg, cwd) && arg !== "-s" && arg !== "--script");
  if (looking.test(first) && !rest.some((arg) => changing.test(arg))) return undefined;
  return { verdict: disk ? "deny" : "ask", reason: `${quoted(invocation)} formats or erases a disk` };
};

const stopMachine: Check = (invocation) => ({
  verdict: "ask",
  reason: `${quoted(invocation)} stops the machine`,
});

const changeRunLevel: Check = (invocation) =>
  /^[06]$/.test(invocation.args[0] ?? "")
    ? { verdict: "ask", reason: `${quoted(invocation)} stops the machine` }
    : undefined;

const systemControl: Check = (invocation) =>
  !/ --when[= ]cancel(?: |$)/.test(` ${invocation.args.join(" ")}`) &&
  invocation.args.some((arg) => /^(poweroff|reboot|halt|kexec|rescue|emergency)$/.test(arg))
    ? { verdict: "ask", reason: `${quoted(invocation)} stops the machine` }
    : undefined;

const killAll: Check = (invocation) =>
  // `kill -1` alone sends SIGHUP; the process -1 comes after the signal.
  invocation.args.slice(1).includes("-1")
    ? { verdict: "deny", reason: `${quoted(invocation)} ends every process` }
    : undefined;

const removeCrontab: Check = (invocation) =>
  invocation.args.some((arg) => /^-[a-z]*r/.test(arg))
    ? { verdict: "ask", reason: `${quoted(invocation)} deletes every scheduled job` }
    : undefined;

export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["rm", remove],
  ["unlink", removeFiles],
  ["rmdir", removeFiles],
  ["shred", removeFiles],
  ["srm", remove],
  ["truncate", removeFiles],
  ["find", findDelete],
  ["chmod", changeRights],
  ["chown", changeRights],
  ["chgrp", changeRights],
  ["mv", move],
  ["cp", writeLast],
  ["rsync", writeLast],
  ["tee", writeAll],
  ["dd", diskDump],
  ["wipefs", formatDisk],
  ["blkdiscard", formatDisk],
  ["fdisk", formatDisk],
  ["sfdisk", formatDisk],
  ["sgdisk", formatDisk],
  ["parted", formatDisk],
  ["mkswap", makeFileSystem],
  ["mke2fs", makeFileSystem],
  ["cryptsetup", formatDisk],
  ["diskutil", formatDisk],
  ["shutdown", stopMachine],
  ["reboot", stopMachine],
  ["halt", stopMachine],
  ["poweroff", stopMachine],
  ["init", changeRunLevel],
  ["telinit", changeRunLevel],
  ["systemctl", systemControl],
  ["kill", killAll],
  ["crontab", removeCrontab],
]);

/** What a command has against it by its own name. */
export const byName: Check = (invocation, workspace) => {
  const check = invocation.name.startsWith("mkfs") ? makeFileSystem : checks.get(invocation.name);
  return check?.(invocation, workspace);
};

/** A command whose name is unknown, with arguments that would be a disaster for `rm`. */
export const asIfRemoving: Check = (invocation, workspace) => {
  const isRecursive = invocation.args.some(
    (arg) => arg.startsWith("--rec") || (/^-[a-zA-Z]+$/.test(arg) && /r/i.test(arg)),
  );
  const found = isRecursive ? remove(invocation, workspace) : undefined;
  return found && { verdict: "ask", reason: `if the program turns out to be \`rm\`, ${found.reason}` };
};

/** Redirections onto disks and into the system. */
export const redirected: Check = (invocation, workspace) => {
  const targets = invocation.redirects
    .filter(({ operator }) => operator.includes(">"))
    .map(({ target }) => target);
  return weigh(
    { verb: "it overwrites", targets, weights: { "inside-system": "ask" } },
    invocation,
    workspace,
  );
};

/** What programs without a rule of their own delete, and what they write to a disk. */
export function deletions(
  paths: readonly PathUse[],
  invocations: readonly Invocation[],
  workspace: string,
): readonly Finding[] {
  return paths.flatMap(({ path, access, command }) => {
    const invocation = command === null ? undefined : invocations[command];
    if (invocation === undefined || checks.has(invocation.name)) return [];
    const target = textOf(path);
    if (access === "write" && !isDisk(target, invocation.cwd)) return [];
    if (access !== "delete" && access !== "write") return [];
    // What a program in another language deletes is a guess, and among the commands.
    if (access === "delete" && languageOf(invocation.name) !== undefined) return [];
    const verb = access === "delete" ? "it deletes" : "it overwrites";
    const finding = weigh(
      { verb, targets: [target], weights: { ...wholeTree, floating: undefined } },
      invocation,
      workspace,
    );
    return finding === undefined ? [] : [softened(finding, invocation)];
  });
}
