import { JsonError, readJsonBytes } from "@hookwarden/sandbox/json";
import { makeDecisionId, type Decision, type EventInput, eventJsonLimits } from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";
import type { DecisionReply, DecisionRequest, DecisionService } from "./decision-service.ts";
import type { Feed } from "./feed.ts";
import { Idempotency } from "./idempotency.ts";
import { mostAnswerChars } from "./limits.ts";
import type { FailureLog } from "./failure-log.ts";
import { Problem, problemEntry, problemOf } from "./problem.ts";
import type { Registry } from "./registry.ts";
import { enforce } from "./tenancy/enforce.ts";
import { takeTurn } from "./tenancy/turn.ts";
import type { Tenant } from "./tenant.ts";

/** What a decision costs this process beside its hooks: microseconds for one, and for each byte of its event. */
const baseUs = 40;
const usPerByte = 0.02;
/** Events of one batch that are decided at the same time. */
const batchAtOnce = 16;

export interface DecisionsOptions {
  readonly registry: Registry;
  readonly feed: Feed;
  readonly eventBytes: number;
  readonly batchEvents: number;
  /** Told of every decision. */
  readonly onDecision: (tenant: Tenant, decision: Decision, us: number) => void;
  /** Runs work as a part of the trace that a request belongs to; `null` without telemetry. */
  readonly failures: FailureLog;
  readonly traced: (<T>(request: DecisionRequest, work: () => Promise<T>) => Promise<T>) | null;
}

/** Answers requests for decisions: limits, turn, dispatch, record. */
export class Decisions implements DecisionService {
  readonly once = new Idempotency();
  readonly #options: DecisionsOptions;
  #closed = false;

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /** From now on nothing new is taken in. */
  close(): void {
    this.#closed = true;
  }

  async decide(request: DecisionRequest): Promise<DecisionReply> {
    const { traced } = this.#options;
    try {
      return {
        status: 200,
        body: await (traced ? traced(request, () => this.#answer(request)) : this.#answer(request)),
      };
    } catch (error) {
      const { registry, failures } = this.#options;
      const { status, code, retryAfter, detail } = problemOf(error);
      failures.note(error, request);
      const tenant = registry.get(request.tenant);
      if (tenant) tenant.refused++;
      return {
        status,
        body: code,
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(detail === undefined ? {} : { detail }),
      };
    }
  }

  #answer(request: DecisionRequest): Promise<string> {
    const tenant = this.#options.registry.get(request.tenant);
    if (this.#closed) throw new Problem("shutting-down", 1);
    if (!tenant) throw new Problem("forbidden");
    enforce("decide", "request", tenant);
    const { body } = request;
    if (firstByte(body) !== openBracket) return this.#one(tenant, request, body, body.byteLength);
    // One id cannot name several decisions.
    const { decisionId: _, ...unnamed } = request;
    return this.#batch(tenant, unnamed);
  }

  async #batch(tenant: Tenant, request: DecisionRequest): Promise<string> {
    const events = readBatch(request.body);
    if (events.length > this.#options.batchEvents) throw new Problem("body-too-large");
    const bytes = request.body.byteLength / Math.max(1, events.length);
    const answers = new Array<string>(events.length);
    // Events of one session are decided in their order, those of different ones side by side.
    const lines = [...Map.groupBy(events.keys(), (at) => sessionOf(events[at])).values()];
    let chars = 0;
    const worker = async (): Promise<void> => {
      for (let line = lines.pop(); line; line = lines.pop()) {
        for (const at of line) {
          const event = chars > mostAnswerChars ? tooMuch : events[at];
          const answer = await this.#ofBatch(tenant, request, { event, at, bytes });
          answers[at] = answer;
          chars += answer.length;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(batchAtOnce, lines.length) }, worker));
    return `[${answers.join(",")}]`;
  }

  async #ofBatch(
    tenant: Tenant,
    request: DecisionRequest,
    { event, at, bytes }: { readonly event: unknown; readonly at: number; readonly bytes: number },
  ): Promise<string> {
    try {
      if (event === tooMuch) throw new Problem("answers-unread");
      if (typeof event !== "object" || event === null)
        throw new Problem("bad-request", undefined, {
          message: "the event is not a JSON object",
          pointer: "",
        });
      return `{"status":200,"answer":${await this.#one(tenant, request, event, bytes)}}`;
    } catch (error) {
      this.#options.failures.note(error, request);
      tenant.refused++;
      return problemEntry(problemOf(error), `/${at}`);
    }
  }

  /** One event, from its limits to its answer as JSON. */
  async #one(tenant: Tenant, request: DecisionRequest, input: EventInput, bytes: number): Promise<string> {
    const begun = performance.now();
    const taken = takeTurn("decide", tenant, request.gone);
    const turn = taken instanceof Promise ? await taken : taken;
    let cost = baseUs + bytes * usPerByte;
    try {
      const { decision, text } = await this.#dispatch(tenant, request, input);
      cost += text.length * usPerByte;
      if (decision) {
        for (const { duration_us } of decision.trace) cost += duration_us;
        const us = (performance.now() - begun) * 1_000;
        tenant.count(decision, us);
        this.#options.onDecision(tenant, decision, us);
        this.#tell(tenant, decision, input);
      }
      return text;
    } finally {
      turn.leave(cost);
    }
  }

  async #dispatch(
    tenant: Tenant,
    { dialect, decisionId = makeDecisionId(Date.now()) }: DecisionRequest,
    input: EventInput,
  ): Promise<{ readonly decision: Decision | null; readonly text: string }> {
    const { warden } = tenant;
    if (!warden) throw tenant.broken === null ? new Problem("no-pack") : new Problem("not-ready", 5);
    const options = { tenant: tenant.name, decisionId };
    if (dialect !== undefined) {
      const { answer, decision } = await tenant.translator(dialect, warden).reply(input, options);
      return { decision, text: JSON.stringify(answer) };
    }
    const decision = await warden.dispatch(input, options);
    tenant.candidate?.see(input, decision, undefined);
    return { decision, text: JSON.stringify(decision) };
  }

  #tell(tenant: Tenant, decision: Decision, input: EventInput): void {
    const { feed } = this.#options;
    const { decision_id, hook_event_name: event, verdict, reason, decided_by, duration_us } = decision;
    let faults = 0;
    for (const { fault, hook } of decision.trace) {
      if (!fault) continue;
      faults++;
      const { code, message, at: place = null } = fault;
      feed.fault({
        at: new Date().toISOString(),
        tenant: tenant.name,
        hook,
        event,
        decision_id,
        code,
        message,
        place,
      });
    }
    if (!feed.isWatched) return;
    const at = new Date().toISOString();
    const tool = toolOf(input);
    feed.tell({
      type: "decision",
      at,
      tenant: tenant.name,
      decision_id,
      event,
      tool,
      verdict,
      reason,
      decided_by,
      duration_us,
      faults,
    });
  }
}

/** Stands for an event of a batch that is not decided, because the answers before it are too much already. */
const tooMuch = Symbol("too much");

const openBracket = 0x5b;

/** The first byte that is no white space of JSON. */
function firstByte(bytes: Uint8Array): number | undefined {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
  return undefined;
}

function readBatch(body: Uint8Array): readonly unknown[] {
  try {
    return readJsonBytes(body, eventJsonLimits(body.byteLength)) as readonly unknown[];
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    throw new HookwardenError("event-not-json", `the batch ${error.message}`, { line, column, pointer });
  }
}

function sessionOf(event: unknown): unknown {
  return typeof event === "object" && event !== null
    ? (event as { session_id?: unknown }).session_id
    : undefined;
}

/** The tool's name, for whoever watches: the event was valid. */
function toolOf(input: EventInput): string | null {
  const event: unknown =
    input instanceof Uint8Array ? JSON.parse(Buffer.from(input).toString("utf8")) : input;
  const name = (event as { tool_name?: unknown } | null)?.tool_name;
  return typeof name === "string" ? name.slice(0, 256) : null;
}
