import { quote } from "@hookwarden/sandbox/json";
import {
  type AttributedText,
  type Decision,
  fence,
  defaultMaxEventBytes,
  type EventInput,
  type PlanRules,
} from "../broker/index.ts";
import { actionRows } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import type { DispatchOptions, Warden } from "../warden/index.ts";
import type { Dialect, Parsed, StopVerdict } from "./dialect.ts";
import { readMessage } from "./message.ts";
import { rulesOf } from "./rules.ts";
import { unsupported } from "./decision-queries.ts";

export interface TranslatorOptions {
  /** Largest message, in bytes of JSON. Default 8 MiB, as for events. The warden's own limit counts beside it. */
  readonly maxMessageBytes?: number;
  /** Degraded mode; see `PlanRules`. */
  readonly degraded?: string;
}

/** An answer in the words of a system, and what it says. */
export interface Reply {
  /** JSON, in wire form. */
  readonly answer: unknown;
  /** What was decided; `null` for a message that no hook can listen to. */
  readonly decision: Decision | null;
  /** The event that was decided, in the catalogue's names; `null` without a decision. */
  readonly event: object | null;
  /** Why no hook was asked; `null` where hooks were. */
  readonly note: string | null;
}

/** Speaks with one system in its own words, and with a warden in ours. Made by `createDialect`. */
export class Translator {
  readonly dialect: Dialect;
  readonly warden: Warden;
  readonly #rules: ReadonlyMap<string, PlanRules>;
  readonly #maxBytes: number;
  #checked: LoadedPack | null = null;

  /** @throws {HookwardenError} `policy-invalid` for a pack that the system would not take. */
  constructor(dialect: Dialect, warden: Warden, options: TranslatorOptions = {}) {
    this.dialect = dialect;
    this.warden = warden;
    this.#rules = rulesOf(dialect, options.degraded);
    this.#maxBytes = options.maxMessageBytes ?? defaultMaxEventBytes;
    this.#checkPack();
  }

  /**
   * Answers one message of the system in its own words.
   *
   * @param input the message as an object, as JSON text, or as the bytes of that.
   * @throws {HookwardenError} as `warden.dispatch`; and `dialect-unsupported` for a decision that the system has no
   *   word for, `policy-invalid` for a pack that it would not take. A host must treat both as a refusal.
   */
  async handle(input: EventInput, options: Omit<DispatchOptions, "rules"> = {}): Promise<unknown> {
    return (await this.reply(input, options)).answer;
  }

  /** Answers one message, with the decision. Throws as `handle`. */
  async reply(input: EventInput, options: Omit<DispatchOptions, "rules"> = {}): Promise<Reply> {
    const { dialect } = this;
    const parsed = dialect.parse(readMessage(input, this.#maxBytes));
    if (parsed.row === null) return { answer: parsed.answer, decision: null, event: null, note: parsed.note };
    const rules = this.#rules.get(parsed.name);
    if (!rules)
      throw new HookwardenError("internal", `${dialect.name} has no rules for ${quote(parsed.name)}`);
    // Not a moment passes between this and the dispatch, so that the pack is the one that decides.
    this.#checkPack();
    const decision = await this.warden
      .dispatch(parsed.event, { ...options, rules })
      .catch((error: unknown) => {
        throw translateError(error, parsed);
      });
    refuseUnsupported(decision, parsed, dialect);
    return { answer: dialect.format(decision, parsed, helpers), decision, event: parsed.event, note: null };
  }

  /**
   * The answer to a message whose decision was `ask`, after a person has approved or refused it.
   *
   * @throws {HookwardenError} `dialect-unsupported` if the system has no word for it: treat it as a refusal.
   */
  answerAsked(input: EventInput, asked: Decision, approved: boolean): unknown {
    const parsed = this.dialect.parse(readMessage(input, this.#maxBytes));
    if (parsed.row === null) return parsed.answer;
    const yes = parsed.row.carries.includes("allow") ? "allow" : "continue";
    const decision: Decision = { ...asked, verdict: approved ? yes : "deny" };
    refuseUnsupported(decision, parsed, this.dialect);
    return this.dialect.format(decision, parsed, helpers);
  }

  #checkPack(): void {
    const { pack } = this.warden;
    if (pack === this.#checked) return;
    this.dialect.checkPack?.(pack);
    this.#checked = pack;
  }
}

const helpers = { fence: (parts: readonly AttributedText[]): string => fence(parts).text };

/** A stop must not be lost on its way to a host that has no word for it. */
function refuseUnsupported(decision: Decision, { name, row }: Parsed, dialect: Dialect): void {
  const { verdict } = decision;
  if (verdict === "continue") return;
  if (actionRows.get(verdict)?.stops) {
    if (row.stops[verdict as StopVerdict] !== undefined) return;
    throw unsupported(decision, `${dialect.name} can stop nothing${stopWords(row.stops)} at ${quote(name)}`);
  }
  if (!row.carries.includes(verdict))
    throw unsupported(decision, `${dialect.name} has no word for it at ${quote(name)}`);
}

function stopWords(stops: object): string {
  const verdicts = Object.keys(stops);
  return verdicts.length === 0 ? "" : ` but by ${verdicts.join(", ")}`;
}

/** What is wrong with an event, with the place in the message that it was made of. */
function translateError(error: unknown, parsed: Parsed): unknown {
  if (!(error instanceof HookwardenError) || error.code !== "event-invalid") return error;
  const [, field = "", ...rest] = (error.place.pointer ?? "").split("/");
  const place = placeOf(field, parsed);
  const pointer = place === undefined ? error.place.pointer : [place, ...rest].join("/");
  const message = `the message is no ${quote(parsed.name)}: ${error.message}`;
  return new HookwardenError("event-invalid", message, pointer === undefined ? {} : { pointer });
}

function placeOf(field: string, { row, places = {} }: Parsed): string | undefined {
  if (Object.hasOwn(places, field)) return places[field];
  const named = Object.entries(row.fields ?? {}).find(([, ours]) => ours === field);
  return named && `/${named[0]}`;
}
