import * as agents from "@openai/agents";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { filesWith, notListed, packageFile } from "../../../test/adapters/page.ts";
import { call, guarded, modes } from "./agent.ts";

/** Exports that speak of tools and agents, and run none: records of a run, tracing, guardrails and lookups. */
const others =
  /Error$|Triggered$|Event$|Span$|^dispatch|^Run[A-Z]|^(Agent|AgentHooks|MCPServers)$|^(ToolGuardrail|defineTool|resolveTool|runTool|create|connect|get[CT]|is|with|invalidate|get(Handoff|ToolSearch))/;

describe("every way to run something of the package", () => {
  test("stands on the page, as covered or as not", () => {
    const names = Object.keys(agents).filter(
      (name) => /tool|handoff|mcp|realtime|agent|shell|patch|computer/i.test(name) && !others.test(name),
    );
    expect(names.length).toBeGreaterThan(15);
    expect(notListed("openai-agents.md", names)).toEqual([]);
  });

  test("is of a kind that the page names: the types of tools", () => {
    const union =
      /export type Tool<[^>]*> = ([^;]+);/.exec(packageFile("@openai/agents-core/dist/tool.d.ts"))?.[1] ?? "";
    const kinds = union.split("|").map((kind) => kind.trim().replace(/<.*$/, ""));
    expect(kinds).toHaveLength(5);
    expect(notListed("openai-agents.md", kinds)).toEqual([]);
  });

  test("goes through the places of the package that are known", () => {
    const runner = packageFile("@openai/agents-core/dist/runner/toolExecution.mjs");
    const executors = [...runner.matchAll(/^export async function (execute\w+)/gm)].map(
      ([, name = ""]) => name,
    );
    expect(executors.length).toBeGreaterThan(0);
    expect(notListed("openai-agents.md", executors)).toEqual([]);
    // A new file here is a new way for something to run.
    const runs = /invokeFunctionTool\(|\.shell\.run\(|ditor\.createFile\(|onInvokeHandoff\(|omputer\.click\(/;
    expect(filesWith("@openai/agents-core/dist", ".mjs", runs)).toEqual([
      "handoff.mjs",
      "runner/toolExecution.mjs",
      "sandbox/capabilities/filesystem.mjs",
      "tool.mjs",
    ]);
  });
});

test.each(modes)("tools that a client-side search brings in are judged, in %s", async (mode) => {
  const ran = vi.fn<() => void>();
  const hidden = agents.tool({
    name: "hidden",
    description: "hidden",
    parameters: z.object({}),
    execute: async () => (ran(), "secret of hidden"),
  });
  const search = agents.toolSearchTool({ execution: "client", execute: async () => [hidden] } as never);
  const searched = {
    type: "tool_search_call",
    callId: "s",
    status: "completed",
    execution: "client",
    arguments: { paths: ["hidden"] },
  };
  const { warden } = await fakeWarden([
    { name: "guard", on: ["PreToolUse"], run: () => ({ action: "deny", reason: "not here" }) },
  ]);
  const { model, text, error } = await guarded(
    mode,
    [[searched as never], [call("hidden", {})], "done"],
    { warden, onUnmediated: () => undefined },
    { tools: [search] },
  );
  expect([text, error]).toEqual(["done", null]);
  expect(ran).not.toHaveBeenCalled();
  expect(model.asked(2)).toContain("| not here");
});
