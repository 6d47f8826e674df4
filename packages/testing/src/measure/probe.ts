import { type Sandbox, limitCeilings } from "@hookwarden/sandbox";
import type { CallRecord, TraceEntry } from "hookwarden/broker";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { createWarden, type Warden } from "hookwarden/warden";

/** Time that one decision may take: the hook's own limits are what is measured against. */
const decisionMs = 60_000;

/** One call of a hook, measured. */
export interface Sample {
  readonly fault: string | null;
  /** `null` where the engine cannot count them. */
  readonly steps: number | null;
  readonly durationUs: number;
  readonly memoryBytes: number;
  /** Bytes of the event and the context as the hook got them. */
  readonly inputBytes: number;
  readonly outputBytes: number;
}

/** Calls one hook of a pack by itself, and measures. */
export class Probe {
  readonly #warden: Warden;
  readonly #calls: CallRecord[];

  private constructor(warden: Warden, calls: CallRecord[]) {
    this.#warden = warden;
    this.#calls = calls;
  }

  static async create(pack: LoadedPack, hook: LoadedHook, sandbox: Sandbox): Promise<Probe> {
    const calls: CallRecord[] = [];
    const warden = await createWarden({
      pack: { ...pack, digest: hook.digest, hooks: [hook], budgets: { ...pack.budgets, decisionMs } },
      sandbox,
      maxEventBytes: limitCeilings.inputBytes * 2,
      recorder: (record) => void calls.push(...record.calls),
    });
    return new Probe(warden, calls);
  }

  /** @returns `null` where the hook does not listen to the event, or a state store kept it from running. */
  async call(event: object, decisionId: string): Promise<Sample | null> {
    this.#calls.length = 0;
    const { trace } = await this.#warden.dispatch(event, { decisionId });
    const entry = trace[0] as TraceEntry | undefined;
    if (!entry || entry.outcome === "not-matched" || entry.outcome === "not-run") return null;
    const call = this.#calls[0];
    return {
      fault: entry.fault?.code ?? null,
      steps: entry.steps,
      durationUs: entry.duration_us,
      memoryBytes: entry.memory_bytes,
      inputBytes: (call?.input ?? []).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
      outputBytes: Buffer.byteLength(call?.output ?? ""),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#warden[Symbol.asyncDispose]();
  }
}
