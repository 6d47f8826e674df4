import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ActionName } from "../../src/catalogue/actions.ts";
import type { EventName } from "../../src/catalogue/events.ts";
import { actionNames, actionRows, eventNames, eventRows, legalActions } from "../../src/catalogue/lookup.ts";
import type { Action, Decision } from "../../src/broker/decision.ts";
import type { FailurePolicy, HookMode } from "../../src/pack/types.ts";
import { createWarden } from "../../src/warden/index.ts";
import { type FakeHook, fakePack } from "../support/fake-pack.ts";
import { FakeFault, FakeSandbox } from "../support/fake-sandbox.ts";
import { sampleAction } from "../support/sample-actions.ts";
import { sampleEvent } from "../support/sample-events.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** What a hook of a random pack is, and what it does when it is called. */
interface Plan {
  readonly asked: readonly ActionName[];
  readonly granted: readonly ActionName[];
  readonly priority: number;
  readonly mode: HookMode;
  readonly onFailure: FailurePolicy;
  readonly behaviour: Behaviour;
  /** Whether what it says depends on what it sees. */
  readonly fickle: boolean;
}
type Behaviour =
  | { readonly kind: "answer"; readonly actions: readonly ActionName[] }
  | { readonly kind: "garbage"; readonly value: unknown }
  | { readonly kind: "fault" };

const names = fc.subarray([...actionNames]);
/** Biased to what an event allows: a random action is nearly always illegal. */
const actionsAt = (event: EventName) =>
  fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...([...legalActions(event)] as ActionName[])) },
      fc.constantFrom(...actionNames),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
const behaviourAt = (event: EventName): fc.Arbitrary<Behaviour> =>
  fc.oneof(
    { weight: 8, arbitrary: actionsAt(event).map((actions) => ({ kind: "answer", actions }) as const) },
    {
      weight: 1,
      arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => ({ kind: "garbage", value }) as const),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "fault" } as const) },
  );
const planAt = (event: EventName): fc.Arbitrary<Plan> =>
  fc.record({
    asked: fc.oneof(fc.constant(actionNames), names),
    granted: fc.oneof(fc.constant(actionNames), names),
    priority: fc.integer({ min: 0, max: 2 }),
    mode: fc.constantFrom<HookMode>("sequential", "sequential", "sequential", "parallel", "monitor"),
    onFailure: fc.constantFrom<FailurePolicy>("open", "open", "closed"),
    behaviour: behaviourAt(event),
    fickle: fc.boolean(),
  });
const scenario = fc
  .constantFrom(...eventNames)
  .chain((event) => fc.tuple(fc.constant(event), fc.array(planAt(event), { maxLength: 7 }), fc.boolean()));

/** Little enough that packs exceed it now and then. */
const injectionBytes = 12;

/** What a hook was shown, in a call. */
interface Heard {
  readonly hook: string;
  readonly event: string;
}

function hooksOf(event: EventName, plans: readonly Plan[], heard: Heard[], delay: () => number): FakeHook[] {
  return plans.map((plan, index) => {
    const name = `h${index}`;
    return {
      name,
      on: [event],
      asked: plan.asked,
      granted: plan.granted,
      roles: ["user"],
      priority: plan.priority,
      mode: plan.mode,
      onFailure: plan.onFailure,
      state: { scope: "session", maxBytes: 10_000 },
      run: async (seen) => {
        const text = JSON.stringify(seen);
        heard.push({ hook: name, event: text });
        const wait = delay();
        if (wait > 0) await sleep(wait);
        const { behaviour } = plan;
        if (behaviour.kind === "fault") throw new FakeFault("timeout");
        if (behaviour.kind === "garbage") return behaviour.value;
        const mark = plan.fickle ? `${name}:${text.length}` : name;
        // A fickle guard changes its mind with what it sees.
        if (plan.fickle && text.includes("h0")) return null;
        return behaviour.actions.map((action) => sampleAction(action, mark));
      },
    };
  });
}

async function run(event: EventName, plans: readonly Plan[], delay: () => number, monitor = false) {
  const sandbox = new FakeSandbox();
  const heard: Heard[] = [];
  const hooks = hooksOf(event, plans, heard, delay);
  const pack = fakePack(sandbox, hooks, { monitor, budgets: { injectionBytes } });
  const warden = await createWarden({ sandbox, pack });
  const decision = await warden.dispatch(sampleEvent(event), { decisionId: "d1" });
  return { decision, heard, pack };
}

const row = (name: string) => actionRows.get(name)!;
const isStop = (name: string): boolean => row(name).stops === true;

test("no decision carries an effect that is illegal, ungranted or without an author", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ([event, plans, monitor]) => {
      const { decision } = await run(event, plans, () => 0, monitor);
      expect(problemsOf(decision, event, plans, monitor)).toEqual([]);
    }),
    { numRuns: propertyRuns(300) },
  );
});

/** Everything that must hold of a decision, whatever the hooks did; said anew, apart from the broker's own code. */
function problemsOf(
  decision: Decision,
  event: EventName,
  plans: readonly Plan[],
  monitor: boolean,
): string[] {
  const { verdict, decided_by, changes, additions, trace } = decision;
  const problems: string[] = [];
  const must = (holds: boolean, what: string): void => void (holds || problems.push(what));
  const planOf = (hook: string): Plan => plans[Number(hook.slice(1))]!;
  const { closedAs } = eventRows.get(event)!;
  const mayHave = (hook: string, action: ActionName): boolean => {
    const { mode, asked, granted } = planOf(hook);
    const barred = mode === "monitor" || monitor || (mode === "parallel" && row(action).kind !== "addition");
    return !barred && legalActions(event).has(action) && asked.includes(action) && granted.includes(action);
  };

  for (const { hook, outcome, actions } of trace) {
    if (outcome !== "honoured" && outcome !== "discarded") continue;
    for (const { action } of actions)
      must(action === "continue" || mayHave(hook, action), `${hook} had ${action}`);
  }
  if (verdict === "continue") must(decided_by === null, "continue has an author");
  else {
    const said = trace.some(
      ({ hook, actions }) => hook === decided_by && actions.some(({ action }) => action === verdict),
    );
    const failed = trace.some(({ hook, fault }) => hook === decided_by && fault !== null);
    const closed = failed && verdict === closedAs && planOf(decided_by!).onFailure === "closed";
    must((said && mayHave(decided_by!, verdict)) || closed, `${verdict} of ${decided_by} has no ground`);
  }
  for (const [field, value] of Object.entries(changes)) {
    const written = trace.some(
      ({ outcome, actions }) =>
        outcome === "honoured" && actions.some((action) => writes(action, field, value)),
    );
    must(written, `no hook wrote ${field}`);
  }
  const authors: [ActionName, readonly { hook: string }[]][] = [
    ["augment", additions.augment?.parts ?? []],
    ["inject", additions.messages],
    ["add_context", additions.context],
    ["notify", additions.notices],
  ];
  for (const [action, parts] of authors) {
    for (const { hook } of parts)
      must(honouredBy(decision, action).includes(hook), `${hook} did not ${action}`);
  }
  const forTheModel = [additions.augment?.parts ?? [], additions.messages, additions.context].flat();
  if (isStop(verdict)) must(Object.keys(changes).length + forTheModel.length === 0, "a stop left effects");
  const bytes = forTheModel.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  must(bytes <= injectionBytes, "the injection budget was exceeded");
  if (monitor)
    must(verdict === "continue" && additions.notices.length === 0, "a monitored pack had an effect");
  for (const index of plans.keys()) {
    const entries = trace.filter(({ hook }) => hook === `h${index}`);
    must(entries.filter(({ recheck }) => !recheck).length === 1, `h${index} is not in the trace once`);
    must(entries.length <= 2, `h${index} ran more than twice`);
  }
  const closed = trace.some(
    ({ hook, fault, outcome }) =>
      fault !== null &&
      outcome !== "monitored" &&
      outcome !== "discarded" &&
      closedAs !== undefined &&
      planOf(hook).onFailure === "closed",
  );
  if (closed) must(isStop(verdict), "a closed fault stopped nothing");
  return problems;
}

test("the same pack and event give the same decision, whatever the timing", async () => {
  const timeless = ({ decision }: { decision: Decision }): object => ({
    ...decision,
    pack: "",
    duration_us: 0,
    trace: decision.trace.map((entry) => ({ ...entry, duration_us: 0 })),
  });
  await fc.assert(
    fc.asyncProperty(
      scenario,
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }),
      async ([event, plans], delays) => {
        let next = 0;
        const steady = await run(event, plans, () => 0);
        const shaken = await run(event, plans, () => delays[next++ % delays.length]!);
        expect(timeless(shaken)).toEqual(timeless(steady));
      },
    ),
    { numRuns: propertyRuns(30) },
  );
});

test("no guard's verdict rests on an input other than the final one", async () => {
  // Guards and rewriters only: what they say always depends on what they see.
  const rewriters: { readonly [E in EventName]?: ActionName } = {
    PreToolUse: "modify_input",
    UserPromptSubmit: "transform",
    PreModelRequest: "replace_messages",
    PostToolUse: "replace_result",
    PostModelResponse: "replace_response",
    ModelResponseChunk: "replace_chunk",
  };
  const chain = fc
    .constantFrom(...(Object.keys(rewriters) as EventName[]))
    .chain((event) =>
      fc.tuple(
        fc.constant(event),
        fc.array(fc.constantFrom("guard", "rewriter"), { minLength: 1, maxLength: 6 }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(chain, async ([event, roles]) => {
      const sandbox = new FakeSandbox();
      const lastSeen = new Map<string, string>();
      const verdicts = [...legalActions(event)].filter(
        (name) => name !== "continue" && row(name).kind === "verdict",
      ) as ActionName[];
      const hooks = roles.map((role, index): FakeHook => {
        const name = `h${index}`;
        if (role === "rewriter") {
          return {
            name,
            on: [event],
            asked: [rewriters[event]!],
            run: () => sampleAction(rewriters[event]!, `by ${name}`),
          };
        }
        return {
          name,
          on: [event],
          asked: verdicts,
          run: (seen) => void lastSeen.set(name, JSON.stringify(seen)),
        };
      });
      const warden = await createWarden({ sandbox, pack: fakePack(sandbox, hooks) });
      const decision = await warden.dispatch(sampleEvent(event, { time: "2026-01-01T00:00:00Z" }));
      const final = { ...sampleEvent(event, { time: "2026-01-01T00:00:00Z" }), ...decision.changes };
      for (const seen of lastSeen.values()) expect(JSON.parse(seen)).toEqual(final);
      expect(lastSeen.size).toBe(roles.filter((role) => role === "guard").length);
    }),
    { numRuns: propertyRuns(60) },
  );
});

function honouredBy(decision: Decision, action: ActionName): string[] {
  return decision.trace.flatMap(({ hook, actions }) =>
    actions.some((one) => one.action === action) ? [hook] : [],
  );
}

function writes(action: Action, field: string, value: unknown): boolean {
  const rewrites = row(action.action).rewrites ?? {};
  return Object.entries(rewrites).some(
    ([payload, target]) => target === field && JSON.stringify(action[payload]) === JSON.stringify(value),
  );
}
