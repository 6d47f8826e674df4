/**
 * `npm run measure:realm [-- --calls 1000000]`: what calls in a frozen realm cost and leave behind. It makes many calls of
 * small programs, of ones that make garbage, and of one that stamps private names on frozen objects, and prints time,
 * heap and resident memory at each tenth. It reports; it asserts nothing.
 */
import { parseArgs } from "node:util";
import { defaultLimits, type Outcome } from "@hookwarden/sandbox";
import { createIsolateSandbox } from "../../sandbox/src/isolate/index.ts";

const { values } = parseArgs({ options: { calls: { type: "string", default: "1000000" } } });
const calls = Number(values.calls);

const programs: readonly (readonly [name: string, share: number, source: string])[] = [
  [
    "a small hook",
    1,
    String.raw`export default (event) => /\bgit\s+push\b.*\s(--force|-f)\b/.test(event.tool_input.command) ? { action: "deny", reason: "x" } : undefined;`,
  ],
  [
    "classes and a map",
    0.3,
    "class A { m() { return 1; } } class B extends A { n() { return super.m(); } } const map = new Map(); export default () => { map.set(1, new B()); return map.get(1).n(); };",
  ],
  [
    "new registered symbols",
    0.3,
    "export default () => { for (let i = 0; i < 5; i++) Symbol.for(String(Math.random())); return 1; };",
  ],
  ["a promise", 0.3, "export default async (event) => { await null; return event.tool_name; };"],
  [
    "private names on a frozen object, which keep 80 KB",
    0.02,
    "class Return { constructor(object) { return object; } } class Stamp extends Return { #value; constructor(object, value) { super(object); this.#value = value; } } export default () => { new Stamp(Array.prototype, new Array(10_000).fill(1)); return 1; };",
  ],
];

await using sandbox = await createIsolateSandbox();
for (const [name, share, source] of programs) {
  const count = Math.round(calls * share);
  const points: string[] = [];
  const rssBefore = process.memoryUsage.rss();
  const started = performance.now();
  let faults = 0;
  for (let call = 1; call <= count; call++) {
    const outcome: Outcome = sandbox.call({
      program: { key: source, name: "hook.js", source },
      tenant: "tenant",
      handler: "PreToolUse",
      args: ['{"tool_name":"Bash","tool_input":{"command":"git push --force origin main"}}', "{}"],
      time: call,
      seed: [call, 2, 3, 4],
      limits: { ...defaultLimits, wallMs: 5_000 },
    });
    if (!outcome.ok) faults++;
    if (call % Math.ceil(count / 10) === 0) points.push((process.memoryUsage.rss() / 2 ** 20).toFixed(0));
  }
  const us = ((performance.now() - started) * 1_000) / count;
  const grown = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
  console.log(
    `${name}: ${count} calls, ${faults} faults, ${us.toFixed(1)} µs each, RSS ${points.join(" ")} MiB (${grown >= 0 ? "+" : ""}${grown.toFixed(0)})`,
  );
}
