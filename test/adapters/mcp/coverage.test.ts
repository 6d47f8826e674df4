import { readFileSync } from "node:fs";
import { ClientRequestSchema, ServerRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import type { Side } from "../../../src/adapters/mcp/context.ts";
import { type MethodRow, methodTable } from "../../../src/adapters/mcp/methods.ts";

/** Every way in which a tool can run, or its result come back, over MCP: mediated, or said not to be. */

const page = readFileSync(new URL("../../../docs/mcp.md", import.meta.url), "utf8");
const methodsOf = (schema: unknown): string[] =>
  (schema as { options: { shape: { method: { value: string } } }[] }).options.map(
    ({ shape }) => shape.method.value,
  );
const sdk: Readonly<Record<Side, readonly string[]>> = {
  client: methodsOf(ClientRequestSchema),
  server: methodsOf(ServerRequestSchema),
};
/** What the protocol says of the requests that concern tools, models and persons. */
const mediated: Readonly<Record<Side, readonly string[]>> = {
  client: ["tools/call", "tools/list", "tasks/result"],
  server: ["sampling/createMessage", "elicitation/create", "tasks/result"],
};

function allows({ client, server }: MethodRow, side: Side): boolean {
  return (side === "client" ? client : server) !== undefined;
}

describe.each(["client", "server"] as const)("what a %s may send", (side) => {
  test("is, request by request, what the SDK knows", () => {
    const known = Object.entries(methodTable).filter(([, row]) => allows(row, side));
    expect(known.map(([method]) => method).sort()).toEqual([...sdk[side]].sort());
  });

  test.each(mediated[side])("%s is mediated in what it asks or what it brings", (method) => {
    const mediation = methodTable[method]?.[side];
    expect(mediation?.answer).toBeTypeOf("function");
    if (method !== "tools/list") expect(mediation?.request).toBeTypeOf("function");
  });

  test.each(sdk[side].filter((method) => !mediated[side].includes(method)))(
    "%s changes nothing",
    (method) => {
      expect(methodTable[method]?.[side]?.answer).toBeUndefined();
      expect(methodTable[method]?.says).toBe("passed on as it is");
    },
  );
});

describe("the page", () => {
  const cells = (row: string): string[] =>
    row
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1);
  const rows = page
    .split("\n")
    .map(cells)
    .filter(([method = "", , says]) => says !== undefined && /^`[a-z]+(\/[A-Za-z]+)*`$/.test(method))
    .map(([method = "", by, says]) => [method.slice(1, -1), by, says]);

  test("names every request, who sends it, and what happens", () => {
    const expected = Object.entries(methodTable).map(([method, row]) => [
      method,
      (["client", "server"] as const).filter((side) => allows(row, side)).join(", "),
      row.says,
    ]);
    expect(rows).toEqual(expected);
  });

  // Everything that carries content of a server and is not mediated must be owned up to.
  test.each([
    /\*\*Resources and prompts\*\*/,
    /\*\*Methods of nobody's\.\*\*/,
    /sampling with tools/,
    /Progress messages/,
    /descriptions of tools/,
  ])("says what is not covered: %s", (words) => {
    expect(page.slice(page.indexOf("## What is not covered"))).toMatch(words);
  });
});

test("there is no other request in the SDK's own text of the protocol", () => {
  const types = readFileSync(
    new URL("../../../node_modules/@modelcontextprotocol/sdk/dist/esm/spec.types.d.ts", import.meta.url),
    "utf8",
  );
  const named = [...types.matchAll(/^ *method: "([^"]+)";$/gm)].map(([, method = ""]) => method);
  const requests = named.filter((method) => !method.startsWith("notifications/"));
  expect(requests.length).toBeGreaterThan(15);
  expect(requests.filter((method) => !Object.hasOwn(methodTable, method))).toEqual([]);
});
