/**
 * `npm run stress`: what must hold over many calls, at full length. The tests hold shorter forms of the same. Exits 1
 * where anything does not hold.
 */
import { readFileSync } from "node:fs";
import { defaultLimits, type Call, type Outcome, type Sandbox } from "@hookwarden/sandbox";
import { hostileScripts } from "../support/hostile-corpus.ts";
import { createSandbox, createWarden } from "./built.ts";
import { childrenOf, rssMb } from "./server/process.ts";
import { eventOf, packOf } from "./workload.ts";

let failed = 0;
function report(name: string, wrong: number, detail: string): void {
  console.log(`${wrong === 0 ? "ok    " : "FAILED"}  ${name}: ${detail}`);
  if (wrong > 0) failed++;
}
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}\r`);
}

const callOf = (name: string, source: string, more: Partial<Call> = {}): Call => ({
  program: { key: name, name, source },
  tenant: "a",
  handler: "PreToolUse",
  args: [JSON.stringify(eventOf(1_024)), '{"state":null}'],
  time: 0,
  seed: [1, 2, 3, 4],
  limits: defaultLimits,
  ...more,
});

/** Resident memory of all children and of what starts them, in MiB. Linux only, as the watch of memory is. */
function childrenRssMb(): number {
  let mb = 0;
  for (const pid of childrenOf(process.pid)) {
    try {
      mb += rssMb(pid);
    } catch {
      // It has ended.
    }
  }
  return mb;
}

const counting = `
  let inModule = 0; const re = /a/g; const cached = Promise.resolve({ n: 0 });
  export default async () => {
    inModule++; globalThis.inGlobal = (globalThis.inGlobal ?? 0) + 1;
    Array.prototype.patched = ([].patched ?? 0) + 1; re.test("aaa");
    const symbol = Symbol.for("kept"); symbol.constructor.seen = (Symbol.seen ?? 0) + 1;
    const held = await cached; held.n++;
    return [inModule, globalThis.inGlobal, [].patched, re.lastIndex, Symbol.seen, held.n];
  };`;

async function alwaysTheFirstAnswer(where: string, sandbox: Sandbox, n: number): Promise<void> {
  const call = callOf("counting", counting);
  let wrong = 0;
  for (let i = 0; i < n; i++) {
    if (i % 1_000 === 0) progress(`${where}: ${i} of ${n}`);
    const outcome = await sandbox.call(call);
    if (!outcome.ok || outcome.output !== "[1,1,1,1,1,1]") wrong++;
  }
  report(
    `pristine, ${where}`,
    wrong,
    `${n} calls of a hook that counts in six places, ${wrong} not like the first`,
  );
}

{
  await using inline = await createSandbox({ isolation: "inline" });
  await alwaysTheFirstAnswer("quickjs inline", inline, 100_000);
  await using isolates = await createSandbox({ engine: "isolate", processes: 1 });
  await alwaysTheFirstAnswer("isolate in a child", isolates, 10_000);
}

await using pool = await createSandbox({ processes: 2 });
await alwaysTheFirstAnswer("quickjs in a child", pool, 100_000);
{
  const attacks = hostileScripts
    .filter(({ event }) => event === "PreToolUse")
    .map(({ file }) =>
      callOf(file, readFileSync(new URL(`../hostile/scripts/${file}`, import.meta.url), "utf8"), {
        limits: { ...defaultLimits, wallMs: 20, steps: 500_000 },
      }),
    );
  const benign = callOf(
    "benign",
    "export default (event) => ({ action: 'continue', saw: event.tool_name });",
  );
  const n = 10_000;
  let wrong = 0;
  let answered = 0;
  const kinds = new Map<string | null, number>();
  let next = 0;
  const one = async (): Promise<void> => {
    for (let i = next++; i < n; i = next++) {
      if (i % 100 === 0) progress(`hostile and benign: ${i} of ${n}`);
      const tenant = ["a", "b", "c"][i % 3]!;
      const hostile = i % 4 === 0;
      const outcome: Outcome = await pool.call({
        ...(hostile ? attacks[(i >> 2) % attacks.length]! : benign),
        tenant,
      });
      answered++;
      if (hostile) continue;
      const what = outcome.ok ? outcome.output : `${outcome.fault.code}: ${outcome.fault.message}`;
      kinds.set(what, (kinds.get(what) ?? 0) + 1);
      if (what !== '{"action":"continue","saw":"Bash"}') wrong++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  report(
    "hostile and benign, 3 tenants",
    wrong + (n - answered),
    `${n} calls, ${wrong} wrong benign answers: ${JSON.stringify([...kinds])}`,
  );
}
{
  const benign = callOf("small", "export default () => ({ action: 'continue' });");
  let answers = 0;
  let asked = 0;
  const counts = new Map<string, number>();
  for (let round = 0; round < 200; round++) {
    progress(`kill -9: ${round} of 200`);
    const calls = Array.from({ length: 64 }, () => Promise.resolve(pool.call(benign)));
    asked += 64;
    setTimeout(() => {
      for (const pid of childrenOf(process.pid)) {
        try {
          if (Math.random() < 0.7) process.kill(pid, "SIGKILL");
        } catch {
          // It was gone already.
        }
      }
    }, Math.random() * 4);
    for (const outcome of await Promise.all(calls)) {
      answers++;
      const what = outcome.ok ? "answered" : outcome.fault.code;
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
  }
  report(
    "kill -9 under 64 in flight, 200 times",
    asked - answers,
    `${answers} of ${asked} answered: ${JSON.stringify(Object.fromEntries(counts))}`,
  );
}
{
  // Nothing in the engine stops it before it has ended, so its process is killed. A new program each time, since one
  // that has killed is kept apart.
  const benign = callOf("small", "export default () => ({ action: 'continue' });");
  const times: number[] = [];
  let wrong = 0;
  const n = 1_000;
  for (let i = 0; i < n; i++) {
    if (i % 10 === 0) progress(`kills: ${i} of ${n}`);
    const stubborn = callOf(
      `stubborn ${i}`,
      `export default () => new Array(2 ** 28).join("ab").length + ${i};`,
      {
        limits: { ...defaultLimits, wallMs: 20 },
      },
    );
    const killed = await pool.call(stubborn);
    if (killed.ok || killed.fault.code !== "timeout") wrong++;
    const start = performance.now();
    const outcome = await pool.call(benign);
    times.push(performance.now() - start);
    if (!outcome.ok) wrong++;
  }
  times.sort((a, b) => a - b);
  const late = times.filter((ms) => ms > 100).length;
  report(
    "1,000 kills in a row",
    wrong,
    `${wrong} wrong; the next decision after ${times[n >> 1]!.toFixed(1)} ms (median), ${times[990]!.toFixed(1)} ms (p99), ${times[n - 1]!.toFixed(1)} ms at most; ${late} above 100 ms`,
  );
}
{
  await using warden = await createWarden({ pack: await packOf(3), sandbox: pool });
  const event = eventOf(1_024);
  const MiB = 2 ** 20;
  const samples: { rss: number; heap: number; children: number }[] = [];
  const sample = (): void => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    samples.push({ rss: rss / MiB, heap: heapUsed / MiB, children: childrenRssMb() });
  };
  for (let i = 0; i < 150_000; i += 16) {
    if (i % 10_000 === 0) {
      sample();
      progress(`memory: ${i} of 150000`);
    }
    await Promise.all(Array.from({ length: 16 }, () => warden.dispatch(event)));
  }
  sample();
  // Until then V8 still lets the heaps of new children grow to what it finds worth while.
  const [from, to] = [samples.at(-6)!, samples.at(-1)!];
  const grown = to.children - from.children > 16 || to.heap - from.heap > 4;
  const list = (of: "rss" | "heap" | "children"): string =>
    samples.map((one) => one[of].toFixed(0)).join(", ");
  report(
    "memory over 50,000 decisions, after 100,000",
    grown ? 1 : 0,
    `MiB, every 10,000: RSS ${list("rss")}; heap ${list("heap")}; RSS of the children ${list("children")}`,
  );
}
progress("");
process.exitCode = failed === 0 ? 0 : 1;
