/**
 * One tenant keeps 40 calls in flight that loop until they are killed, in the library's pool; two others call a hook that
 * returns at once. How many of their calls are refused with `overloaded` or fail otherwise, on each engine:
 *
 *     npm run measure:looping-tenant [-- seconds, default 15]
 */
import { loadavg } from "node:os";
import { createWarden } from "../../src/index.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { packOf } from "../../test/bench/server/setup.ts";

const seconds = Number(process.argv[2] ?? 15);
const loops = 40;

const files = packOf(
  `export default ({ tool_input: { command } }) => { if (command === "loop") for (;;); };`,
  { limits: { wallMs: 500 } },
);
const pack = await loadPackFromFiles(
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
);

for (const engine of ["quickjs", "isolate"] as const) {
  await using warden = await createWarden({ pack, engine, isolation: "process" });
  const end = performance.now() + seconds * 1_000;
  const keepCalling = async (tenant: string, command: string): Promise<{ codes: string[]; ms: number[] }> => {
    const codes: string[] = [];
    const ms: number[] = [];
    for (let at = 0; performance.now() < end; at++) {
      const begun = performance.now();
      const { trace } = await warden.dispatch(
        { hook_event_name: "PreToolUse", session_id: `s${at}`, tool_name: "Bash", tool_input: { command } },
        { tenant },
      );
      codes.push(trace[0]?.fault?.code ?? "ok");
      ms.push(performance.now() - begun);
    }
    return { codes, ms };
  };
  const looping = Array.from({ length: loops }, () => keepCalling("loud", "loop"));
  const [one, other, ...loud] = await Promise.all([
    keepCalling("one", "ls"),
    keepCalling("other", "ls"),
    ...looping,
  ]);
  const count = (all: readonly { readonly codes: readonly string[] }[]): object =>
    Object.fromEntries(
      Object.entries(
        Object.groupBy(
          all.flatMap(({ codes }) => codes),
          (code) => code,
        ),
      ).map(([code, list]) => [code, list?.length]),
    );
  const ms = [...one.ms, ...other.ms].sort((a, b) => a - b);
  const at = (share: number): string => (ms[Math.floor(ms.length * share)] ?? NaN).toFixed(1);
  console.log(
    `${engine}: benign ${JSON.stringify(count([one, other]))}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; looping ${JSON.stringify(count(loud))}; load ${loadavg()[0]?.toFixed(1)}`,
  );
}
