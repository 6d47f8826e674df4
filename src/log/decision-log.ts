import type { DecisionRecord, PlanRules } from "../broker/index.ts";
import { HookwardenError } from "../errors/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import {
  decisionBody,
  endBody,
  type LogContext,
  identifyRules,
  noteBody,
  type NoteKind,
  packBody,
  startBody,
} from "./record-body.ts";
import { type OpenedLog, openDestination } from "./open.ts";
import { type LogOptions, type LogSettings, logSettings } from "./options.ts";
import { type LogHead, LogWriter } from "./writer.ts";

/**
 * Opens a decision log. A file that is there already goes on where it ended; what a crash has left half written behind
 * its last record is moved to a file beside it, and the first new record says so.
 *
 * @throws {HookwardenError} `option-invalid`; `log-broken` where the file is no whole log; `log-failed` where it cannot
 * be opened.
 */
export async function openLog(options: LogOptions | string, context: LogContext): Promise<DecisionLog> {
  const settings = logSettings(options);
  return new DecisionLog(settings, context, await openDestination(settings.to));
}

/**
 * Appends a record for each decision. Before a decision is made, `admit` asks for room; each admission is followed by
 * one `append` or one `cancel`. Records are numbered and chained in the order in which they were appended.
 */
export class DecisionLog {
  readonly #settings: LogSettings;
  readonly #context: LogContext;
  readonly #writer: LogWriter;
  /** Decisions that were let in and have no record yet. */
  #admitted = 0;
  readonly #waiting: { readonly done: () => void; readonly failed: (error: Error) => void }[] = [];
  /** The packs and rules that this run has recorded, by digest. */
  readonly #recorded = new Set<string>();
  #closing: Promise<void> | null = null;

  /** @internal */
  constructor(settings: LogSettings, context: LogContext, opened: OpenedLog) {
    this.#settings = settings;
    this.#context = context;
    this.#writer = new LogWriter(opened.sink, opened.chain, settings);
    this.#writer.onDrain = () => this.#admitWaiting();
    this.#writer.push(startBody(opened.log, context, opened.recovery));
  }

  /** Called when the destination fails (with the error), and when it works again (with `null`). */
  set onState(listener: (error: Error | null) => void) {
    this.#writer.onState = listener;
  }

  /** The last record that has been written. Kept in another place, it shows whether the end of a log was cut off. */
  get head(): LogHead {
    return this.#writer.written;
  }

  /**
   * Asks for room for one record: answers at once where there is some; else waits, or, where the log fails closed,
   * throws.
   *
   * @throws {HookwardenError} `log-failed`
   */
  admit(): void | Promise<void> {
    if (this.#closing) throw refused("it has been closed");
    if (this.#settings.closed) {
      if (this.#writer.failure) throw refused(`it cannot be written: ${this.#writer.failure.message}`);
      if (!this.#hasRoom()) throw refused("its queue is full");
    } else if (this.#waiting.length > 0 || !this.#hasRoom()) {
      return new Promise<void>((done, failed) => this.#waiting.push({ done, failed }));
    }
    this.#admitted++;
  }

  /** Gives back room for which there will be no record. */
  cancel(): void {
    this.#admitted--;
    this.#admitWaiting();
  }

  /**
   * Appends the record of a decision that was admitted. Where there is a promise, the decision may be answered when it
   * settles: with `flush: "each"`, or where the log fails closed.
   *
   * @throws {HookwardenError} `log-failed` (as a rejection) where the log fails closed, and the record is not written.
   */
  append(record: DecisionRecord, pack: LoadedPack, rules?: PlanRules): void | Promise<void> {
    if (this.#closing) throw refused("it has been closed");
    const ruled = rules ? identifyRules(rules) : null;
    let body: string;
    try {
      body = decisionBody(record, this.#context, this.#settings.masks, ruled?.digest ?? null);
    } finally {
      this.#admitted--;
    }
    this.#tell(pack.digest, () => packBody(pack));
    if (ruled) this.#tell(ruled.digest, () => ruled.body);
    const { tenant } = record.decision;
    const { closed, flushEach, everyRecords } = this.#settings;
    // Decisions that are made without ever waiting would keep the writer from its turn.
    const behind = this.#writer.queued >= everyRecords;
    if (closed || flushEach || behind) return this.#writer.pushed(body, tenant);
    this.#writer.push(body, tenant);
  }

  /** Appends what a person did, and resolves when it is written. @throws {HookwardenError} `log-failed` */
  appendNote(kind: NoteKind, members: object): Promise<void> {
    if (this.#closing) throw refused("it has been closed");
    return this.#writer.pushed(noteBody(kind, members));
  }

  /** Writes and flushes what has been appended. @throws {HookwardenError} `log-failed` */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /**
   * Writes what has been appended and a last record, and closes the destination.
   *
   * @throws {HookwardenError} `log-failed` where not everything could be written.
   */
  close(): Promise<void> {
    if (!this.#closing) {
      for (const { failed } of this.#waiting.splice(0)) failed(refused("it has been closed"));
      this.#writer.push(endBody());
      this.#closing = this.#writer.close();
    }
    return this.#closing;
  }

  #tell(digest: string, body: () => string): void {
    if (this.#recorded.has(digest)) return;
    this.#recorded.add(digest);
    this.#writer.push(body());
  }

  #hasRoom(): boolean {
    const { maxQueued, maxQueuedChars } = this.#settings;
    return this.#writer.queued + this.#admitted < maxQueued && this.#writer.queuedChars < maxQueuedChars;
  }

  #admitWaiting(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#admitted++;
      this.#waiting.shift()?.done();
    }
  }
}

function refused(why: string): HookwardenError {
  return new HookwardenError("log-failed", `the decision log takes no records: ${why}`);
}
