import { resolvePath } from "../lib/paths.ts";
import { downloadedBy } from "../lib/downloads.ts";
import { searched } from "../lib/programs.ts";
import { effectsOf } from "../lib/inline-code.ts";
import { hasOption, operands, optionValues } from "../lib/options.ts";
import type { Invocation } from "../lib/commands.ts";

type Writer = (invocation: Invocation) => readonly string[];

const everyOperand: Writer = ({ args }) => operands(args);
const afterFirst: Writer = ({ args }) => operands(args).slice(1);

/** Copies: the last operand is written to, or the folder of `-t`. */
const lastOperand: Writer = ({ args }) => {
  const folders = optionValues(args, "t", "target-directory");
  return folders.length > 0 ? folders : operands(args).slice(1).slice(-1);
};

/** Moves: what is moved away is written to as well. */
const move: Writer = ({ args }) => [...operands(args), ...optionValues(args, "t", "target-directory")];

/** `sed -i` and `perl -i`: files come after the script, which may stand after an option of its own. */
const editInPlace: Writer = ({ args }) => {
  if (!args.some((arg) => /^(-[a-zA-Z]*i|--in-place)/.test(arg))) return [];
  const isScript = (arg: string | undefined): boolean =>
    /^(-[a-zA-Z]*[eEf]|--expression|--file)$/.test(arg ?? "");
  const files = operands(args.filter((_, at) => !isScript(args[at - 1])));
  return args.some(isScript) ? files : files.slice(1);
};

const archive: Writer = ({ args }) => {
  const modes = args.filter((arg, at) => /^-[^-]/.test(arg) || (at === 0 && !arg.startsWith("-"))).join("");
  if (modes.includes("x") || args.includes("--extract"))
    return [".", ...optionValues(args, "C", "directory")];
  if (!/[cru]/.test(modes) && !args.some((arg) => /^--(create|append|update)$/.test(arg))) return [];
  // `tar czf FILE …` has its options without a dash.
  return /^[a-zA-Z]*f$/.test(args[0] ?? "") ? args.slice(1, 2) : optionValues(args, "f", "file");
};

/** Makes a repository in a folder that is named, or here. */
const clone: Writer = ({ args }) => {
  const at = args.findIndex((arg) => arg === "clone" || arg === "init");
  if (at < 0) return [];
  return [
    ".",
    ...operands(args.slice(at + 1))
      .slice(args[at] === "clone" ? 1 : 0)
      .slice(0, 1),
  ];
};

const find: Writer = ({ args }) => [
  ...(args.includes("-delete") ? searched(args) : []),
  ...args.flatMap((arg, at) => (/^-f(ls|print0?|printf)$/.test(arg) ? args.slice(at + 1, at + 2) : [])),
];

const writers: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ["touch", everyOperand],
  ["mkdir", everyOperand],
  ["mkfifo", everyOperand],
  ["mknod", everyOperand],
  ["rm", everyOperand],
  ["rmdir", everyOperand],
  ["unlink", everyOperand],
  ["shred", everyOperand],
  ["truncate", everyOperand],
  ["tee", everyOperand],
  ["chmod", afterFirst],
  ["chown", afterFirst],
  ["chgrp", afterFirst],
  ["cp", lastOperand],
  ["install", lastOperand],
  ["ln", lastOperand],
  ["rsync", lastOperand],
  ["scp", lastOperand],
  ["mv", move],
  ["sed", editInPlace],
  ["perl", editInPlace],
  ["tar", archive],
  ["bsdtar", archive],
  ["find", find],
  ["git", clone],
  ["dd", ({ args }) => args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3))],
  ["unzip", ({ args }) => [".", ...optionValues(args, "d")]],
  ["sort", ({ args }) => optionValues(args, "o", "output")],
  ["patch", ({ args }) => [...operands(args).slice(0, 1), ...optionValues(args, "d", "directory")]],
  ["wget", ({ args }) => optionValues(args, "P", "directory-prefix")],
  ["curl", ({ args }) => optionValues(args, "", "output-dir")],
]);

/** Where a command writes, in the form of `resolvePath`, as far as its arguments tell. */
export function writesOf(invocation: Invocation): readonly string[] {
  const { name, redirects, cwd } = invocation;
  const redirected = redirects.filter(
    ({ operator, target }) => operator.includes(">") && !isDescriptor(operator, target),
  );
  const targets = [...redirected.map(({ target }) => target), ...(writers.get(name)?.(invocation) ?? [])];
  return [
    ...(effectsOf(invocation)?.writes ?? []).map((target) => resolvePath(target, cwd)),
    ...targets.filter((target) => !isRemote(name, target)).map((target) => resolvePath(target, cwd)),
    ...downloadedBy(invocation),
  ];
}

/** Links that a command makes: where they lead. */
export function linksOf({ name, args, cwd }: Invocation): readonly string[] {
  if (name !== "ln") return [];
  const paths = operands(args);
  const sources =
    hasOption(args, "t", "target-directory", 3) || paths.length === 1 ? paths : paths.slice(0, -1);
  return sources.map((source) => resolvePath(source, cwd));
}

/** `2>&1` and `>&-` name descriptors. */
function isDescriptor(operator: string, target: string): boolean {
  return operator.endsWith("&") && /^(\d+|-)$/.test(target);
}

/** `host:path` is a place on another machine. */
function isRemote(name: string, target: string): boolean {
  return (name === "scp" || name === "rsync") && /^[^/]*:/.test(target);
}
