import type { EventInput } from "hookwarden/broker";
import { createDialect, type Translator, readMessage } from "hookwarden/dialects";
import { MemoryStateStore, type StateStore } from "hookwarden/state";
import type { Warden } from "hookwarden/warden";
import { type Answer, failClosedAnswer } from "../hook/fail-closed-answer.ts";
import { PendingHalts } from "./pending-halts.ts";
import { maxEventBytes } from "../hook/wire.ts";

export interface AnswererOptions {
  /** Whose events these are. Default `default`. */
  readonly tenant?: string;
  /** Where halts are kept that could not be said at once. Default: in memory. */
  readonly store?: StateStore;
  /** Largest event, in bytes of JSON. Default 8 MiB. */
  readonly maxEventBytes?: number;
}

/** Answers what Claude Code sends to its hooks, in its own words. */
export class Answerer {
  readonly #translator: Translator;
  readonly #pendingHalts: PendingHalts;
  readonly #maxBytes: number;
  readonly #tenant: string;

  constructor(warden: Warden, options: AnswererOptions = {}) {
    this.#maxBytes = options.maxEventBytes ?? maxEventBytes;
    this.#tenant = options.tenant ?? "default";
    this.#translator = createDialect(warden, "claude-code", { maxMessageBytes: this.#maxBytes });
    this.#pendingHalts = new PendingHalts(options.store ?? new MemoryStateStore(), this.#tenant);
  }

  /**
   * Answers one event.
   *
   * @throws {HookwardenError} what the dialect throws; the caller must refuse the step then.
   */
  async answer(input: EventInput): Promise<Answer> {
    const message = readMessage(input, this.#maxBytes);
    const halted = await this.#pendingHalts.reasonFor(message);
    if (halted !== null) return failClosedAnswer(message, halted, true);
    const { answer, decision } = await this.#translator.reply(message, { tenant: this.#tenant });
    if (decision?.verdict === "halt") {
      await this.#pendingHalts.postpone(message, decision.reason ?? "a hook ended the session");
    }
    return answer as Answer;
  }
}
