import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Decision } from "../../src/broker/decision.ts";
import type { ActionName } from "../../src/catalogue/actions.ts";
import { actionNames, actionRows, eventNames, eventRows } from "../../src/catalogue/lookup.ts";
import { createDialect, dialects } from "../../src/dialects/index.ts";
import type { Translator } from "../../src/dialects/translator.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import type { FakeHook } from "../support/fake-pack.ts";
import { FakeFault } from "../support/fake-sandbox.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { sampleAction } from "../support/sample-actions.ts";
import { goodMessages, messageOf, wireOf } from "./arbitrary-messages.ts";
import { effectsOf } from "./effects.ts";
import { pinned } from "./pinned.ts";
import { propertyRuns } from "../support/property-runs.ts";

type Sent = { readonly [field: string]: any };
/** What the next call of each hook returns, or `null` for a crash. */
type Answers = readonly (readonly ActionName[] | null)[];

let answers: Answers = [];
const modes = ["sequential", "sequential", "parallel", "monitor", "sequential"] as const;

/** Hooks that may do everything everywhere and return what the test wants, whatever the system makes of it. */
const hooks: readonly FakeHook[] = modes.map((mode, index) => ({
  name: `h${index}`,
  // Agentix takes no other pack.
  on: mode === "parallel" ? eventNames.filter((event) => event !== "PostModelResponse") : eventNames,
  mode,
  asked: actionNames,
  roles: ["user", "system"],
  state: { scope: "session", maxBytes: 100 },
  run: () => {
    const list = answers[index];
    if (list === null) throw new FakeFault("threw");
    return list?.map((name) => sampleAction(name, `${name} of h${index}`));
  },
}));

const anyAnswers: fc.Arbitrary<Answers> = fc.array(
  fc.option(fc.uniqueArray(fc.constantFrom(...actionNames), { minLength: 1, maxLength: 3 }), { freq: 8 }),
  { minLength: modes.length, maxLength: modes.length },
);

let sessions = 0;

for (const [name] of dialects) {
  describe(`${name}: whatever comes`, () => {
    let translator: Translator;
    beforeAll(async () => void (translator = createDialect((await fakeWarden(hooks)).warden, name)));

    test("a message gives an answer or an error of ours, and both are JSON", async () => {
      const codes = [
        "event-not-json",
        "event-too-large",
        "event-unknown",
        "event-invalid",
        "dialect-unsupported",
      ];
      await fc.assert(
        fc.asyncProperty(wireOf(name), anyAnswers, async (input, returned) => {
          answers = returned;
          const answer = await translator.handle(input as object).catch((error: unknown) => {
            if (!(error instanceof HookwardenError) || !codes.includes(error.code)) throw error;
            return error.toLine();
          });
          expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
          // An error is one line, whatever stands in the message.
          if (typeof answer === "string" && /[\u0000-\u001f\u007f]/.test(answer)) throw new Error(answer);
        }),
        { numRuns: propertyRuns(80) },
      );
    });

    test("an answer says nothing that the table does not allow, and nothing without an author", async () => {
      let effects = 0;
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...goodMessages[name]!), anyAnswers, async (message, returned) => {
          answers = returned;
          const sent: Sent = { ...message, session_id: `s${++sessions}` };
          const reply = await translator.reply(sent).catch(unsaid);
          if (reply.decision === null) return;
          const carried = new Set([
            ...pinned[name]![sent.event ?? sent.phase ?? sent.run ?? sent.hook_event_name]!.split(" "),
            "notify",
          ]);
          for (const possible of effectsOf(name, sent, reply.answer)) {
            effects++;
            expect(
              caused(reply.decision, possible, carried),
              `${JSON.stringify(sent)} ${JSON.stringify(reply)}`,
            ).toBe(true);
          }
        }),
        { numRuns: propertyRuns(600) },
      );
      expect(effects).toBeGreaterThan(50);
    });

    test("the same message and hooks give the same answer", async () => {
      const marker = /[0-9a-f]{32}/g;
      await fc.assert(
        fc.asyncProperty(messageOf(name), anyAnswers, async (message, returned) => {
          answers = returned;
          const session_id = `s${++sessions}`;
          const twice = [];
          for (const round of ["a", "b"]) {
            const sent =
              typeof message === "object" && message !== null
                ? { ...message, session_id: session_id + round }
                : message;
            const answer = await translator
              .handle(sent as object, { decisionId: "d", time: 0 })
              .catch((error: unknown) => String(error));
            twice.push(
              JSON.stringify(answer)
                ?.replaceAll(marker, "")
                .replaceAll(session_id + round, ""),
            );
          }
          expect(twice[1]).toBe(twice[0]);
        }),
        { numRuns: propertyRuns(30) },
      );
    });
  });
}

/** The only error that a good message may end in. */
function unsaid(error: unknown): { readonly answer: null; readonly decision: null } {
  if (!(error instanceof HookwardenError) || error.code !== "dialect-unsupported") throw error;
  return { answer: null, decision: null };
}

/** Whether a hook's own honoured action, or a fault that the step was closed for, can have had the effect. */
function caused(decision: Decision, possible: readonly ActionName[], carried: ReadonlySet<string>): boolean {
  const honoured = decision.trace.flatMap((entry) => {
    if (entry.recheck) return [];
    const actions = entry.actions.map(({ action }) => action);
    if (entry.outcome === "honoured") return actions;
    // A later stop discards what an earlier hook did to the step, and keeps its notices. The answer of a parallel hook
    // is discarded whole.
    const parallel = modes[Number(entry.hook.slice(1))] === "parallel";
    return entry.outcome === "discarded" && !parallel
      ? actions.filter((action) => actionRows.get(action)?.everywhere)
      : [];
  });
  if (possible.some((action) => carried.has(action) && honoured.includes(action))) return true;
  const author = decision.trace.find(({ hook, fault }) => hook === decision.decided_by && fault);
  const closed = eventRows.get(decision.hook_event_name)?.closedAs;
  return author !== undefined && decision.verdict === closed && actionRows.get(closed)?.stops === true;
}
