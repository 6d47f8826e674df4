/** Every code block of the documentation: what a reader pastes compiles, parses, and calls commands that exist. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import ts from "typescript";
import { expect, it } from "vitest";
import { validateHookManifest, validatePackManifest } from "../../src/catalogue/generated/validators.js";
import { commandTable } from "../../src/cli/commands.ts";
import { Terminal } from "../../src/cli/terminal.ts";
import { shellWords } from "./shell-words.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = globSync(
  [
    "README.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "{packages/*,policies,sandbox,examples/policy-repo}/README.md",
  ],
  { cwd: root },
).toSorted();

interface Block {
  /** Page and line, as an editor opens it. */
  readonly place: string;
  readonly language: string;
  /** What stands behind the language; `fragment` is a piece of a program that is shown whole elsewhere. */
  readonly info: string;
  readonly text: string;
}

const blocks: readonly Block[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^( *)```(\w*)([^\n]*)\n(.*?)^\1```/gms)].map(
    ({ index, 1: indent = "", 2: language = "", 3: info = "", 4: body = "" }): Block => ({
      place: `${page}:${text.slice(0, index).split("\n").length}`,
      language,
      info: info.trim(),
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
});
const inLanguages = (...languages: readonly string[]): readonly Block[] =>
  blocks.filter(({ language }) => languages.includes(language));

const readersAgent = `import type { Client } from "@hookwarden/client";
import type { HookEvent } from "hookwarden/hook";
export declare const model: any;
export declare const tools: any;
export declare const handoffs: any;
export declare const client: Client;
export declare const event: HookEvent;
export declare const events: readonly HookEvent[];
`;

it("scripts compile under strict settings", { timeout: 120_000 }, () => {
  const sources = new Map(
    inLanguages("ts", "js").map((block, index) => [
      join(root, "docs", `block-${index}.${block.language}`),
      block,
    ]),
  );
  expect(sources.size).toBeGreaterThan(20);
  const options: ts.CompilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    allowJs: true,
    checkJs: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    target: ts.ScriptTarget.ES2024,
    lib: [
      "lib.es2024.d.ts",
      "lib.esnext.disposable.d.ts",
      "lib.esnext.array.d.ts",
      "lib.esnext.iterator.d.ts",
    ],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ["node"],
    customConditions: ["hookwarden-source"],
  };
  // What the reader has: an agent of their own, and packages that are not installed here.
  for (const [file, text] of [
    ["agent.ts", readersAgent],
    ["not-installed.d.ts", 'declare module "@anthropic-ai/claude-agent-sdk";\n'],
  ] as const)
    sources.set(join(root, "docs", file), { place: file, language: "ts", info: "", text });
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.getCurrentDirectory = () => root;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path)?.text ?? readFile(path);
  const { getSourceFile } = host;
  host.getSourceFile = (path, format, ...rest) => {
    const block = sources.get(path);
    return block ? ts.createSourceFile(path, block.text, format, true) : getSourceFile(path, format, ...rest);
  };
  const program = ts.createProgram({ rootNames: [...sources.keys()], options, host });
  const problems = [...sources].flatMap(([path, { place, info }]) => {
    const file = program.getSourceFile(path);
    const found = info.includes("fragment")
      ? program.getSyntacticDiagnostics(file)
      : [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ start = 0, messageText, file: at }) => {
      const line = (at?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      const source = at?.text.split("\n")[line - 1] ?? "";
      return `${place}: ${source.trim()}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  });
  expect(problems).toEqual([]);
});

it("JSON parses, and manifests are valid", () => {
  const problems = inLanguages("json", "jsonl").flatMap(({ place, language, info, text: shown }) => {
    const text = info.includes("fragment") ? `{${shown}}` : shown;
    const values = (language === "jsonl" ? text.trim().split("\n") : [text]).map(
      (one) => JSON.parse(one) as object,
    );
    return values.flatMap((value) => {
      if (!("apiVersion" in value)) return [];
      const validate = "entry" in value ? validateHookManifest : validatePackManifest;
      return validate(value) ? [] : [`${place}: ${JSON.stringify(validate.errors)}`];
    });
  });
  expect(problems).toEqual([]);
});

/** The whole command line, with commands that do nothing. */
async function commandLine(): Promise<ReadonlyMap<string, () => Command>> {
  const cli = { terminal: new Terminal(), exitCode: 0 };
  const modules = await Promise.all(commandTable.map(async (row) => [row, await row.load()] as const));
  return new Map(
    modules.map(([row, module]) => [
      row.name,
      () => {
        const command = new Command(row.name).exitOverride().configureOutput({ writeErr: () => undefined });
        module.define(command, cli);
        if (row.contains) command.option("--containment <mode>").option("--no-cache");
        return command.action(() => undefined);
      },
    ]),
  );
}

/** Calls of hookwarden in a line of a shell. */
function callsIn(line: string): readonly (readonly string[])[] {
  return shellWords(line).flatMap((words) => {
    const at = words.findIndex((word) => word === "hookwarden" || word.endsWith("/hookwarden"));
    const before = words
      .slice(0, Math.max(at, 0))
      .every((word) => /^(npx|sudo|exec|-y|--yes|\w+=.*)$/.test(word));
    return at >= 0 && before ? [words.slice(at + 1)] : [];
  });
}

it("commands exist, with their options and values", async () => {
  const program = await commandLine();
  const problems: string[] = [];
  let calls = 0;
  for (const { place, language, text } of blocks) {
    const lines = text.replaceAll(/\\\n\s*/g, " ").split("\n");
    const shown =
      language === "sh" ? lines : lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    for (const line of shown) {
      for (const [name = "", ...args] of callsIn(line)) {
        calls++;
        if (["--help", "--version", "help"].includes(name)) continue;
        const command = program.get(name)?.();
        try {
          if (!command) throw new Error(`there is no command ${name}`);
          command.parse(args, { from: "user" });
        } catch (error) {
          if (!/^\(outputHelp\)$/.test((error as Error).message))
            problems.push(`${place}: ${line}: ${(error as Error).message}`);
        }
      }
    }
  }
  expect(calls).toBeGreaterThan(60);
  expect(problems).toEqual([]);
});

it("commands in the text exist, with their options", async () => {
  const program = await commandLine();
  const problems: string[] = [];
  for (const page of pages) {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/^ *```.*?^ *```/gms, "");
    for (const [, call = ""] of text.matchAll(/`(?:npx )?hookwarden ([^`]+)`/g)) {
      const [name = "", ...words] = call
        .replaceAll(/[[\]|]/g, " ")
        .replace(/ -- .*/, "")
        .split(/\s+/);
      if (!/^[a-z]+$/.test(name)) continue;
      const command = program.get(name)?.();
      const known = new Set([
        "--help",
        ...(command?.options.flatMap(({ long, short }) => [long, short]) ?? []),
      ]);
      const unknown = words.filter((word) => /^--[a-z]/.test(word) && !known.has(word.replace(/=.*/, "")));
      if (!command || unknown.length > 0) problems.push(`${page}: hookwarden ${call}`);
    }
  }
  expect(problems).toEqual([]);
});
