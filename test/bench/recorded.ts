/** What the hooks that people run cost: the shipped pack on recorded tool calls, large hooks, many hooks. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Call, defaultLimits, type Sandbox } from "@hookwarden/sandbox";
import type { Warden } from "../../src/warden/index.ts";
import { createSandbox, createWarden, loadPack } from "./built.ts";
import { rawIsolate } from "./rivals.ts";
import { type Case, type Measured, measure } from "./rounds.ts";
import { eventOf, hookBody, packOf } from "./workload.ts";

interface Bench {
  readonly rounds: number;
  readonly progress: (text: string) => void;
  readonly table: (title: string, results: readonly Measured[]) => void;
}

const json = JSON.stringify(eventOf(1_024));

/** The tool calls of a recorded corpus; `null` without `HOOKWARDEN_CORPUS`. */
function recordedCalls(): readonly Record<string, unknown>[] | null {
  const path = process.env["HOOKWARDEN_CORPUS"];
  if (path === undefined) return null;
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((event) => event["hook_event_name"] === "PreToolUse");
}

/** How often each recorded tool call is decided in a round: the first ones of a process are slow, as nothing is optimised. */
const repetitions = 5;

/** The shipped pack, on the recorded tool calls. */
export async function shippedPack({ rounds, progress, table }: Bench): Promise<void> {
  const events = recordedCalls();
  if (events === null) return;
  const pack = await loadPack(fileURLToPath(new URL("../../policies", import.meta.url)));
  await using quickjs = await createSandbox({ engine: "quickjs", processes: 1 });
  await using isolate = await createSandbox({ engine: "isolate", processes: 1 });
  const deciding = async (name: string, sandbox: Sandbox): Promise<Case & { warden: Warden }> => {
    const warden = await createWarden({ pack, sandbox });
    let next = 0;
    return {
      name,
      n: repetitions * events.length,
      warden,
      run: () => warden.dispatch(events[next++ % events.length]!),
    };
  };
  const cases = [
    await deciding("the shipped pack, quickjs, child process", quickjs),
    await deciding("the shipped pack, isolate, child process", isolate),
  ];
  table(
    `The shipped pack on ${events.length} recorded PreToolUse events`,
    await measure([rawIsolate(json), ...cases], rounds, progress),
  );
  for (const { warden } of cases) await warden[Symbol.asyncDispose]();
}

/** A hook as a bundler makes it of several packages, of which it uses little. */
function bundled(bytes: number): string {
  const part = (n: number): string =>
    `function part${n}(value) { const parts = String(value).split("-"); return parts.map((one) => one + ${n}).join("_"); }\n`;
  let text = "";
  for (let n = 0; text.length < bytes; n++) text += part(n);
  return `${text}export default ${hookBody};`;
}

/** A bundled hook of 290 KB on isolate, pristine against kept. */
export async function largeHook({ rounds, progress, table }: Bench): Promise<void> {
  const call: Call = {
    program: { key: "large", name: "large", source: bundled(290_000) },
    tenant: "bench",
    handler: "PreToolUse",
    args: [
      json,
      '{"config":{},"hook":"large","tenant":"bench","time":"2026-01-01T00:00:00.000Z","state":null}',
    ],
    time: 0,
    seed: [1, 2, 3, 4],
    limits: defaultLimits,
  };
  await using pristine = await createSandbox({ engine: "isolate", processes: 1 });
  await using kept = await createSandbox({ engine: "isolate", processes: 1, pristine: false });
  const results = await measure(
    [
      { name: "kept context", n: 500, run: () => kept.call({ ...call, keep: "session" }) },
      { name: "pristine", n: 200, run: () => pristine.call(call) },
    ],
    rounds,
    progress,
  );
  table("A bundled hook of 290 KB (sandbox.call, isolate, child process)", results);
}

/** 100 hooks that match, against one, and 100 of which conditions let three match, against three. */
export async function manyHooks({ rounds, progress, table }: Bench): Promise<void> {
  const event = eventOf(1_024);
  const [one, three, hundred, routed] = [
    await packOf(1),
    await packOf(3),
    await packOf(100),
    await packOf(100, { routed: 3 }),
  ];
  for (const engine of ["quickjs", "isolate"] as const) {
    await using sandbox = await createSandbox({ engine, processes: 1 });
    const wardens = await Promise.all(
      [one, three, hundred, routed].map((pack) => createWarden({ pack, sandbox })),
    );
    const names = ["1 hook", "3 hooks", "100 hooks", "100 hooks, of which `when` lets 3 match"];
    const cases = wardens.map((warden, index) => ({
      name: names[index]!,
      n: index === 2 ? 60 : 500,
      run: () => warden.dispatch(event),
    }));
    table(`Hooks that match (dispatch, ${engine}, child process)`, await measure(cases, rounds, progress));
    for (const warden of wardens) await warden[Symbol.asyncDispose]();
  }
}

/** Events of several sizes, of which the hook reads one short field. */
export async function shortField({ rounds, progress, table }: Bench): Promise<void> {
  await using sandbox = await createSandbox({ isolation: "inline" });
  await using warden = await createWarden({
    pack: await packOf(1, { reads: ["tool_input.command"] }),
    sandbox,
  });
  const cases = [1, 32, 256].map((size) => {
    const event = eventOf(size * 1_024);
    return { name: `${size} KB`, n: size > 100 ? 200 : 1_000, run: () => warden.dispatch(event) };
  });
  table(
    "Size of an event of which the hook reads the command (dispatch, quickjs, inline)",
    await measure(cases, rounds, progress),
  );
}
