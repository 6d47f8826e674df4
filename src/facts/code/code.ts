import type { PathAccess } from "../paths/row.ts";
import { clean, isUnknown } from "../shell/text.ts";
import { callsOf } from "./calls.ts";
import { effectsOfCall, isEffective } from "./functions.ts";
import { type Language, languageOf } from "./languages.ts";
import { codeLimits, tokensOf } from "./tokens.ts";
import type { Value } from "./values.ts";

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
  /** Its texts, put together where they are constant. */
  readonly texts: readonly string[];
}

const url = /^[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/]/i;

/** Whether a program interprets another language than the shell's. */
export function isInterpreter(name: string): boolean {
  return languageOf(name) !== undefined;
}

/** What a program in the language of an interpreter does. */
export function effectsOfProgram(name: string, program: string): CodeEffects | undefined {
  const language = languageOf(name);
  return language === undefined ? undefined : effectsOf(language, program, 0);
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
  const all = programs.map((program) => effectsOf(language, program, 0));
  return {
    paths: all.flatMap(({ paths }) => paths),
    hosts: all.flatMap(({ hosts }) => hosts),
    unnamed: all.some(({ unnamed }) => unnamed),
    listens: all.some(({ listens }) => listens),
    commands: all.flatMap(({ commands }) => commands),
    texts: all.flatMap(({ texts }) => texts),
  };
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
    if (language.options.test(arg)) found.push(args[++at] ?? "");
    else if (glued !== undefined && language.options.test(option)) found.push(glued);
    else if (arg.startsWith("+") && language.options.test("+")) found.push(arg.slice(1));
    else if (/^-|^\/dev\/stdin$/.test(arg)) continue;
    else if (language.operands || (language.operand && found.length === 0 && !isScript)) found.push(arg);
    else isScript = true;
  }
  return found.length === 0 && input !== undefined && language.input && (!isScript || language.operandIsFile)
    ? [input]
    : found;
}

function effectsOf(language: Language, program: string, depth: number): CodeEffects {
  const text = program.slice(0, codeLimits.characters);
  const reading = callsOf(tokensOf(text, language), isEffective);
  const paths: [string, PathAccess][] = [];
  const hosts: string[] = [];
  const commands: CodeCommand[] = reading.commands.map((code) => ({ code }));
  const used = new Set<string>();
  let connects = false;
  let listens = false;
  for (const call of reading.calls) {
    const effects = effectsOfCall(call);
    for (const [{ text: path }, access] of effects.paths ?? []) {
      if (path === undefined) continue;
      if (url.test(path)) {
        hosts.push(path);
        used.add(path);
      }
      if (!isPath(path)) continue;
      used.add(path);
      paths.push([path, access]);
    }
    for (const { text: host } of effects.hosts ?? []) {
      if (host === undefined || /\s/.test(host)) continue;
      used.add(host);
      hosts.push(host);
    }
    commands.push(...(effects.commands ?? []).flatMap(commandOf));
    connects ||= effects.connects === true;
    listens ||= effects.listens === true;
    for (const { text: code } of effects.code ?? []) {
      if (code === undefined || depth >= 3) continue;
      const inner = effectsOf(language, code, depth + 1);
      paths.push(...inner.paths.map(([path, access]): [string, PathAccess] => [path, access]));
      hosts.push(...inner.hosts);
      commands.push(...inner.commands);
      connects ||= inner.unnamed;
    }
  }
  for (const [pattern, what] of language.patterns ?? []) {
    for (const [, found = ""] of text.matchAll(pattern)) {
      used.add(found);
      if (what === "run") commands.push({ code: found });
      else if (what === "connect" || url.test(found)) hosts.push(found);
      else if (what === "connect-somewhere") connects = true;
      else if (what === "listen") listens = true;
      else if (isPath(found)) paths.push([found, what]);
    }
  }
  if (connects)
    hosts.push(...reading.texts.filter((one) => url.test(one) && !used.has(one) && !/\s/.test(one)));
  for (const one of new Set(reading.texts)) if (!used.has(one) && isPathText(one)) paths.push([one, "any"]);
  const named = [...new Set(hosts)];
  return {
    paths,
    hosts: named,
    unnamed: connects && named.length === 0,
    listens,
    commands,
    texts: reading.texts,
  };
}

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
