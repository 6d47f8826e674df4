import { fieldsOfFacts } from "@hookwarden/testing/mutate";
import { type Limits, limitCeilings, type Outcome, type Program, type Sandbox } from "@hookwarden/sandbox";
import {
  type Answer,
  readAnswer,
  EventView,
  digestWords,
  seedFor,
  type Binding,
  listens,
  makePlan,
  type Plan,
} from "hookwarden/broker";
import { type EventName, eventRows } from "hookwarden/catalogue";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { readRecording, type Recording } from "../instrumented/recording.ts";
import { instrumentProgram, type InstrumentedProgram } from "../instrumented/instrument.ts";
import { type Effect, effectOf } from "./effect.ts";
import type { Input } from "./input.ts";

/** One call of a hook, and what became of it. */
export interface Run {
  readonly input: Input;
  readonly event: EventName;
  /** The event and the context as the hook got them. */
  readonly args: readonly [string, string];
  readonly outcome: Outcome;
  readonly answer: Answer;
  readonly effect: Effect;
  /** The answer as JSON text; `null` for none or a fault. */
  readonly output: string | null;
  readonly fault: string | null;
}

/** What the recording program saw of a call; `null` where its record was lost. */
export interface InstrumentedRun extends Run {
  readonly watched: Recording | null;
}

/** Least time for a call on an engine that counts no steps, in milliseconds. */
const minWallMs = 2_000;
/** How much more than the hook itself its watching instrumented may use. */
const instrumentedFactor = 4;
/** Calls that ran into a limit before no more events of their size are tried: each takes as long as it can. */
const maxExhaustedCalls = 5;
const exhaustionFaults: ReadonlySet<string> = new Set([
  "steps-exceeded",
  "timeout",
  "memory-exceeded",
  "crashed",
]);

/** Calls one hook by itself, as a pack with nothing else in it would. */
export class Runner {
  readonly hook: LoadedHook;
  /** Ends the runs; those under way are finished. */
  readonly signal: AbortSignal;
  /** Paths of events that an answer can depend on: declared reads, and the fields behind facts. */
  readonly seen: readonly string[];
  /** How many calls were made. */
  calls = 0;
  /** How many of them ran into a limit of work, and the length of the smallest event that did. */
  #exhaustedCalls = 0;
  #exhaustedBy = Number.POSITIVE_INFINITY;
  readonly #plan: Plan;
  readonly #sandbox: Sandbox;
  readonly #limits: Limits;
  readonly #instrumentedLimits: Limits;
  #light: InstrumentedProgram | null = null;
  #full: InstrumentedProgram | null = null;

  constructor(pack: LoadedPack, hook: LoadedHook, sandbox: Sandbox, signal: AbortSignal) {
    this.hook = hook;
    this.signal = signal;
    this.seen = [...new Set([...hook.reads, ...fieldsOfFacts(hook.reads.map((read) => read.split(".")))])];
    this.#plan = makePlan({
      ...pack,
      monitor: false,
      hooks: [hook.mode === "monitor" ? { ...hook, mode: "sequential" } : hook],
    });
    this.#sandbox = sandbox;
    // Where steps are counted they end a call, at the same place on every machine.
    const wallMs = sandbox.engine === "quickjs" ? limitCeilings.wallMs : minWallMs;
    this.#limits = { ...hook.limits, wallMs: Math.max(hook.limits.wallMs, wallMs) };
    this.#instrumentedLimits = {
      ...limitCeilings,
      memoryKb: Math.min(limitCeilings.memoryKb, hook.limits.memoryKb * 2 + 16_384),
      steps: Math.min(limitCeilings.steps, hook.limits.steps * instrumentedFactor),
      wallMs: Math.min(limitCeilings.wallMs, wallMs + 1_000),
    };
  }

  /** The instrumented that counts branches and reads; the one that notes comparisons too has the same branches. */
  get light(): InstrumentedProgram {
    return (this.#light ??= instrumentProgram(this.hook.program, false));
  }

  get full(): InstrumentedProgram {
    return (this.#full ??= instrumentProgram(this.hook.program, true));
  }

  /** Whether so many calls ran into limits that of events as large only those that were recorded are still run. */
  #isExhausted([event]: readonly [string, string]): boolean {
    return this.#exhaustedCalls >= maxExhaustedCalls && event.length >= this.#exhaustedBy;
  }

  /** Where the hook listens to this event; `null` where it does not. */
  bindingFor({ event }: Input): Binding | null {
    const plan = this.#plan.events.get(event.hook_event_name);
    const binding = plan?.sequential[0] ?? plan?.parallel[0];
    if (!binding) return null;
    const field = eventRows.get(event.hook_event_name)?.matches;
    return listens(binding, field === undefined ? undefined : event[field]) ? binding : null;
  }

  /** Whether the conditions (`when`) of the hook's subscriptions call it for this event. */
  isRouted(input: Input): boolean {
    const binding = this.bindingFor(input);
    const field = eventRows.get(input.event.hook_event_name)?.matches;
    const name = field === undefined ? undefined : input.event[field];
    return binding !== null && listens(binding, name, new EventView(input.event));
  }

  /** @returns `null` where the hook does not listen to such an event. */
  async run(
    input: Input,
    sandbox: Sandbox = this.#sandbox,
    limits: Limits = this.#limits,
  ): Promise<Run | null> {
    const binding = this.bindingFor(input);
    if (!binding) return null;
    const args = this.#args(binding, input);
    if (this.#isExhausted(args) && input.origin !== "recorded" && input.origin !== "case") return null;
    const call = { input, binding, args };
    const outcome = await this.#call(call, this.hook.program, limits, sandbox);
    return made(call, outcome, outcome.ok ? outcome.output : null);
  }

  /**
   * Calls the watching instrumented. Its answer is that of the hook, unless the hook can tell.
   *
   * @param pairs whether comparisons are noted.
   */
  async runInstrumented(input: Input, pairs: boolean): Promise<InstrumentedRun | null> {
    const binding = this.bindingFor(input);
    if (!binding) return null;
    const args = this.#args(binding, input);
    if (this.#isExhausted(args)) return null;
    const instrumented = pairs ? this.full : this.light;
    const call = { input, binding, args };
    const outcome = await this.#call(call, instrumented.program, this.#instrumentedLimits, this.#sandbox);
    const watched = outcome.ok
      ? readRecording(outcome.output, instrumented.branches.length, instrumented.sites.length)
      : null;
    if (!watched || watched.threw) {
      const fault: Outcome = watched
        ? { ...outcome, ok: false, fault: { code: "threw", message: "the hook threw" } }
        : outcome.ok
          ? { ...outcome, ok: false, fault: { code: "invalid-output", message: "the record was lost" } }
          : outcome;
      return { ...made(call, fault, null), watched };
    }
    const own = { ...outcome, ok: true, output: watched.output } as Outcome;
    return { ...made(call, own, watched.output), watched };
  }

  #args(binding: Binding, { event, tenant, state, config, facts }: Input): readonly [string, string] {
    const head =
      config === undefined
        ? binding.contextHead
        : `{"hook":${JSON.stringify(this.hook.name)},"config":${config}`;
    const context = `${head},"tenant":${JSON.stringify(tenant)},"time":"${event.time}","state":${state ?? "null"}}`;
    const projected = binding.project(new EventView(event));
    if (facts === undefined) return [projected, context];
    const fields = JSON.parse(projected) as { readonly facts?: object };
    return [JSON.stringify({ ...fields, facts: { ...fields.facts, ...facts } }), context];
  }

  async #call(
    { binding, input: { event, decisionId }, args }: Call,
    program: Program,
    limits: Limits,
    sandbox: Sandbox,
  ): Promise<Outcome> {
    this.calls++;
    const outcome = await sandbox.call({
      program,
      // Names of tenants are part of what is explored; the guest sees them in its context only.
      tenant: "review",
      handler: binding.event,
      args,
      time: Date.parse(event.time),
      seed: seedFor(digestWords(decisionId), binding.seed),
      limits,
    });
    if (!outcome.ok && exhaustionFaults.has(outcome.fault.code)) {
      this.#exhaustedCalls++;
      this.#exhaustedBy = Math.min(this.#exhaustedBy, args[0].length);
    }
    return outcome;
  }
}

/** What a hook is called with. */
interface Call {
  readonly input: Input;
  readonly binding: Binding;
  readonly args: readonly [string, string];
}

function made({ input, binding, args }: Call, outcome: Outcome, output: string | null): Run {
  const answer: Answer = outcome.ok
    ? readAnswer(binding, output, null)
    : { ok: false, fault: outcome.fault, refused: [] };
  return {
    input,
    event: binding.event,
    args,
    outcome,
    answer,
    effect: effectOf(binding, answer, input.event),
    output,
    fault: answer.ok ? null : answer.fault.code,
  };
}

/** How many calls are under way at the same time. */
const concurrency = 8;

/** Does work for each item, some at the same time; results are in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
  limit: number = concurrency,
): Promise<readonly Result[]> {
  const results: Result[] = new Array<Result>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      if (signal?.aborted) return;
      results[at] = await work(items[at] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
