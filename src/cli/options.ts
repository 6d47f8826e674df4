import { isObject } from "@hookwarden/sandbox/json";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { EngineName } from "@hookwarden/sandbox";
import type { RequiredReview } from "../bundle/index.ts";
import type { ToolSchemas } from "../broker/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { readJsonFile } from "./json-file.ts";

export type Format = "pretty" | "json";

export interface FormatOption {
  readonly format: Format;
}

export interface EngineOptions {
  readonly engine: EngineName;
  readonly isolation: "process" | "inline";
}

/** `--format`, as every command has it. */
export function addFormat(command: Command): Command {
  return command.addOption(
    new Option("--format <format>", "output format").choices(["pretty", "json"]).default("pretty"),
  );
}

/** `--engine` and `--isolation`, as every command has them that runs hooks. */
export function addEngine(command: Command): Command {
  return command
    .addOption(
      new Option("--engine <engine>", "JavaScript engine of the sandbox")
        .choices(["quickjs", "isolate"])
        .default("quickjs"),
    )
    .addOption(
      new Option("--isolation <kind>", "sandboxes in child processes, or (quickjs only) in this one")
        .choices(["process", "inline"])
        .default("process"),
    );
}

export function addExample(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText(
    "after",
    `\nExample:\n${lines.map((line) => `  $ hookwarden ${line}`).join("\n")}`,
  );
}

/** `--events`, as every command has it that reads events. */
export function addEvents(command: Command): Command {
  return command.option("--events <file>", "events as JSON Lines or JSON; `-` is standard input (required)");
}

export interface ReviewOptions {
  readonly requireReview?: readonly string[];
  readonly reviewers?: string;
}

/** `--require-review` and `--reviewers`, as every command has them that serves a pack. */
export function addReview(command: Command): Command {
  return command
    .option("--require-review <paths>", "require approval by these signed review records", names)
    .option("--reviewers <file>", "trust file with the public keys of reviewers");
}

/** @throws {HookwardenError} `usage` where only one of the two is given */
export function reviewOf({ requireReview, reviewers }: ReviewOptions): { requireReview?: RequiredReview } {
  if (requireReview === undefined && reviewers === undefined) return {};
  const records = requireReview ?? required(undefined, "--require-review");
  return {
    requireReview: { records: [records].flat(), trust: required(reviewers, "--reviewers") },
  };
}

/**
 * The value of an option that must be there. The argument parser could see to that too, but it would do so before it
 * looks for options that are misspelt.
 *
 * @throws {HookwardenError} `usage`
 */
export function required(value: string | undefined, option: string): string {
  if (value !== undefined) return value;
  throw new HookwardenError(
    "usage",
    `the ${option.startsWith("<") ? "argument" : "option"} \`${option}\` is missing`,
  );
}

/** Reads an option that takes several names, separated by commas or given again. */
export function names(value: string, before: readonly string[] | undefined): readonly string[] {
  const found = value.split(",").map((name) => name.trim());
  if (found.includes("")) throw new InvalidArgumentError("A name is empty.");
  return [...(before ?? []), ...found];
}

/**
 * Reads the input schemas of tools: an object with a schema for each tool's name, or a list of tools as the Model
 * Context Protocol and model providers have it (`name`, and `inputSchema` or `input_schema`).
 *
 * @throws {HookwardenError} `file-unreadable`, `option-invalid`
 */
export async function readTools(path: string): Promise<ToolSchemas> {
  const value = await readJsonFile(path);
  const list = isObject(value) && Array.isArray(value["tools"]) ? value["tools"] : value;
  if (isObject(list)) return new Map(Object.entries(list));
  if (!Array.isArray(list)) {
    throw new HookwardenError("option-invalid", "the file holds neither an object nor a list of tools", {
      file: path,
    });
  }
  return new Map(list.map((tool, index) => schemaOf(tool, index, path)));
}

function schemaOf(tool: unknown, index: number, file: string): [string, unknown] {
  const name = isObject(tool) ? tool["name"] : undefined;
  const schema = isObject(tool) ? (tool["inputSchema"] ?? tool["input_schema"]) : undefined;
  if (typeof name === "string" && schema !== undefined) return [name, schema];
  throw new HookwardenError("option-invalid", "a tool needs `name` and `inputSchema`", {
    file,
    pointer: `/${index}`,
  });
}
