import { JsonError, readJsonBytes } from "@hookwarden/sandbox/json";
import { makeDecisionId, type EventInput, eventJsonLimits } from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";
import { KeyedQueue } from "hookwarden/state";
import { decideInOrder } from "./decide-in-order.ts";
import type { Approvals } from "./approvals/approvals.ts";
import type { DecisionReply, DecisionRequest, StreamingDecisionService } from "./decision-service.ts";
import { maxAnswerChars } from "./limits.ts";
import type { FailureLog } from "./failure-log.ts";
import type { Decided } from "./pipeline/decide.ts";
import { pipeline } from "./pipeline/index.ts";
import type { Recorders } from "./pipeline/record.ts";
import { Problem, problemEntry, problemOf } from "./problem.ts";
import type { Registry } from "./registry.ts";
import { enforce } from "./tenancy/enforce.ts";
import type { Tenant } from "./tenant.ts";

/** What a decision costs this process beside its hooks: microseconds for one, and for each byte of its event. */
const baseUs = 40;
const usPerByte = 0.02;
/** Events of one batch that are decided at the same time. */
const batchConcurrency = 16;

export interface DecisionsOptions extends Recorders {
  readonly registry: Registry;
  readonly eventBytes: number;
  readonly batchEvents: number;
  readonly failures: FailureLog;
  readonly approvals: Approvals;
  /** Runs work as a part of the trace that a request belongs to; `null` without telemetry. */
  readonly traced: (<T>(request: DecisionRequest, work: () => Promise<T>) => Promise<T>) | null;
}

/** One event to decide. */
interface Asked {
  readonly input: EventInput;
  /** The bytes that it came as, which an approval is for; `null` in a batch. */
  readonly body: Uint8Array | null;
  /** Its size, from which its cost is estimated. */
  readonly bytes: number;
}

/** The answer to one event, as JSON text. */
interface Answer {
  readonly text: string;
  /** Id of the approval that was opened. */
  readonly approval?: string;
}

/** Answers requests for decisions: limits, turn, dispatch, record. */
export class Decisions implements StreamingDecisionService {
  readonly #options: DecisionsOptions;
  readonly #closing = new AbortController();

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /** From now on nothing new is taken in. */
  close(): void {
    this.#closing.abort();
  }

  async decide(request: DecisionRequest): Promise<DecisionReply> {
    const { traced } = this.#options;
    try {
      const work = (): Promise<Answer> => this.#answer(request);
      const { text, approval } = await (traced ? traced(request, work) : work());
      return { status: 200, body: text, ...(approval === undefined ? {} : { approval }) };
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

  decideLines(
    request: Omit<DecisionRequest, "body" | "decisionId">,
    lines: AsyncIterable<Uint8Array | null>,
  ): AsyncIterable<string> {
    const tenant = this.#admit(request.tenant);
    const sessions = new KeyedQueue();
    const answer = async (line: Uint8Array | null): Promise<string> => {
      const event = line === null ? tooLong : readLine(line);
      const session = [String(sessionOf(event))];
      await sessions.acquire(session);
      try {
        const bytes = line?.byteLength ?? 0;
        const asked = { event, pointer: "", body: line, bytes };
        return await this.#entry(tenant, { ...request, body: noBytes }, asked);
      } finally {
        sessions.release(session);
      }
    };
    return decideInOrder(lines, answer, this.#closing.signal);
  }

  #admit(name: string): Tenant {
    const tenant = this.#options.registry.get(name);
    if (this.#closing.signal.aborted) throw new Problem("shutting-down", 1);
    if (!tenant) throw new Problem("forbidden");
    enforce("decide", "request", tenant);
    return tenant;
  }

  async #answer(request: DecisionRequest): Promise<Answer> {
    const tenant = this.#admit(request.tenant);
    const { body } = request;
    const bytes = body.byteLength;
    if (firstByte(body) !== openBracket) return this.#one(tenant, request, { input: body, body, bytes });
    // An approval is for exact bytes, which the events of a batch do not have.
    if (request.approval) throw new Problem("bad-request", undefined, { message: noBatchApprovals });
    // One id cannot name several decisions.
    const { decisionId: _, ...unnamed } = request;
    return this.#batch(tenant, unnamed);
  }

  async #batch(tenant: Tenant, request: DecisionRequest): Promise<Answer> {
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
          const event = chars > maxAnswerChars ? tooMuch : events[at];
          const asked = { event, pointer: `/${at}`, body: null, bytes };
          const answer = await this.#entry(tenant, request, asked);
          answers[at] = answer;
          chars += answer.length;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(batchConcurrency, lines.length) }, worker));
    return { text: `[${answers.join(",")}]` };
  }

  /** One event of several: its answer with a status, or what was wrong with it. */
  async #entry(
    tenant: Tenant,
    request: DecisionRequest,
    { event, pointer, ...rest }: Omit<Asked, "input"> & { readonly event: unknown; readonly pointer: string },
  ): Promise<string> {
    try {
      if (event instanceof Error) throw event;
      if (typeof event !== "object" || event === null)
        throw new Problem("bad-request", undefined, {
          message: "the event is not a JSON object",
          pointer: "",
        });
      const { text, approval } = await this.#one(tenant, request, { input: event, ...rest });
      const id = approval === undefined ? "" : `,"approval":${JSON.stringify(approval)}`;
      return `{"status":200,"answer":${text}${id}}`;
    } catch (error) {
      this.#options.failures.note(error, request);
      tenant.refused++;
      return problemEntry(problemOf(error), pointer);
    }
  }

  /** One event, from its turn to its answer. */
  async #one(tenant: Tenant, request: DecisionRequest, asked: Asked): Promise<Answer> {
    const { decision, text, event } = await this.#decide(tenant, request, asked);
    const { approval: wish, dialect, gone } = request;
    if (!wish || decision?.verdict !== "ask" || asked.body === null) return { text };
    const { approvals } = this.#options;
    const { seconds } = wish;
    const { id } = await approvals.request(tenant, { decision, body: asked.body, event, ...wish });
    if (dialect === undefined) return { text, approval: id };
    // Other systems' clients cannot wait for an approval themselves. No turn is held meanwhile.
    const isEnding = (): boolean => this.#closing.signal.aborted || gone?.() === true;
    const { state } = await approvals.wait(tenant.name, id, { ms: seconds * 1_000, gone: isEnding });
    const { warden } = tenant;
    if (!warden) throw new Problem("no-pack");
    const answer = tenant.translator(dialect, warden).answerAsked(asked.body, decision, state === "approved");
    return { text: JSON.stringify(answer), approval: id };
  }

  /** Decides one event in the tenant's turn, and records it. */
  async #decide(tenant: Tenant, request: DecisionRequest, { input, body, bytes }: Asked): Promise<Decided> {
    const begun = performance.now();
    const taken = pipeline.queue("decide", tenant, request.gone);
    const turn = taken instanceof Promise ? await taken : taken;
    let cost = baseUs + bytes * usPerByte;
    try {
      const { dialect, decisionId = makeDecisionId(Date.now()) } = request;
      const { sandbox } = turn;
      const opensApproval = request.approval !== undefined && body !== null;
      const options = { decisionId, sandbox, opensApproval, ...(dialect === undefined ? {} : { dialect }) };
      const decided = await pipeline.decide(tenant, input, options);
      const { decision, text } = decided;
      cost += text.length * usPerByte;
      if (decision) {
        for (const { duration_us } of decision.trace) cost += duration_us;
        pipeline.record(this.#options, tenant, {
          decision,
          input,
          us: (performance.now() - begun) * 1_000,
        });
      }
      return decided;
    } finally {
      turn.leave(cost);
    }
  }
}

const noBatchApprovals =
  "an approval is for one event: send it alone, or several as a stream of lines (`application/x-ndjson`)";
/** In place of an event of a batch that is not decided, because the answers before it are too much already. */
const tooMuch = new Problem("slow-consumer");
/** In place of a line that is too long. */
const tooLong = new HookwardenError("event-too-large", "the line is longer than an event may be");
const noBytes = new Uint8Array(0);

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

/** @returns the error in place of an event that cannot be read. */
function readLine(line: Uint8Array): unknown {
  try {
    return readJsonBytes(line, eventJsonLimits(line.byteLength));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { column, pointer } = error;
    return new HookwardenError("event-not-json", `the event ${error.message}`, { column, pointer });
  }
}

function sessionOf(event: unknown): unknown {
  return typeof event === "object" && event !== null
    ? (event as { session_id?: unknown }).session_id
    : undefined;
}
