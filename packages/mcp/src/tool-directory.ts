import { type ToolInputCheck, containsNul, toolInputChecks } from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";
import { acceptSchema, checkAgainst } from "hookwarden/pack";
import { isObject } from "./message.ts";

/** Most tools of one server that are remembered, and most pages that the proxy itself asks for. */
const maxTools = 10_000;
const maxPages = 100;

/** What a server says of a tool, as far as the proxy needs it. */
interface ListedTool {
  readonly input: ToolInputCheck;
  /** `undefined`: the tool promises no structured output. */
  readonly outputSchema: unknown;
}

/** Asks the server for a page of its tools. */
export type ListPage = (cursor: string | undefined) => Promise<unknown>;

/** The schemas of a server's tools: those that the client has asked for, or that the proxy has where it needs one. */
export class ToolDirectory {
  readonly #list: ListPage;
  readonly #tools = new Map<string, ListedTool>();
  #listing: Promise<void> | null = null;

  constructor(list: ListPage) {
    this.#list = list;
  }

  /** Takes in the tools of a page, whichever way it came. */
  learn(tools: readonly unknown[]): void {
    for (const tool of tools) {
      if (!isObject(tool) || typeof tool["name"] !== "string" || this.#tools.size >= maxTools) continue;
      // The schema is looked at when it is needed: most tools are listed, and few are ever rewritten.
      const { name, inputSchema, outputSchema } = tool as { name: string; [field: string]: unknown };
      this.#tools.set(name, { input: lazily(name, inputSchema), outputSchema });
    }
  }

  forget(): void {
    this.#tools.clear();
    this.#listing = null;
  }

  /** What is wrong with an input that a hook has made for a tool, in words; `null` where nothing is. */
  async inputProblem(name: string, input: unknown): Promise<string | null> {
    if (containsNul(input)) return "it holds U+0000";
    const tool = await this.#find(name);
    if (!tool) return "the server lists no such tool, so that there is no schema to hold it to";
    return tool.input(input);
  }

  /**
   * What is wrong with a result's structured content where a hook has replaced it; `null` where nothing is. A tool that
   * was never listed has promised the client nothing.
   */
  outputProblem(name: string, structured: unknown): string | null {
    const schema = this.#tools.get(name)?.outputSchema;
    if (schema === undefined) return null;
    if (!isObject(structured)) return "the tool promises structured content";
    const copy: unknown = structuredClone(schema);
    const unusable = acceptSchema(copy);
    if (unusable) return `the tool's output schema ${unusable.message}`;
    const problem = checkAgainst(copy, structured);
    return problem && `${problem.pointer === "" ? "it" : `\`${problem.pointer}\``} ${problem.message}`;
  }

  async #find(name: string): Promise<ListedTool | undefined> {
    if (!this.#tools.has(name)) {
      this.#listing ??= this.#listAll();
      await this.#listing;
    }
    return this.#tools.get(name);
  }

  async #listAll(): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const result = await this.#list(cursor);
      if (!isObject(result) || !Array.isArray(result["tools"])) return;
      this.learn(result["tools"]);
      cursor = typeof result["nextCursor"] === "string" ? result["nextCursor"] : undefined;
      if (cursor === undefined) return;
    }
  }
}

/** A check that is made at its first use. A schema that cannot be used lets nothing through. */
function lazily(name: string, schema: unknown): ToolInputCheck {
  let check: ToolInputCheck | null = null;
  return (input) => (check ??= checkFor(name, schema))(input);
}

function checkFor(name: string, schema: unknown): ToolInputCheck {
  try {
    return toolInputChecks(new Map([[name, schema]])).get(name) as ToolInputCheck;
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    return () => error.message;
  }
}
