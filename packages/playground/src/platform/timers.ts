/** What of `node:timers/promises` the broker uses. */
export function setTimeout(milliseconds: number): Promise<void> {
  return new Promise((done) => void globalThis.setTimeout(done, milliseconds));
}
