import { setTimeout as sleep } from "node:timers/promises";
import { collectAdditions } from "./additions.ts";
import { type BrokerParts, Course, type DecideRequest, retryKeyOf } from "./course.ts";
import type { Decision } from "./decision.ts";
import { DecisionState, type StateAccess } from "./decision-state.ts";
import type { DecisionRecord } from "./record.ts";
import { type EventPlan, listens } from "./select.ts";
import { unmatchedEntry } from "./trace.ts";

export type { BrokerParts, DecideRequest } from "./course.ts";

/** A decision, and what a log needs beside it where that was asked for. */
export interface Made {
  readonly decision: Decision;
  readonly record: DecisionRecord | null;
}

/** How often a decision is made again when other processes write the same state, before its hooks do without. */
const maxReruns = 100;
/** How long a decision may have waited for its state, in milliseconds, before its hooks do without. */
const maxWaitMs = 30_000;
/** Longest pause before a decision is made again, in milliseconds. */
const maxPauseMs = 32;

/**
 * Decides one event: runs the hooks that listen to it in their order, composes what they answer, writes their state,
 * and gives the decision.
 *
 * Where the sandbox and the store answer at once there is nothing to wait for, and the decision is made before this
 * function returns its promise.
 */
export async function decide(parts: BrokerParts & StateAccess, request: DecideRequest): Promise<Made> {
  const begun = performance.now();
  const { event } = request;
  const plan = request.plan.events.get(event.hook_event_name) as EventPlan;
  const name = plan.matches === null ? undefined : event[plan.matches];
  const counted = plan.bounded ? fetchCounts(parts, request, plan, name) : null;
  if (counted) await counted;
  const ready = counted ? performance.now() : begun;
  let broken = false;
  for (let rerun = 0; ; rerun++) {
    const state = plan.stateful ? openState(parts, request, plan, name) : null;
    // Waiting for state is not counted: it is others' work. The budget is for the hooks of this decision.
    let started = ready;
    if (state) {
      const waiting = state.begin();
      if (waiting) await waiting;
      if (waiting || rerun > 0) started = performance.now();
      if (broken || rerun > maxReruns || started - begun > maxWaitMs) state.unavailable = true;
    }
    try {
      const course = new Course(parts, request, plan, state, started);
      const { composition } = course;
      for (const binding of plan.sequential) {
        if (!listens(binding, name)) composition.trace.push(unmatchedEntry(binding));
        else if (composition.stop) course.skip(binding);
        else {
          const result = course.call(binding, false);
          course.take(binding, result instanceof Promise ? await result : result, false);
        }
      }
      if (composition.lastRewrite > 0 && !composition.stop) await recheck(course);
      if (plan.parallel.length > 0) await runParallel(course, plan, name);
      if (!state) return settled(parts, make(course, request, plan, null, rerun, begun));
      const written = state.commit(composition.states);
      if (written instanceof Promise ? await written : written)
        return settled(parts, make(course, request, plan, state, rerun, begun));
      broken ||= state.unavailable;
    } finally {
      state?.end();
    }
    await sleep(Math.random() * Math.min(2 ** rerun, maxPauseMs));
  }
}

/** Counts of verdicts in a row, where they lie in a store that answers later. */
function fetchCounts(
  { retries }: BrokerParts,
  request: DecideRequest,
  plan: EventPlan,
  name: unknown,
): Promise<void> | null {
  if (!retries.fetch) return null;
  const bindings = plan.sequential.filter((binding) => binding.bounded && listens(binding, name));
  return retries.fetch(bindings.map((binding) => retryKeyOf(request, binding)));
}

/** Hands a decision out when its counts are where others see them. */
function settled({ retries }: BrokerParts, made: Made): Made | Promise<Made> {
  const waiting = retries.settle?.();
  return waiting ? waiting.then(() => made) : made;
}

function openState(
  parts: StateAccess,
  request: DecideRequest,
  plan: EventPlan,
  name: unknown,
): DecisionState {
  const listening = [...plan.sequential, ...plan.parallel].filter(
    (binding) => binding.hook.state && listens(binding, name),
  );
  return new DecisionState(parts, listening, request.tenant, request.event.session_id);
}

/** The guards that a rewrite has overtaken say their word on the final event. */
async function recheck(course: Course): Promise<void> {
  for (const binding of course.staleGuards()) {
    if (course.composition.stop) course.skip(binding, true);
    else course.take(binding, await course.call(binding, true), true);
  }
}

/** Parallel hooks all see the final event; what they answer is taken in their order, whichever ends first. */
async function runParallel(course: Course, plan: EventPlan, name: unknown): Promise<void> {
  const stopped = course.composition.stop !== null;
  const results = plan.parallel.map((binding) =>
    stopped || !listens(binding, name) ? null : course.call(binding, false),
  );
  for (const [index, binding] of plan.parallel.entries()) {
    const result = await results[index];
    if (!listens(binding, name)) course.composition.trace.push(unmatchedEntry(binding));
    else if (!result) course.skip(binding);
    else if (course.composition.stop) course.overtaken(binding, result);
    else course.take(binding, result, false);
  }
}

function make(
  course: Course,
  request: DecideRequest,
  plan: EventPlan,
  state: DecisionState | null,
  reruns: number,
  begun: number,
): Made {
  const { composition } = course;
  const outcome = composition.outcome();
  const retries = request.record ? course.retriesBefore() : {};
  course.countRetries();
  const decision: Decision = {
    decision_id: request.decisionId,
    hook_event_name: plan.event,
    tenant: request.tenant,
    pack: request.plan.pack.digest,
    verdict: outcome?.verdict ?? "continue",
    reason: outcome?.reason ?? null,
    feedback: outcome?.feedback ?? null,
    decided_by: outcome?.hook ?? null,
    changes: composition.changes(),
    additions: collectAdditions(composition.added),
    trace: composition.trace,
    duration_us: Math.round((performance.now() - begun) * 1_000),
  };
  if (!request.record) return { decision, record: null };
  const priorState = state?.prior() ?? {};
  return {
    decision,
    record: {
      decision,
      event: request.event,
      calls: course.calls,
      hindered: course.hindered,
      priorState,
      retries,
      reruns,
    },
  };
}
