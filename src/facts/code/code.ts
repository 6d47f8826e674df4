import type { PathAccess } from "../paths/row.ts";
import { clean, isUnknown } from "../shell/text.ts";
import type { Call } from "./calls.ts";
import { effectsOfCall } from "./functions.ts";
import { type Capture, idOf, type Language, languageOf } from "./languages.ts";
import { readProgram } from "./read.ts";
import { usesOf } from "./sql.ts";
import { codeLimits } from "./tokens.ts";
import { somethingElse, type Value } from "./values.ts";

/** A command that a program in another language starts: a command line, or its words. */
export interface CodeCommand {
  readonly code?: string;
  readonly words?: readonly string[];
}

/** What a program in another language does, as far as its text shows. */
export interface CodeEffects {
  readonly paths: readonly (readonly [path: string, access: PathAccess])[];
  /** Addresses that it connects to. */
  readonly hosts: readonly string[];
  /** It connects to a place that its text does not name. */
  readonly unnamed: boolean;
  readonly listens: boolean;
  readonly commands: readonly CodeCommand[];
  /** Texts that may be command lines, put together where they are constant. */
  readonly lines: readonly string[];
  /** It runs code or commands that its text does not show, or is beyond the limits. */
  readonly unread: boolean;
}

const url = /^[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/]/i;

/** Whether a program interprets another language than the shell's. */
export function isInterpreter(name: string): boolean {
  return languageOf(name) !== undefined;
}

/** Whether operands are files that a program works on, and no programs: an editor, a pager. */
export function takesFiles(name: string): boolean {
  return languageOf(name)?.operandIsFile === true;
}

/**
 * Whether a program, called like this, takes what follows it in a terminal as its own program: an interpreter without
 * one, an editor or a pager.
 */
export function readsTerminal(name: string, args: readonly string[]): boolean {
  const language = languageOf(name);
  if (language === undefined || !language.input) return false;
  const hasFile = args.some((arg) => !arg.startsWith("-"));
  return programsOf(language, args, undefined).length === 0 && (!hasFile || language.operandIsFile === true);
}

/** What the programs on a command line do; `undefined` if there are none. */
export function codeEffects(
  name: string,
  args: readonly string[],
  input: string | undefined,
): CodeEffects | undefined {
  const language = languageOf(name);
  if (language === undefined) return undefined;
  const programs = programsOf(language, args, input);
  if (programs.length === 0) return undefined;
  return effectsOf(language, programs);
}

/** The programs in the arguments of an interpreter, or in what it reads. */
function programsOf(
  language: Language,
  args: readonly string[],
  input: string | undefined,
): readonly string[] {
  const found: string[] = [];
  let isScript = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, option = "", glued] = /^(-{1,2}[A-Za-z-]+)=([^]*)$/.exec(arg) ?? [];
    const [, letter = "", short = ""] = /^(-[A-Za-z])([^]+)$/.exec(arg) ?? [];
    const cluster = language.flags?.exec(arg)?.[0] ?? arg;
    if (language.options.test(arg)) found.push(args[++at] ?? "");
    else if (cluster.length < arg.length) found.push(arg.slice(cluster.length));
    else if (glued !== undefined && language.options.test(option)) found.push(glued);
    else if (short.length > 1 && language.options.test(letter)) found.push(short);
    else if (arg.startsWith("+") && language.options.test("+")) found.push(arg.slice(1));
    else if (/^-|^\/dev\/stdin$/.test(arg)) continue;
    else if (language.operands || (language.operand && found.length === 0 && !isScript)) found.push(arg);
    else isScript = true;
  }
  // The operands of a database's client name a database, or are statements.
  if (language.isSql && input !== undefined) return [...found, input];
  const reads = language.input || (language.isCompiled && args.includes("-"));
  return found.length === 0 &&
    input !== undefined &&
    reads &&
    (!isScript || language.operandIsFile || language.isCompiled)
    ? [input]
    : found;
}

/** Effects that are being collected. */
interface Found {
  readonly paths: [string, PathAccess][];
  readonly hosts: Set<string>;
  readonly commands: CodeCommand[];
  readonly lines: Set<string>;
  /** Texts whose use is known. */
  readonly used: Set<string>;
  /** Code of the same language that it runs, and how deep it is in other code. */
  readonly code: { readonly text: string; readonly depth: number }[];
  connects: boolean;
  listens: boolean;
  unread: boolean;
}

/** The last programs, because several facts are about the same ones. */
const known = new Map<string, CodeEffects>();
const mostKnown = 8;

function effectsOf(language: Language, programs: readonly string[]): CodeEffects {
  const key = JSON.stringify([idOf(language), programs]);
  const effects = known.get(key) ?? derived(language, programs);
  known.delete(key);
  known.set(key, effects);
  for (const [oldest] of known) if (known.size > mostKnown) known.delete(oldest);
  return effects;
}

function derived(language: Language, programs: readonly string[]): CodeEffects {
  const found: Found = {
    paths: [],
    hosts: new Set(),
    commands: [],
    lines: new Set(),
    used: new Set(),
    code: programs.map((text) => ({ text, depth: 0 })),
    connects: false,
    listens: false,
    unread: false,
  };
  let left: number = codeLimits.characters;
  for (let at = 0; at < found.code.length; at++) {
    const { text, depth } = found.code[at] as Found["code"][number];
    if (text.length > left || depth > 3) found.unread = true;
    collect(found, language, text.slice(0, left), depth);
    left = Math.max(0, left - text.length);
  }
  const { paths, hosts, listens, commands, lines, unread, connects } = found;
  return {
    paths,
    hosts: [...hosts],
    unnamed: connects && hosts.size === 0,
    listens,
    commands,
    lines: [...lines],
    unread,
  };
}

function collect(found: Found, language: Language, text: string, depth: number): void {
  const reading = readProgram(language, text);
  found.commands.push(...reading.commands.map((code) => ({ code })));
  found.unread ||= !reading.whole;
  for (const call of reading.calls) collectCall(found, call, depth, reading.isParsed);
  for (const [pattern, what] of language.patterns ?? [])
    for (const [, match = ""] of text.matchAll(pattern)) collectUse(found, match, what);
  for (const { text: used, what } of language.isSql ? usesOf(text) : []) {
    if (what === "code") found.code.push({ text: used, depth: depth + 1 });
    else collectUse(found, used, what);
  }
  if (language.isEditing) return;
  for (const one of new Set(reading.texts)) {
    if (found.used.has(one)) continue;
    if (found.connects && url.test(one) && !/\s/.test(one)) found.hosts.add(one);
    if (isPathText(one)) found.paths.push([one, "any"]);
  }
  for (const line of reading.lines) found.lines.add(line);
}

function collectUse(found: Found, text: string, what: Capture): void {
  found.used.add(text);
  if (what === "run") found.commands.push({ code: text });
  else if (what === "connect" || url.test(text)) found.hosts.add(text);
  else if (what === "connect-somewhere") found.connects = true;
  else if (what === "listen") found.listens = true;
  else if (isPath(text)) found.paths.push([text, what]);
}

function collectCall(found: Found, call: Call, depth: number, isParsed: boolean): void {
  const effects = effectsOfCall(call);
  for (const [{ text: path }, access] of effects.paths ?? []) {
    if (path !== undefined && url.test(path)) {
      found.hosts.add(path);
      found.used.add(path);
    } else if (path !== undefined && isPath(path)) {
      found.used.add(path);
      found.paths.push([path, access]);
    } else if (isParsed && (access === "write" || access === "delete") && certain.test(call.name)) {
      found.paths.push([somethingElse, access]);
    }
  }
  for (const { text: host } of effects.hosts ?? []) {
    if (host === undefined || /\s/.test(host)) continue;
    found.used.add(host);
    found.hosts.add(host);
  }
  found.commands.push(...(effects.commands ?? []).flatMap(commandOf));
  found.unread ||= isParsed && effects.hides === true;
  found.connects ||= effects.connects === true;
  found.listens ||= effects.listens === true;
  for (const { text: code } of effects.code ?? []) {
    if (code === undefined || isUnknown(code)) found.unread ||= isParsed;
    else found.code.push({ text: code, depth: depth + 1 });
  }
}

/** Functions that are about files whatever they are called with. */
const certain = /^(?:open|io\.open|os\.|shutil\.|fs\.|Deno\.)/;

function commandOf({ text, list }: Value): readonly CodeCommand[] {
  if (list !== undefined) {
    const words = list.map((word) => word.text);
    return words.some((word) => word !== undefined) ? [{ words: words.map((word) => word ?? "") }] : [];
  }
  return text === undefined ? [] : [{ code: text }];
}

/** A text that a call takes for a path. */
function isPath(text: string): boolean {
  return (
    text !== "" &&
    text.length < 1_024 &&
    !text.includes("\n") &&
    !url.test(text) &&
    !text.startsWith("\uFDD0")
  );
}

/** A text that looks like a path by itself. */
function isPathText(text: string): boolean {
  return (
    text.length > 1 &&
    text.length < 512 &&
    /^[~./\w-][^\s"'`<>|*?(){}]*$/.test(text) &&
    /^(?:~|\.{0,2}\/)|\/|^\.[a-z]/.test(text) &&
    !url.test(text) &&
    !isUnknown(clean(text))
  );
}
