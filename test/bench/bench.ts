/**
 * `npm run bench [-- --quick]`: what a sandboxed decision costs, as ratios within one run, beside other ways to make
 * the same decision. Prints tables and writes them to `docs/bench.md`. It reports; it asserts nothing.
 */
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { defaultLimits, type Call, type Sandbox, type SandboxOptions } from "@hookwarden/sandbox";
import type { Warden } from "../../src/warden/index.ts";
import { keepAwake } from "./awake.ts";
import { createSandbox, createWarden } from "./built.ts";
import { largeHook, manyHooks, shippedPack, shortField } from "./recorded.ts";
import { peers } from "./peers.ts";
import { picture } from "./picture.ts";
import { bareEcho, rawIsolate, rivals } from "./rivals.ts";
import { type Case, type Measured, measure } from "./rounds.ts";
import { eventOf, hookBody, packOf } from "./workload.ts";

const { values: options } = parseArgs({
  options: { quick: { type: "boolean" }, rounds: { type: "string" } },
});
const rounds = Number(options.rounds ?? (options.quick ? 3 : 7));
const lines: string[] = [];
const say = (line: string): void => {
  console.log(line);
  lines.push(line);
};
const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

function table(title: string, results: readonly Measured[]): void {
  progress("");
  say(`\n## ${title}\n`);
  say("| case | ratio | least to most | µs | p99 µs |");
  say("|---|---:|---:|---:|---:|");
  for (const { name, ratio, least, most, us, p99 } of results) {
    say(`| ${name} | ${show(ratio)}× | ${show(least)} to ${show(most)} | ${show(us)} | ${show(p99)} |`);
  }
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const event = eventOf(1_024);
const json = JSON.stringify(event);
const seed = [1, 2, 3, 4] as const;
const program = { key: "bench", name: "bench", source: `export default ${hookBody};` };
const call: Call = {
  program,
  tenant: "bench",
  handler: "PreToolUse",
  args: [
    json,
    '{"config":{},"hook":"bench","tenant":"bench","time":"2026-01-01T00:00:00.000Z","state":null}',
  ],
  time: 0,
  seed,
  limits: defaultLimits,
};

function calling(name: string, sandbox: Sandbox, what: Call, n = 2_000): Case {
  return { name, n, run: () => sandbox.call(what) };
}

function dispatching(name: string, warden: Warden, what: Record<string, unknown> = event, n = 2_000): Case {
  return { name, n, run: () => warden.dispatch(what) };
}

function inChild(options: SandboxOptions): Promise<Sandbox> {
  return createSandbox({ processes: 1, ...options });
}

/** A call whose caller turns to something else afterwards, as a server does: the image is put back in that time. */
function tidied(one: Case, sandbox: Sandbox): Case {
  return { ...one, after: () => sandbox.tidy?.() };
}

function inFlight(name: string, count: number, run: () => unknown): Case {
  return { name, n: 100, per: count, run: () => Promise.all(Array.from({ length: count }, run)) };
}

say(
  `Measured with Node.js ${process.version} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB.`,
);
say(
  `The cores are kept awake by processes of the lowest priority: a sleeping virtual core takes its host up to 100 µs to wake, and that would be all that a round trip to a child shows.`,
);
say(
  `Medians of ${rounds} interleaved rounds; a ratio compares a round's median with that of the first row in the same round.`,
);

const inline = await createSandbox({ isolation: "inline" });
const inlineKept = await createSandbox({ isolation: "inline", pristine: false });
const awake = keepAwake();
const inProcess = await inChild({ engine: "quickjs" });
const isolates = await inChild({ engine: "isolate" });
const isolatesKept = await inChild({ engine: "isolate", pristine: false });
const onePack = await packOf(1);
const wardenInline = await createWarden({ pack: onePack, sandbox: inline });
const wardenProcess = await createWarden({ pack: onePack, sandbox: inProcess });
const wardenIsolate = await createWarden({ pack: onePack, sandbox: isolates });
const others = await rivals(event, json);
const pipe = bareEcho(json);

const decisions = await measure(
  [
    rawIsolate(json),
    tidied(calling("sandbox.call, quickjs, inline, pristine", inline, call), inline),
    calling("sandbox.call, quickjs, inline, pristine, back to back", inline, call),
    calling("sandbox.call, quickjs, inline, kept", inlineKept, { ...call, keep: "session" }),
    pipe.echo,
    calling("sandbox.call, quickjs, child process, pristine", inProcess, call, 1_000),
    calling("sandbox.call, isolate, child process, pristine", isolates, call, 200),
    calling("sandbox.call, isolate, child process, kept", isolatesKept, { ...call, keep: "session" }, 1_000),
    tidied(dispatching("dispatch, quickjs, inline", wardenInline), inline),
    dispatching("dispatch, quickjs, inline, back to back", wardenInline),
    dispatching("dispatch, quickjs, child process", wardenProcess, event, 1_000),
    inFlight("dispatch, quickjs, child process, 32 in flight (each)", 32, () =>
      wardenProcess.dispatch(event),
    ),
    dispatching("dispatch, isolate, child process", wardenIsolate, event, 200),
    ...others.cases,
    ...(await peers(event, json)),
  ],
  rounds,
  progress,
);
table("One decision on an event of 1 KB", decisions);
writeFileSync(new URL("../../docs/images/bench.svg", import.meta.url), picture(decisions));
others.close();
pipe.close();

const wardens10 = await createWarden({ pack: await packOf(10), sandbox: inline });
const wardens100 = await createWarden({ pack: await packOf(100), sandbox: inline });
table(
  "Hooks that match, and size of the event (dispatch, quickjs, inline)",
  await measure(
    [
      dispatching("1 hook, 1 KB", wardenInline),
      dispatching("10 hooks, 1 KB", wardens10, event, 300),
      dispatching("100 hooks, 1 KB", wardens100, event, 40),
      dispatching("1 hook, 32 KB", wardenInline, eventOf(32_768), 300),
      dispatching("1 hook, 256 KB", wardenInline, eventOf(262_144), 50),
    ],
    rounds,
    progress,
  ),
);

const bench = { rounds, progress, table };
await shortField(bench);
await manyHooks(bench);
await largeHook(bench);
await shippedPack(bench);

say("\n## Resident hooks (sandbox.call, quickjs, inline, pristine)\n");
say("| hooks | any, against one hot | µs | RSS MiB | bytes kept for each |");
say("|---:|---:|---:|---:|---:|");
const rss = (): number => process.memoryUsage.rss() / 2 ** 20;
let resident = 0;
const rssBefore = rss();
const calls: Call[] = [];
for (const count of [1, 100, 1_000, ...(options.quick ? [] : [10_000])]) {
  for (; resident < count; resident++) {
    progress(`loading hook ${resident + 1} of ${count}`);
    const source = `export default ${hookBody.replace("destructive", `destructive ${resident}`)};`;
    const one: Call = { ...call, program: { key: `resident-${resident}`, name: "resident", source } };
    calls.push(one);
    await inline.call(one);
    // The memories in which programs are loaded are freed only once the event loop turns.
    await setImmediate();
  }
  let next = 0;
  const [hot, any] = await measure(
    [
      calling("hot", inline, calls[0]!),
      { name: "any", n: 2_000, run: () => inline.call(calls[(next = (next + 7_919) % count)]!) },
    ],
    Math.max(3, rounds - 2),
    progress,
  );
  progress("");
  say(
    `| ${count} | ${show(any!.us / hot!.us)}× | ${show(any!.us)} | ${rss().toFixed(0)} | ${(((rss() - rssBefore) * 2 ** 20) / count).toFixed(0)} |`,
  );
}

say("\n## Cold start\n");
say("| what | ms |");
say("|---|---:|");
async function milliseconds(name: string, run: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    progress(name);
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  progress("");
  say(`| ${name} | ${times.toSorted((a, b) => a - b)[2]!.toFixed(1)} |`);
}
await milliseconds("quickjs in this process, to the first answer", async () => {
  await using sandbox = await createSandbox({ isolation: "inline" });
  await sandbox.call(call);
});
for (const engine of ["quickjs", "isolate"] as const) {
  await milliseconds(`${engine} in a child process, to the first answer`, async () => {
    await using sandbox = await inChild({ engine, spares: 0 });
    await sandbox.call(call);
  });
}
await milliseconds("createWarden with a pack of one hook, to the first decision", async () => {
  await using warden = await createWarden({ pack: onePack });
  await warden.dispatch(event);
});

say("\n## After a limit: from the limit to the answer, and to the next decision\n");
say("| what | n | p50 ms | p99 ms |");
say("|---|---:|---:|---:|");
const interruptible = {
  ...call,
  program: { key: "loop", name: "loop", source: "export default () => { for (;;); };" },
  limits: { ...defaultLimits, steps: 500_000_000, wallMs: 20 },
};
const stubborn = {
  ...call,
  program: {
    key: "stubborn",
    name: "stubborn",
    source: "export default () => new Array(2 ** 28).join('ab').length;",
  },
  limits: { ...defaultLimits, wallMs: 20 },
};
async function overrun(name: string, what: Call, n: number): Promise<void> {
  const late: number[] = [];
  const next: number[] = [];
  for (let i = 0; i < n; i++) {
    progress(`${name}: ${i + 1} of ${n}`);
    let start = performance.now();
    await inProcess.call(what);
    late.push(performance.now() - start - what.limits.wallMs);
    start = performance.now();
    await inProcess.call(call);
    next.push(performance.now() - start);
  }
  progress("");
  for (const [title, times] of [
    [name, late],
    [`${name}: the next call`, next],
  ] as const) {
    const sorted = times.toSorted((a, b) => a - b);
    say(`| ${title} | ${n} | ${sorted[n >> 1]!.toFixed(1)} | ${sorted[Math.floor(n * 0.99)]!.toFixed(1)} |`);
  }
}
await overrun("a loop, stopped by the engine", interruptible, options.quick ? 30 : 200);
await overrun("a built-in, stopped by a kill", stubborn, options.quick ? 30 : 1_000);

for (const warden of [wardenInline, wardenProcess, wardenIsolate, wardens10, wardens100])
  await warden[Symbol.asyncDispose]();
for (const sandbox of [inline, inlineKept, inProcess, isolates, isolatesKept])
  await sandbox[Symbol.asyncDispose]();
awake.stop();
writeFileSync(
  new URL("../../docs/bench.md", import.meta.url),
  `# Bench\n\nWritten by \`npm run bench\`; [performance.md](performance.md) explains it.\n\n${lines.join("\n")}\n`,
);
