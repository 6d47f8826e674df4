import type { LatencyView } from "./tenants.ts";

/** Buckets of a sixteenth of each power of two: a percentile is right within about 6 %. */
const perOctave = 16;
const octaves = 26;
const size = perOctave * octaves;

/** Durations in microseconds, without keeping each. */
class Buckets {
  readonly counts = new Uint32Array(size);
  count = 0;
  max = 0;

  add(us: number): void {
    const at = us < 1 ? 0 : Math.min(size - 1, Math.floor(Math.log2(us) * perOctave));
    this.counts[at]!++;
    this.count++;
    if (us > this.max) this.max = us;
  }

  clear(): void {
    if (this.count === 0) return;
    this.counts.fill(0);
    this.count = 0;
    this.max = 0;
  }
}

/** How long a window is, in milliseconds: two halves, so that there is always at least one whole half to tell of. */
const halfMs = 30_000;

/** Durations of the last half to whole minute. */
export class LatencyWindow {
  #now = new Buckets();
  #before = new Buckets();
  #turn = Date.now() + halfMs;

  add(us: number): void {
    const now = Date.now();
    if (now >= this.#turn) this.#swap(now);
    this.#now.add(us);
  }

  view(): LatencyView {
    const now = Date.now();
    if (now >= this.#turn) this.#swap(now);
    const count = this.#now.count + this.#before.count;
    const max = Math.max(this.#now.max, this.#before.max);
    const at = (share: number): number => Math.round(Math.min(max, this.#percentile(share, count)));
    return { count, p50_us: at(0.5), p90_us: at(0.9), p99_us: at(0.99), max_us: Math.round(max) };
  }

  #percentile(share: number, count: number): number {
    let left = Math.ceil(share * count);
    if (left === 0) return 0;
    for (let at = 0; at < size; at++) {
      left -= this.#now.counts[at]! + this.#before.counts[at]!;
      if (left <= 0) return Math.round(2 ** ((at + 1) / perOctave));
    }
    return Infinity;
  }

  #swap(now: number): void {
    [this.#now, this.#before] = [this.#before, this.#now];
    this.#now.clear();
    if (now >= this.#turn + halfMs) this.#before.clear();
    this.#turn = now + halfMs;
  }
}
