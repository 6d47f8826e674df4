/**
 * How long a tenant's check of a pack takes alone, and while another tenant has 40 under way: `npm run measure:uploads`.
 */
import { guard, startTestServer } from "../../packages/server/test/support.ts";

const rounds = 7;
const sent = 40;

await using test = await startTestServer({ audit: "off" });
const { client: quiet } = await test.tenant("quiet");

async function checkMs(): Promise<number> {
  const startedAt = performance.now();
  const { ok } = await quiet.checkPack("quiet", { files: guard });
  if (!ok) throw new Error("the pack was refused");
  return performance.now() - startedAt;
}

function summary(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other).map(Math.round);
  return `median ${sorted[sorted.length >> 1]} ms, maximum ${sorted.at(-1)} ms`;
}

await checkMs();
const alone: number[] = [];
for (let round = 0; round < rounds; round++) alone.push(await checkMs());
const { client: loud } = await test.tenant("loud");
let refused = 0;
let running = sent;
const others = Array.from({ length: sent }, () =>
  loud
    .checkPack("loud", { files: guard })
    .catch((error: { readonly code?: string }) => {
      if (error.code !== "queue-full") throw error;
      refused++;
    })
    .finally(() => running--),
);
const beside: number[] = [];
for (let round = 0; round < rounds; round++) beside.push(await checkMs());
const left = running;
await Promise.all(others);
console.log(`check alone: ${summary(alone)}`);
console.log(`check while another tenant has ${sent} under way: ${summary(beside)}`);
console.log(`of those, ${refused} were refused with queue-full, and ${left} were still under way at the end`);
