import type { Operator } from "../operator.ts";
import type { LiveEvent } from "../tenants.ts";

/** Events that wait for a watcher who reads slowly; what comes on top is counted and left out. */
const maxQueued = 1_000;
/** Heartbeat interval, in milliseconds: proxies close idle connections. */
const heartbeatMs = 15_000;
/** How often the client's presence is checked, in milliseconds. */
const pollIntervalMs = 250;

/**
 * What happens, in the format of Server-Sent Events.
 *
 * @param ended whether the watcher has gone, or may not watch any more.
 */
export async function* liveStream(
  operator: Operator,
  tenant: string | undefined,
  ended: () => Promise<boolean>,
): AsyncGenerator<string> {
  const waiting: LiveEvent[] = [];
  let skipped = 0;
  let wake: () => void = () => undefined;
  using _watch = operator.watch((event) => {
    if (waiting.length < maxQueued) waiting.push(event);
    else skipped++;
    wake();
  }, tenant);
  let last = performance.now();
  yield ": watching\n\n";
  while (!(await ended())) {
    if (waiting.length === 0) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, pollIntervalMs).unref();
        wake = () => {
          clearTimeout(timer);
          done();
        };
      });
      if (performance.now() - last < heartbeatMs) continue;
      last = performance.now();
      yield ": still here\n\n";
      continue;
    }
    const text = waiting.splice(0).map(frame).join("");
    last = performance.now();
    yield text;
    if (skipped > 0) yield frame({ type: "skipped", at: new Date().toISOString(), events: skipped });
    skipped = 0;
  }
}

/** JSON has no line ends of its own, so that an event is one line of data. */
function frame(event: LiveEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
