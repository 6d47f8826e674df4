import { readFileSync } from "node:fs";
import {
  ClientNotificationSchema,
  ClientRequestSchema,
  ServerNotificationSchema,
  ServerRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import type { Side } from "../src/context.ts";
import { type MethodRow, methodTable, notificationTable } from "../src/methods.ts";
import { protocolMembers } from "../src/spelling.ts";

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

  // A method that the protocol gets is in the table only with a decision: something of it is judged, or it says why not.
  test.each(sdk[side])("%s has something judged, or says why it passes", (method) => {
    const row = methodTable[method];
    const judged = row?.[side]?.answer !== undefined;
    if (!judged && row?.client == null && row?.server == null)
      expect(row?.says).toMatch(/^passed on as it is: ./);
    if (!judged && side === "client") expect(silent).toContain(method);
  });
});

/** Requests of a client whose result is empty by the protocol. */
const silent = ["ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];

test("every notification that the SDK knows has a decision, under the side that sends it", () => {
  const known = { client: methodsOf(ClientNotificationSchema), server: methodsOf(ServerNotificationSchema) };
  for (const side of ["client", "server"] as const) {
    const rows = Object.entries(notificationTable).filter(([, { from }]) => from.includes(side));
    expect(rows.map(([method]) => method).sort()).toEqual([...known[side]].sort());
  }
  for (const { judged, says } of Object.values(notificationTable))
    expect(says).toMatch(judged ? /PostToolUse/ : /^passed on as it is: ./);
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
    .filter(([method = "", , says]) => says !== undefined && /^`[a-z]+(\/[A-Za-z_]+)*`$/.test(method))
    .map(([method = "", by, says]) => [method.slice(1, -1), by, says]);

  test("names every request, who sends it, and what happens", () => {
    const expected = Object.entries(methodTable).map(([method, row]) => [
      method,
      (["client", "server"] as const).filter((side) => allows(row, side)).join(", "),
      row.says,
    ]);
    const notices = Object.entries(notificationTable).map(([method, { from, says }]) => [
      method,
      from.join(", "),
      says,
    ]);
    expect(rows).toEqual([...expected, ...notices]);
  });

  // Everything that carries content of a server and is not mediated must be owned up to.
  test.each([/\*\*Private methods\.\*\*/, /sampling with tools/])("says what is not covered: %s", (words) => {
    expect(page.slice(page.indexOf("## What is not covered"))).toMatch(words);
  });
});

const types = readFileSync(
  new URL("../../../node_modules/@modelcontextprotocol/sdk/dist/esm/spec.types.d.ts", import.meta.url),
  "utf8",
);

// A member that the list does not have could be sent in another case, past the hooks.
test("every member that the SDK's text of the protocol names has one spelling", () => {
  /** Members of schemas of a tool or a form, which are data. */
  const ofSchemas =
    "$schema anyOf const default enum enumNames format items maxItems maxLength maximum minItems minLength minimum oneOf properties";
  const named = [...types.matchAll(/^\s+(?:readonly )?([A-Za-z_$][\w$]*)\??:/gm)].map(
    ([, name = ""]) => name,
  );
  expect(named.length).toBeGreaterThan(200);
  const free = new Set(ofSchemas.split(" "));
  expect([...new Set(named)].filter((name) => !free.has(name) && !protocolMembers.has(name))).toEqual([]);
});

test("there is no other request or notification in the SDK's own text of the protocol", () => {
  const named = [...types.matchAll(/^ *method: "([^"]+)";$/gm)].map(([, method = ""]) => method);
  const requests = named.filter((method) => !method.startsWith("notifications/"));
  expect(requests.length).toBeGreaterThan(15);
  expect(requests.filter((method) => !Object.hasOwn(methodTable, method))).toEqual([]);
  const notices = named.filter((method) => method.startsWith("notifications/"));
  expect(notices.filter((method) => !Object.hasOwn(notificationTable, method))).toEqual([]);
});
