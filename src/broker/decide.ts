import { setTimeout as sleep } from "node:timers/promises";
import { collectAdditions } from "./additions.ts";
import { type BrokerParts, DecisionRun, type DecideRequest } from "./decision-run.ts";
import { retryKeyOf } from "./retry-verdicts.ts";
import type { Decision } from "./decision.ts";
import { DecisionState, type StateAccess } from "./decision-state.ts";
import type { DecisionRecord } from "./record.ts";
import { type EventPlan, listens } from "./plan.ts";

export type { BrokerParts, DecideRequest } from "./decision-run.ts";

/** A decision, and its log record if `DecideRequest.record` is set. */
export interface DecisionResult {
  readonly decision: Decision;
  readonly record: DecisionRecord | null;
}

/** Maximum reruns after conflicting state writes by other processes; then the hooks' state is unavailable. */
const maxReruns = 100;
/** Maximum total wait for state, in milliseconds; then the hooks' state is unavailable. */
const maxWaitMs = 30_000;
/** Maximum backoff before a rerun, in milliseconds. */
const maxPauseMs = 32;

/**
 * Decides one event: runs the hooks that listen to it in their order, composes what they answer, writes their state,
 * and returns the decision.
 *
 * If the sandbox and the store answer synchronously, the decision is complete before this
 * function returns its promise.
 */
export async function decide(
  parts: BrokerParts & StateAccess,
  request: DecideRequest,
): Promise<DecisionResult> {
  const requestedAt = performance.now();
  const { event } = request;
  const plan = request.plan.events.get(event.hook_event_name) as EventPlan;
  const name = plan.matches === null ? undefined : event[plan.matches];
  // What the hooks' conditions are tested on is worked out while the sandbox's process wakes up.
  if (plan.facts.length > 0) parts.sandbox.wake?.(request.tenant);
  const fetchingCounts = plan.bounded ? fetchRetryCounts(parts, request, plan, name) : null;
  if (fetchingCounts) await fetchingCounts;
  const countsReadyAt = fetchingCounts ? performance.now() : requestedAt;
  let stateFailed = false;
  for (let rerun = 0; ; rerun++) {
    const state = plan.stateful ? openState(parts, request, plan, name) : null;
    // Waiting for state is excluded from the budget, which covers only this decision's hooks.
    let started = countsReadyAt;
    if (state) {
      const waiting = state.acquire();
      if (waiting) await waiting;
      if (waiting || rerun > 0) started = performance.now();
      if (stateFailed || rerun > maxReruns || started - requestedAt > maxWaitMs) state.unavailable = true;
    }
    try {
      const run = new DecisionRun(parts, request, plan, { state, started });
      const { composition } = run;
      for (const binding of plan.sequential) {
        const facts = run.deriveFacts(name);
        if (facts) await facts;
        if (!run.listens(binding, name)) run.noteUnmatched(binding);
        else if (composition.stop) run.noteNotRun(binding);
        else {
          const result = run.call(binding, false);
          run.applyResult(binding, result instanceof Promise ? await result : result, false);
        }
      }
      const facts = run.deriveFacts(name);
      if (facts) await facts;
      if (composition.lastRewrite > 0 && !composition.stop) await recheck(run, name);
      if (plan.parallel.length > 0) await runParallel(run, plan, name);
      if (!state)
        return settleRetries(parts, buildResult(run, request, plan, { state, reruns: rerun, requestedAt }));
      const written = state.commit(composition.states);
      if (written instanceof Promise ? await written : written)
        return settleRetries(parts, buildResult(run, request, plan, { state, reruns: rerun, requestedAt }));
      stateFailed ||= state.unavailable;
    } finally {
      state?.release();
    }
    await sleep(Math.random() * Math.min(2 ** rerun, maxPauseMs));
  }
}

/** Fetches retry counts from an asynchronous store; `null` if there is nothing to wait for. */
function fetchRetryCounts(
  { retries }: BrokerParts,
  request: DecideRequest,
  plan: EventPlan,
  name: unknown,
): Promise<void> | null {
  if (!retries.fetch) return null;
  const bindings = plan.sequential.filter((binding) => binding.bounded && listens(binding, name));
  return retries.fetch(bindings.map((binding) => retryKeyOf(request, binding)));
}

/** Delays the result until its retry counts are visible to other processes. */
function settleRetries(
  { retries }: BrokerParts,
  result: DecisionResult,
): DecisionResult | Promise<DecisionResult> {
  const waiting = retries.settle?.();
  return waiting ? waiting.then(() => result) : result;
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

/** Reruns guards whose input was rewritten after they ran, and runs those whose condition only holds now. */
async function recheck(run: DecisionRun, name: unknown): Promise<void> {
  for (const binding of run.staleGuards()) {
    if (!run.listens(binding, name)) continue;
    if (run.composition.stop) run.noteNotRun(binding, true);
    else run.applyResult(binding, await run.call(binding, true), true);
  }
}

/** Runs the parallel hooks on the final event; answers are applied in hook order, not in order of completion. */
async function runParallel(run: DecisionRun, plan: EventPlan, name: unknown): Promise<void> {
  const stopped = run.composition.stop !== null;
  const results = plan.parallel.map((binding) =>
    stopped || !run.listens(binding, name) ? null : run.call(binding, false),
  );
  for (const [index, binding] of plan.parallel.entries()) {
    const result = await results[index];
    if (!run.listens(binding, name)) run.noteUnmatched(binding);
    else if (!result) run.noteNotRun(binding);
    else if (run.composition.stop) run.applyDiscarded(binding, result);
    else run.applyResult(binding, result, false);
  }
}

function buildResult(
  run: DecisionRun,
  request: DecideRequest,
  plan: EventPlan,
  { state, reruns, requestedAt }: { state: DecisionState | null; reruns: number; requestedAt: number },
): DecisionResult {
  const { composition } = run;
  const outcome = composition.outcome();
  const retries = request.record ? run.retries.before(plan.sequential) : {};
  run.retries.count(composition);
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
    duration_us: Math.round((performance.now() - requestedAt) * 1_000),
  };
  if (!request.record) return { decision, record: null };
  const priorState = state?.prior() ?? {};
  return {
    decision,
    record: {
      decision,
      event: request.event,
      calls: run.calls,
      skipped: run.skipped,
      priorState,
      retries,
      reruns,
    },
  };
}
