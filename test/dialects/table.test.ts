import { describe, expect, test } from "vitest";
import { actionNames, actionRows, eventNames, eventRows, legalActions } from "../../src/catalogue/lookup.ts";
import { dialects } from "../../src/dialects/index.ts";
import { rulesOf } from "../../src/dialects/rules.ts";
import { pinned, unstoppable } from "./pinned.ts";

describe("tables of the dialects", () => {
  test("the dialects are the pinned ones", () => {
    expect([...dialects.keys()].sort()).toEqual(Object.keys(pinned).sort());
    for (const [name, dialect] of dialects) expect(dialect.name).toBe(name);
  });

  for (const [name, dialect] of dialects) {
    describe(name, () => {
      test("carries what the pinned table has", () => {
        const carried = [...dialect.rows].map(([event, row]) => [event, [...row.carries].sort().join(" ")]);
        expect(Object.fromEntries(carried)).toEqual(pinned[name]);
      });

      test("carries nothing that is illegal at the event, and ignores nothing that it carries", () => {
        for (const [event, row] of dialect.rows) {
          expect([event, eventNames]).toEqual([event, expect.arrayContaining([row.event])]);
          expect([event, row.carries.filter((action) => !legalActions(row.event).has(action))]).toEqual([
            event,
            [],
          ]);
          const ignored = row.ignores ?? [];
          expect([event, row.carries.filter((action) => ignored.includes(action))]).toEqual([event, []]);
        }
      });

      test("has a form for every stop that a decision can hold", () => {
        const without: string[] = [];
        for (const [event, { carries, stops, event: ours }] of dialect.rows) {
          const stopping = carries.filter((action) => actionRows.get(action)?.stops);
          expect([event, Object.keys(stops)]).toEqual([event, expect.arrayContaining(stopping)]);
          const closed = eventRows.get(ours)?.closedAs;
          if (closed !== undefined && !(closed in stops)) without.push(event);
          const possible = [...carries, closed];
          expect([event, Object.keys(stops).filter((stop) => !possible.includes(stop as never))]).toEqual([
            event,
            [],
          ]);
        }
        expect(without).toEqual(unstoppable[name] ?? []);
      });

      test("names only fields that its events have", () => {
        for (const [, row] of dialect.rows) {
          const known = ["session_id", "cwd", ...Object.keys(eventRows.get(row.event)?.fields ?? {})];
          expect(known).toEqual(expect.arrayContaining(Object.values(row.fields ?? {})));
        }
      });

      test("its rules say what its table says, for each row", () => {
        const rules = rulesOf(dialect);
        for (const [event, row] of dialect.rows) {
          const { carries, lenient, onFailure } = rules.get(event)!;
          expect([...carries!.get(row.event)!].sort()).toEqual(
            [...row.carries, "continue", "notify", "set_state"].sort(),
          );
          expect([...(lenient!.get(row.event) ?? [])].sort()).toEqual([...(row.ignores ?? [])].sort());
          expect(onFailure!.get(row.event)).toBe(row.onFailure);
        }
      });
    });
  }

  test("rows that share an event share rules only if they mean the same; few sets are made", () => {
    const sets = [...dialects.values()].map((dialect) => [
      dialect.name,
      new Set(rulesOf(dialect).values()).size,
    ]);
    expect(Object.fromEntries(sets)).toEqual({
      pig: 1,
      agentix: 1,
      eai: 2,
      "ex-athena": 1,
      "hook-event": 2,
      "claude-code": 1,
    });
    for (const dialect of dialects.values()) expect(rulesOf(dialect)).toBe(rulesOf(dialect));
  });

  test("only a system's own words are ignored where a gate stands", () => {
    const gates = new Set(["PreToolUse", "PermissionRequest"]);
    for (const dialect of dialects.values()) {
      for (const row of dialect.rows.values()) {
        if (!gates.has(row.event)) continue;
        for (const action of row.ignores ?? []) expect(["inject", "transform", "augment"]).toContain(action);
      }
    }
    expect(actionNames.length).toBe(23);
  });
});
