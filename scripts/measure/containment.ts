/**
 * How long a child takes to start, and a call to be answered, with and without containment: medians, in milliseconds.
 *
 *     npm run measure:containment [rounds]
 */
import {
  describeContainment,
  type ContainmentMode,
  type Call,
  createSandbox,
  defaultLimits,
  type EngineName,
} from "@hookwarden/sandbox";

const rounds = Number(process.argv[2] ?? 20);
const program = { key: "measure", name: "hook.js", source: "export default () => ({ action: 'continue' })" };
const call: Call = {
  program,
  tenant: "a",
  handler: "default",
  args: ["{}"],
  time: 0,
  seed: [1, 2, 3, 4],
  limits: { ...defaultLimits, wallMs: 10_000 },
};

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

async function once(
  engine: EngineName,
  containment: ContainmentMode,
): Promise<{ start: number; call: number }> {
  const begun = performance.now();
  await using sandbox = await createSandbox({
    engine,
    containment,
    processes: 1,
    spares: 0,
    startMs: 60_000,
  });
  const start = performance.now() - begun;
  const times: number[] = [];
  for (let count = 0; count < 200; count++) {
    const before = performance.now();
    const outcome = await sandbox.call(call);
    if (!outcome.ok) throw new Error(outcome.fault.message);
    times.push(performance.now() - before);
  }
  return { start, call: median(times) };
}

const before = performance.now();
const { backend } = await describeContainment("auto");
console.log(
  `backend: ${backend}; found out in ${(performance.now() - before).toFixed(1)} ms, once a process`,
);
for (const engine of ["quickjs", "isolate"] as const) {
  const found = {
    none: [] as { start: number; call: number }[],
    auto: [] as { start: number; call: number }[],
  };
  // In turns, so that what else the machine does is shared by both.
  for (let round = 0; round < rounds; round++)
    for (const mode of ["none", "auto"] as const) found[mode].push(await once(engine, mode));
  for (const mode of ["none", "auto"] as const) {
    const start = median(found[mode].map((one) => one.start)).toFixed(1);
    const perCall = median(found[mode].map((one) => one.call)).toFixed(3);
    console.log(
      `${engine.padEnd(8)} ${mode.padEnd(5)} start ${start} ms, call ${perCall} ms (median of ${rounds})`,
    );
  }
}
