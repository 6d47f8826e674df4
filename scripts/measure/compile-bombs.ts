/** Gives bombs to the bundler and the type checker, and measures their memory: `npm run measure:bombs [-- COUNT SEED WALL_MS]`. */
import { childLimits } from "../../src/compile/child-limits.ts";
import { memoryPollIntervalMs } from "../../src/compile/run-child.ts";
import { compileBombs } from "../../test/support/compile-bombs.ts";
import { type BombResult, runBomb } from "../../test/support/run-bomb.ts";

const [count = "200", seed = "1", wallMs = "5000"] = process.argv.slice(2);
const capMb = childLimits.childMemoryMb.default;
const mib = (bytes: number): number => Math.round(bytes / 1_048_576);
const outcome = ({ answer }: BombResult): string =>
  /MiB of memory/.test(answer)
    ? "memory"
    : /longer than/.test(answer)
      ? "time"
      : answer === "done"
        ? "done"
        : "refused";

const byKind = new Map<string, BombResult[]>();
for (const bomb of compileBombs(Number(count), Number(seed))) {
  const result = await runBomb(bomb, capMb, Number(wallMs));
  byKind.set(bomb.kind, [...(byKind.get(bomb.kind) ?? []), result]);
}
const all = [...byKind.values()].flat();
for (const [kind, results] of byKind) {
  const outcomes = Object.entries(Object.groupBy(results, outcome)).map(
    ([name, of]) => `${name} ${of?.length}`,
  );
  console.log(
    `${kind}: ${results.length}, peak ${mib(Math.max(...results.map(({ peak }) => peak)))} MiB, ${outcomes.join(", ")}`,
  );
}
const peak = mib(Math.max(...all.map((result) => result.peak)));
console.log(
  `${all.length} bombs (seed ${seed}), limit ${capMb} MiB, sampled every ${memoryPollIntervalMs} ms: peak ${peak} MiB`,
);
console.log(
  `above the limit before they were killed: ${all.filter((result) => mib(result.peak) > capMb).length}`,
);
