import type { EventInput } from "hookwarden/broker";
import { type Dialect, readMessage, Translator } from "hookwarden/dialects";
import { MemoryStateStore, type StateStore } from "hookwarden/state";
import type { Warden } from "hookwarden/warden";
import type { ClientName } from "../clients/index.ts";
import { canaryText } from "../doctor/canary.ts";
import type { Answer } from "../hook/fail-closed-answer.ts";
import { eventOf, refusalAnswer } from "../hook/refusal.ts";
import { dialectOfClient } from "./client-dialect.ts";
import { PendingHalts } from "./pending-halts.ts";
import { maxEventBytes } from "../hook/wire.ts";

export interface AnswererOptions {
  /** The client that asks. Default `claude-code`. */
  readonly client?: ClientName;
  /** Whose events these are. Default `default`. */
  readonly tenant?: string;
  /** Where halts are kept that could not be said at once. Default: in memory. */
  readonly store?: StateStore;
  /** Largest event, in bytes of JSON. Default 8 MiB. */
  readonly maxEventBytes?: number;
}

/** Answers what a client sends to its hooks, in its own wire format. */
export class Answerer {
  readonly #client: ClientName;
  readonly #dialect: Dialect;
  readonly #translator: Translator;
  readonly #pendingHalts: PendingHalts;
  readonly #maxBytes: number;
  readonly #tenant: string;

  constructor(warden: Warden, options: AnswererOptions = {}) {
    this.#maxBytes = options.maxEventBytes ?? maxEventBytes;
    this.#tenant = options.tenant ?? "default";
    this.#client = options.client ?? "claude-code";
    this.#dialect = dialectOfClient(this.#client);
    this.#translator = new Translator(this.#dialect, warden, { maxMessageBytes: this.#maxBytes });
    this.#pendingHalts = new PendingHalts(options.store ?? new MemoryStateStore(), this.#tenant);
  }

  /**
   * Answers one event.
   *
   * @throws {HookwardenError} what the dialect throws; the caller must refuse the step then.
   */
  async answer(input: EventInput): Promise<Answer> {
    const message = readMessage(input, this.#maxBytes);
    const parsed = this.#dialect.parse(message);
    const event = parsed.row === null ? message : parsed.event;
    const halted = await this.#pendingHalts.reasonFor(event);
    if (halted !== null) return refusalAnswer(this.#client, message, halted, true);
    const { answer, decision } = await this.#translator.reply(message, { tenant: this.#tenant });
    if (decision?.verdict === "halt") {
      const ends = eventOf(this.#client, message)?.answers.halt !== undefined;
      const reason = decision.reason ?? "a hook ended the session";
      await this.#pendingHalts.postpone(event, reason, this.#client === "claude-code" || ends);
    }
    // The proof of `doctor`: it went through everything that a real denial goes through.
    if (decision?.hook_event_name === "PreToolUse" && JSON.stringify(message).includes(canaryText)) {
      return refusalAnswer(this.#client, message, "hookwarden refuses this: it is the canary of the doctor");
    }
    return answer as Answer;
  }
}
