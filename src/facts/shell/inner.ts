import { codeEffects, isInterpreter, takesFiles } from "../code/code.ts";
import { commandVariables, named, optionsOf } from "../commands/table.ts";
import { resolvePath } from "../path-text.ts";
import { carriers } from "./carriers.ts";
import {
  coded,
  guessed,
  type Inner,
  type Inside,
  nothing,
  opaque,
  type ReadFile,
  standardInput,
} from "./inside.ts";
import { argsOf, type Input, type Invocation } from "./invocation.ts";
import { isUnknown } from "./text.ts";

/** The commands inside a command. */
export function insideOf(invocation: Invocation, files: ReadonlyMap<string, string>): Inside {
  const { name, argv, directory } = invocation;
  const read: ReadFile = (path) => files.get(resolvePath(path, directory));
  if (shells.has(name)) return shellInside(invocation, read);
  if (isInterpreter(name)) {
    const { inner, opaque: unread } = interpreterInside(invocation, read);
    return { inner: [...inner, ...fromOptions(invocation), ...fromVariables(invocation)], opaque: unread };
  }
  const program = argv[0] ?? "";
  const code = program.includes("/") ? read(program) : undefined;
  if (code !== undefined) {
    const inner: Inner = { code, parameters: argv, where: "child", maybe: true, through: name };
    return { inner: [inner], opaque: true };
  }
  const inside = carriers.get(name)?.(invocation, read) ?? [];
  if (!Array.isArray(inside)) return inside as Inside;
  return coded([...(inside as readonly Inner[]), ...fromOptions(invocation), ...fromVariables(invocation)]);
}

/** Options whose values are command lines, as the table of options has them. */
function fromOptions(invocation: Invocation): readonly Inner[] {
  const names = new Set(named(optionsOf(invocation.name)?.row.runs));
  if (names.size === 0) return [];
  return argsOf(invocation).flatMap((arg, at, args) => {
    const [, option = "", glued] = /^-{1,2}([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(arg) ?? [];
    // In a cluster of letters, the last one can take a value.
    const isCluster = /^-[A-Za-z]{2,}$/.test(arg) && names.has(arg.slice(-1));
    const code = names.has(option) || isCluster ? (glued ?? args[at + 1]) : undefined;
    return code === undefined ? [] : [guessed(code, invocation.name)];
  });
}

/** Variables whose values are command lines. */
function fromVariables({ variables, through }: Invocation): readonly Inner[] {
  // What such a command starts inherits the variable.
  return variables.flatMap(([variable, value]) =>
    commandVariables.has(variable) && !through.includes(variable)
      ? [guessed(value.replace(/^\|/, ""), variable)]
      : [],
  );
}

const shells: ReadonlySet<string> = new Set(
  named("sh bash zsh dash ksh ksh93 mksh pdksh ash fish rbash posh yash csh tcsh rc es elvish xonsh sash"),
);
/** Options of shells that take the next word as their value. */
const shellValues: ReadonlySet<string> = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);

function shellInside(invocation: Invocation, read: ReadFile): Inside {
  const { name, argv, input } = invocation;
  const args = argsOf(invocation);
  let wantsCode = false;
  let fromInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    // What is not known may be an option.
    if (isUnknown(arg) && /^[-+\uFDD0]/.test(arg)) return opaque;
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (shellValues.has(arg)) at++;
    else if (!/^[-+]./.test(arg)) break;
    else if (/^-[A-Za-z]*c/.test(arg)) wantsCode = true;
    else if (/^-[A-Za-z]*s/.test(arg)) fromInput = true;
    else if (arg === "--version" || arg === "--help") return nothing;
  }
  const rest = args.slice(at + 1);
  const word = args[at];
  if (wantsCode) {
    const parameters = rest.length > 0 ? rest : [argv[0] ?? name];
    const endsEarly = args.slice(0, at).some((arg) => /^-[A-Za-z]*e|^errexit$/.test(arg));
    const code = endsEarly ? `set -e\n${word ?? ""}` : (word ?? "");
    return coded([{ code, parameters, where: "child", through: name }]);
  }
  if (fromInput || word === undefined || standardInput.has(word)) {
    const text = input?.text;
    const parameters = [argv[0] ?? name, ...(fromInput ? args.slice(at) : rest)];
    if (text === undefined) return opaque;
    // What such commands read is what is left of the script.
    const unread: Input = { text: undefined, from: [] };
    return coded([{ code: text, input: unread, parameters, where: "child", through: name }]);
  }
  const text = read(word);
  if (text === undefined) return opaque;
  const inner: Inner = {
    code: text,
    parameters: [word, ...rest],
    where: "child",
    maybe: true,
    through: name,
  };
  return { inner: [inner], opaque: !word.startsWith("/dev/fd/") || isUnknown(text) };
}

/** Commands that a program in another language starts. They are guesses, as are its texts, read as command lines. */
function interpreterInside(invocation: Invocation, read: ReadFile): Inside {
  const { name, input } = invocation;
  const args = argsOf(invocation);
  const source = takesFiles(name) ? undefined : sourceOf(name, args, read);
  if (source !== undefined) {
    // As if the program came from the standard input, so that all facts read it.
    const words = [invocation.argv[0] ?? name, "-"];
    const program: Inner = { words, input: { text: source, from: [] }, where: "child", through: name };
    return { inner: [program], opaque: false };
  }
  const effects = codeEffects(name, args, input?.text);
  if (effects === undefined) return nothing;
  const texts = [...new Set(effects.lines)].filter((text) => /\S\s+\S/.test(text)).slice(0, mostTexts);
  const deletions = effects.paths.flatMap(([path, access]) =>
    access === "delete" ? [{ words: ["rm", "-r", path] }] : [],
  );
  const inner = [...effects.commands, ...deletions, ...texts.map((code) => ({ code }))];
  return {
    inner: inner.map((one) => ({ ...one, where: "child", guess: true, through: name })),
    opaque: effects.unread,
  };
}

const mostTexts = 32;

/** Files that a program reads by default. */
const usualFiles: ReadonlyMap<string, readonly string[]> = new Map(
  ["make", "gmake"].map((name) => [name, ["GNUmakefile", "makefile", "Makefile"]]),
);

/** The program in a file that the command line has written and that an interpreter or a compiler gets. */
function sourceOf(name: string, args: readonly string[], read: ReadFile): string | undefined {
  if (args.includes("-")) return undefined;
  const names = [
    ...args.map((arg) => arg.replace(/^--?[a-z]+=|^-f(?=.)/, "")),
    ...(usualFiles.get(name) ?? []),
  ];
  return names.map((arg) => read(arg)).find((text) => text !== undefined);
}
