import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ActionName } from "../../src/catalogue/actions.ts";
import { type EventName, events } from "../../src/catalogue/events.ts";
import { actionNames, actionRows, eventNames, legalActions } from "../../src/catalogue/lookup.ts";
import type { Decision } from "../../src/broker/decision.ts";
import type { Warden } from "../../src/warden/index.ts";
import type { FakeHook } from "./fake-pack.ts";
import { sampleAction } from "./sample-actions.ts";
import { sampleEvent } from "./sample-events.ts";

/**
 * Which actions are legal where, written out by hand. The suite is generated from the catalogue's table; this copy
 * keeps a slip of the pen in the table from making itself right.
 */
const pinned: { readonly [N in EventName]: string } = {
  SessionStart: "inject add_context halt",
  SessionEnd: "",
  UserPromptSubmit: "block halt retry transform inject add_context",
  UserPromptAccepted: "",
  PreModelRequest: "block halt retry replace_messages replace_system set_params inject add_context",
  ModelResponseChunk: "replace_chunk drop_chunk",
  PostModelResponse: "block halt retry replace_response",
  ModelRequestFailure: "",
  PreToolUse: "allow ask deny skip halt modify_input add_context",
  PermissionRequest: "allow ask deny halt",
  PermissionDenied: "halt",
  PostToolUse: "augment replace_result block halt inject",
  PostToolUseFailure: "augment replace_error add_context halt",
  Stop: "retry block halt inject add_context",
  StopFailure: "",
  TurnComplete: "",
  SubagentStart: "inject add_context halt",
  SubagentStop: "retry inject halt",
  PreCompact: "block halt inject add_context",
  CompactStage: "halt",
  PostCompact: "replace_messages halt",
  Notification: "halt",
};

const probed = actionNames.filter((name) => name !== "continue");

/** The probe: a hook that may do everything everywhere, and returns what the event's extra field `probe` says. */
const probe = {
  name: "probe",
  reads: ["*", "probe"],
  actions: probed,
  on: eventNames.map((event) => ({ event })),
  state: { scope: "session", maxBytes: 1_000 },
} as const;

/** The probe as files of a pack, for `loadPackFromFiles`. */
export function probeFiles(): Map<string, Uint8Array> {
  const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  return new Map<string, Uint8Array>([
    ["hookwarden.json", json({ apiVersion: 1, hooks: ["probe"], grants: { probe: { actions: probed } } })],
    ["probe/hook.json", json({ apiVersion: 1, version: "1.0.0", entry: "hook.js", ...probe })],
    ["probe/hook.js", Buffer.from("export default (event) => event.probe;\n")],
  ]);
}

/** The probe as a hook of a fake pack. */
export const probeHook: FakeHook = {
  name: probe.name,
  reads: probe.reads,
  asked: probe.actions,
  on: eventNames,
  state: probe.state,
  run: (event) => event.probe,
};

/**
 * Every pair of event and action: a legal action is honoured; an illegal one is refused, attributed, and takes
 * everything else of the answer with it.
 *
 * @param create makes a warden over the probe, on the engine under test.
 */
export function legalitySuite(title: string, create: () => Promise<Warden>): void {
  describe(`legality of actions: ${title}`, () => {
    let warden: Warden;
    let sessions = 0;
    beforeAll(async () => void (warden = await create()));
    afterAll(async () => warden[Symbol.asyncDispose]());

    const ask = (event: EventName, answer: unknown): Promise<Decision> =>
      warden.dispatch(sampleEvent(event, { session_id: `legality-${++sessions}`, probe: answer }));

    test("the table is the pinned one", () => {
      const table = Object.fromEntries(
        eventNames.map((event) => [event, [...events[event].actions].sort().join(" ")]),
      );
      const copy = Object.fromEntries(
        Object.entries(pinned).map(([event, list]) => [
          event,
          list.split(" ").filter(Boolean).sort().join(" "),
        ]),
      );
      expect(table).toEqual(copy);
      expect(eventNames).toHaveLength(22);
      expect(probed).toHaveLength(22);
    });

    for (const event of eventNames) {
      const legal = new Set([...pinned[event].split(" ").filter(Boolean), "notify", "set_state"]);
      for (const action of probed) {
        if (legal.has(action)) {
          test(`${event} honours ${action}`, async () =>
            honoured(await ask(event, sampleAction(action)), event, action));
        } else {
          test(`${event} refuses ${action}`, async () => {
            refused(await ask(event, sampleAction(action)), event, [action]);
            // Legal company does not help, and shares the fate.
            refused(await ask(event, [sampleAction("notify"), sampleAction(action)]), event, [
              "notify",
              action,
            ]);
          });
        }
      }
    }

    test("an action that is legal nowhere is no action", async () => {
      for (const name of [
        "constructor",
        "__proto__",
        "toString",
        "Deny",
        "deny ",
        "deny\0",
        "",
        "contіnue",
      ]) {
        const decision = await ask("PreToolUse", { action: name, reason: "mark" });
        expect(decision.trace[0]?.fault?.code).toBe("invalid-output");
        expect(decision.verdict).toBe("deny");
        expect(decision.reason).not.toContain("mark");
      }
    });
  });
}

function honoured(decision: Decision, event: EventName, action: ActionName): void {
  const [entry] = decision.trace;
  expect(entry).toMatchObject({ hook: "probe", outcome: "honoured", refused: [], fault: null });
  expect(entry?.actions).toEqual([sampleAction(action)]);
  const { kind, rewrites = {}, payload } = actionRows.get(action)!;
  const speaks = "reason" in payload || "feedback" in payload;
  expect([decision.verdict, decision.decided_by]).toEqual(
    kind === "verdict" ? [action, "probe"] : ["continue", null],
  );
  expect(decision.reason ?? decision.feedback).toBe(speaks ? "mark" : null);
  const rewritten = Object.entries(rewrites).filter(([payloadField]) => payloadField in sampleAction(action));
  expect(decision.changes).toEqual(
    Object.fromEntries(rewritten.map(([payloadField, field]) => [field, sampleAction(action)[payloadField]])),
  );
  expect(rewritten.length > 0).toBe(kind === "change");
  const { augment, messages, context, notices } = decision.additions;
  const part = { hook: "probe", trust: "third-party", text: "mark" };
  expect(augment).toEqual(action === "augment" ? { text: "mark", parts: [part] } : null);
  expect(messages).toEqual(action === "inject" ? [{ ...part, role: "user", durable: true }] : []);
  expect(context).toEqual(action === "add_context" ? [part] : []);
  expect(notices).toEqual(action === "notify" ? [part] : []);
  expect(legalActions(event).has(action)).toBe(true);
}

function refused(decision: Decision, event: EventName, actions: readonly ActionName[]): void {
  const [entry] = decision.trace;
  expect(entry).toMatchObject({
    hook: "probe",
    outcome: "refused",
    actions: [],
    fault: { code: "illegal-action" },
  });
  expect(entry?.refused.map(({ action, code }) => [action, code])).toEqual(
    actions.map((a) => [a, "illegal-action"]),
  );
  const { closedAs } = events[event] as { closedAs?: string };
  expect(decision.verdict).toBe(closedAs ?? "continue");
  expect(decision.decided_by).toBe(closedAs ? "probe" : null);
  expect(decision.changes).toEqual({});
  expect(decision.additions).toEqual({ augment: null, messages: [], context: [], notices: [] });
  // Nothing that the hook wrote is left anywhere.
  expect(JSON.stringify(decision)).not.toContain('"mark"');
}
