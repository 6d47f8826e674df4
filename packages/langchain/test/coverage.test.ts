import * as langchain from "langchain";
import { describe, expect, test } from "vitest";
import { filesWith, notListed } from "../../../test/adapters/page.ts";

/** Exports that speak of tools and agents, and run none: errors, messages, and middleware that edits texts or counts. */
const others =
  /Error$|^ToolMessage|^MIDDLEWARE_BRAND$|^TODO_LIST|^ClearToolUsesEdit$|^FakeToolCallingModel$|^createMiddleware$|^(anthropicPromptCaching|bedrockPromptCaching|contextEditing|dynamicSystemPrompt|modelCallLimit|modelFallback|modelRetry|pii|piiRedaction|todoList)Middleware$/;

describe("every way to run a tool of the package", () => {
  test("stands on the page, as covered or as not", () => {
    const names = Object.keys(langchain).filter(
      (name) =>
        /agent|tool|middleware|strategy/i.test(name) &&
        !others.test(name) &&
        !/^(provider|Provider|apply)Strategy$/.test(name),
    );
    expect(names.length).toBeGreaterThan(15);
    expect(notListed("langchain.md", names)).toEqual([]);
  });

  test("goes through the place of the package that is known", () => {
    // A new file here is a new way for a tool to run.
    expect(filesWith("langchain/dist", ".js", /ool\.invoke\(|\._call\(|ool\.call\(/)).toEqual([
      "agents/nodes/ToolNode.js",
    ]);
  });
});
