import { HookwardenError } from "hookwarden/errors";
import type { SqliteStateStore } from "hookwarden/state";
import { createWarden, type Warden, type WardenOptions } from "hookwarden/warden";
import { Answerer } from "./answerer.ts";
import { failed } from "./client/hook-call.ts";
import type { HookOptions } from "./hook-options.ts";
import { packStamp } from "./pack-stamp.ts";
import { openStateFile } from "./state-file.ts";
import { largestEvent, type Outcome } from "./wire.ts";

/** Everything that decides with one state of a pack. */
interface Seat {
  readonly stamp: string;
  readonly warden: Warden;
  readonly answerer: Answerer;
}

/** Decides events with the pack as it lies on the disk at that moment. */
export class Decider {
  private readonly options: HookOptions;
  private store: SqliteStateStore | null = null;
  private seat: Seat | null = null;
  private seating: Promise<unknown> = Promise.resolve();

  constructor(options: HookOptions) {
    this.options = options;
  }

  /** Answers one event. Never throws: what fails is an outcome that refuses. */
  async decide(event: Uint8Array): Promise<Outcome> {
    try {
      const { answerer } = await this.current();
      return { exit: 0, out: JSON.stringify(await answerer.answer(event)), err: "" };
    } catch (error) {
      return failed(event, error instanceof HookwardenError ? new Error(error.toLine()) : error);
    }
  }

  /** Ends when the events under way are decided. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.seating.catch(() => undefined);
    await this.seat?.warden[Symbol.asyncDispose]();
    await this.store?.[Symbol.asyncDispose]?.();
  }

  /** The seat for the pack of now. Nobody is answered by a pack that has been changed before the event came. */
  private async current(): Promise<Seat> {
    const { seat } = this;
    if (seat && packStamp(this.options.pack) === seat.stamp) return seat;
    const seating = this.seating.catch(() => undefined).then(() => this.reseat());
    this.seating = seating;
    return seating;
  }

  private async reseat(): Promise<Seat> {
    for (let tries = 0; tries < 5; tries++) {
      const stamp = stampOf(this.options.pack);
      const { seat } = this;
      if (seat?.stamp === stamp) return seat;
      // A pack that cannot be loaded must not leave its predecessor in office.
      this.seat = null;
      const warden = seat ? await reloaded(seat.warden) : await this.create();
      if (stampOf(this.options.pack) !== stamp) {
        this.seat = { stamp: "", warden, answerer: this.answererOf(warden) };
        continue;
      }
      this.seat = { stamp, warden, answerer: this.answererOf(warden) };
      return this.seat;
    }
    throw new Error("the pack is being changed without end");
  }

  private answererOf(warden: Warden): Answerer {
    return new Answerer(warden, { store: this.store as SqliteStateStore, maxEventBytes: largestEvent });
  }

  private async create(): Promise<Warden> {
    const { pack, engine, isolation, containment, log, requireReview, reviewers } = this.options;
    this.store ??= await openStateFile(this.options);
    const options: WardenOptions = {
      pack,
      engine,
      isolation,
      containment,
      store: this.store,
      maxEventBytes: largestEvent,
      ...(requireReview === null || reviewers === null
        ? {}
        : { requireReview: { records: [requireReview], trust: reviewers } }),
      ...(log === null ? {} : { log: { to: log, flush: "each" } }),
    };
    return createWarden(options);
  }
}

async function reloaded(warden: Warden): Promise<Warden> {
  try {
    await warden.reload();
    return warden;
  } catch (error) {
    await warden[Symbol.asyncDispose]();
    throw error;
  }
}

function stampOf(pack: string): string {
  try {
    return packStamp(pack);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new HookwardenError("pack-not-found", `the pack \`${pack}\` cannot be read`);
  }
}
