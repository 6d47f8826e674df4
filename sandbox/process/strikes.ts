/** How long a program that has had its child killed is kept apart from others, in milliseconds. */
const apartMs = 60_000;
/** Most programs that are remembered; the oldest are forgotten first. */
const most = 1_024;

/** Programs that have had a child killed not long ago. */
export class Strikes {
  readonly #until = new Map<string, number>();

  has(key: string): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#until.delete(key);
    return false;
  }

  add(key: string): void {
    this.#until.delete(key);
    this.#until.set(key, performance.now() + apartMs);
    const oldest = this.#until.keys().next().value;
    if (this.#until.size > most && oldest !== undefined) this.#until.delete(oldest);
  }

  forget(key: string): void {
    this.#until.delete(key);
  }
}
