/** Lets through so many in a second, with bursts of as many. */
export class RateMeter {
  perSecond: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Takes so many; 0, or where they are too many now, after how many seconds they might not be. */
  take(count: number): number {
    const now = performance.now();
    this.#left = Math.min(this.perSecond, this.#left + ((now - this.#at) / 1_000) * this.perSecond);
    this.#at = now;
    // A batch that is larger than a second's worth goes when the meter is full, and is paid for afterwards.
    const needed = Math.min(count, this.perSecond);
    if (this.#left < needed) return Math.max(1, Math.ceil((needed - this.#left) / this.perSecond));
    this.#left -= count;
    return 0;
  }
}

/** How long hooks have run in a minute that slides, in twelve steps. */
export class CpuMeter {
  readonly #slots = new Float64Array(12);
  #slot = slotOf(Date.now());
  #sum = 0;

  add(us: number): void {
    this.#move();
    this.#slots[this.#slot % 12]! += us;
    this.#sum += us;
  }

  /** Milliseconds in the last minute. */
  get ms(): number {
    this.#move();
    return this.#sum / 1_000;
  }

  #move(): void {
    const now = slotOf(Date.now());
    for (let steps = Math.min(12, now - this.#slot); steps > 0; steps--) {
      const at = (now - steps + 1) % 12;
      this.#sum -= this.#slots[at]!;
      this.#slots[at] = 0;
    }
    this.#slot = Math.max(this.#slot, now);
  }
}

/** Seconds of one step. */
const slotMs = 5_000;

function slotOf(time: number): number {
  return Math.floor(time / slotMs);
}
