/**
 * What the shipped pack costs on the recorded `PreToolUse` events in a child process, with the calls of each decision made
 * one after another, and in one crossing. The two alternate in one run: `npm run measure:crossing -- [ROUNDS]`. Needs
 * `HOOKWARDEN_CORPUS`.
 */
import { readFileSync } from "node:fs";
import { createSandbox, type EngineName, type Sandbox } from "@hookwarden/sandbox";
import { createWarden } from "../../src/warden/index.ts";

const corpus = process.env.HOOKWARDEN_CORPUS;
if (!corpus) throw new Error("set `HOOKWARDEN_CORPUS` to the file of recorded events");
const [rounds = "5", only] = process.argv.slice(2);
const events = readFileSync(corpus, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { readonly hook_event_name: string })
  .filter(({ hook_event_name: name }) => name === "PreToolUse");

/** The same sandbox, with calls made one after another. */
function sequential(sandbox: Sandbox): Sandbox {
  return {
    engine: sandbox.engine,
    version: sandbox.version,
    call: (call) => sandbox.call(call),
    inspect: (...args) => sandbox.inspect(...args),
    forget: (key) => sandbox.forget(key),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

for (const engine of ["quickjs", "isolate"] as const satisfies readonly EngineName[]) {
  if (only !== undefined && only !== engine) continue;
  await using sandbox = await createSandbox({ engine, processes: 1 });
  const store = "policies";
  await using before = await createWarden({ pack: store, sandbox: sequential(sandbox) });
  await using after = await createWarden({ pack: store, sandbox });
  const times = { before: [] as number[], after: [] as number[] };
  const verdicts = { before: "", after: "" };
  for (let round = 0; round <= Number(rounds); round++) {
    for (const [name, warden] of [
      ["before", before],
      ["after", after],
    ] as const) {
      verdicts[name] = "";
      for (const event of events) {
        const started = performance.now();
        const { verdict, reason } = await warden.dispatch(event, { tenant: name });
        // The first round loads programs and warms up.
        if (round > 0) times[name].push((performance.now() - started) * 1_000);
        verdicts[name] += `${verdict} ${reason}\n`;
      }
    }
    if (verdicts.before !== verdicts.after) throw new Error("the verdicts differ");
  }
  for (const name of ["before", "after"] as const) {
    const sorted = times[name].toSorted((one, other) => one - other);
    const [median, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(sorted, share).toFixed(0));
    const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
    const how = name === "before" ? "one after another" : "in one crossing";
    console.log(
      `${engine}, ${events.length} events, ${how}: median ${median} µs, p90 ${p90}, p99 ${p99}, mean ${mean.toFixed(0)}`,
    );
  }
}
