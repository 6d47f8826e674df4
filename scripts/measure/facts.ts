/**
 * Measures facts and routing:
 *
 *     npm run measure:facts -- [lines]
 *
 * 1. `facts.shell` against real bash, for so many generated command lines (default 10,000): what was started must be
 *    listed, or the fact must say that it does not know.
 * 2. Conditions against a naive evaluation: 500 packs, 100,000 pairs of condition and event.
 * 3. The longest time that a fact takes at its limits.
 * 4. How long the host's event loop is blocked meanwhile.
 * 5. A pack of 100 hooks of which `when` lets 3 match, against a pack of those 3.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createWarden } from "../../src/index.ts";
import { FactSet, factNames, factsOf } from "../../src/facts/index.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { commandLine } from "../../test/facts/command-lines.ts";
import { differences, random } from "../../test/facts/conditions.ts";
import { judge, startedBy } from "../../test/facts/truth.ts";

const count = Number(process.argv[2] ?? 10_000);
const batch = 500;
let failed = false;

function fail(text: string): void {
  failed = true;
  console.log(text);
}

function truth(): void {
  let [started, complete] = [0, 0];
  for (let from = 0; from < count; from += batch) {
    const lines = Array.from({ length: Math.min(batch, count - from) }, (_, at) =>
      commandLine(random(from + at)),
    );
    const runs = startedBy(lines);
    if (runs === null) return fail("no namespace can be made here");
    for (const [index, line] of lines.entries()) {
      const verdict = judge(line, runs[index] ?? []);
      started += runs[index]?.length ?? 0;
      if (verdict.complete) complete++;
      for (const argv of verdict.missing) fail(`missing ${JSON.stringify(argv)} of ${JSON.stringify(line)}`);
      for (const { argv } of verdict.extra) fail(`extra ${JSON.stringify(argv)} of ${JSON.stringify(line)}`);
    }
  }
  console.log(`${count} command lines, ${started} programs started; complete for ${complete}`);
}

function conditions(): void {
  let found = 0;
  for (let seed = 0; seed < 500; seed++)
    for (const text of differences(seed, 10, 20)) if (++found <= 10) fail(text);
  console.log(`500 packs, 100,000 pairs of condition and event: ${found} differ`);
}

function extremes(): void {
  const texts = {
    "32 KB of words": `echo ${"a ".repeat(16_000)}`,
    "32 KB of expansions": "$x".repeat(16_000),
    "32 KB of quotes": `echo ${"'a'\"b\"".repeat(5_000)}`,
    "nested loops": `${"for i in 1 2 3; do ".repeat(8)}a; ${"done; ".repeat(8)}`,
    "nested while loops": `${"while a; do x=$x$y; ".repeat(12)}b; ${"done; ".repeat(12)}`,
    "functions that call each other": `${Array.from({ length: 30 }, (_, n) => `f${n}() { f${n + 1}; f${n + 1}; };`).join(" ")} f0`,
    braces: `echo ${"{a,b,c}".repeat(20)}`,
    brackets: `echo ${"[".repeat(30_000)}`,
    "open quotes and parentheses": `${"$(".repeat(10_000)}`,
    "here-documents": "cat <<A\n".repeat(3_000),
    "400 addresses": Array.from({ length: 390 }, (_, n) => `curl http://h${n}.example/`).join(";"),
  };
  for (const [what, command] of Object.entries(texts)) {
    const times = Array.from({ length: 5 }, () => {
      const set = new FactSet({ tool_name: "Bash", tool_input: { command }, cwd: "/home/u/p" });
      const start = performance.now();
      for (const name of factNames) set.textOf(name);
      return performance.now() - start;
    });
    console.log(`${what}: ${Math.min(...times).toFixed(1)} ms for all facts`);
  }
}

/** How long the host's event loop is blocked at most while events are decided whose facts take longest. */
async function blocking(): Promise<void> {
  const hook = (name: string, event: string): readonly [string, string][] => [
    [
      `${name}/hook.json`,
      JSON.stringify({
        apiVersion: 1,
        name,
        version: "1.0.0",
        entry: "hook.js",
        on: [{ event }],
        reads: factsOf(event).map((fact) => `facts.${fact}`),
        actions: ["notify"],
        limits: { inputBytes: 8_388_608 },
      }),
    ],
    [`${name}/hook.js`, "export default () => undefined;"],
  ];
  const files = [
    ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: ["shell", "text"] })] as const,
    ...hook("shell", "PreToolUse"),
    ...hook("text", "UserPromptSubmit"),
  ];
  const pack = await loadPackFromFiles(new Map(files.map(([path, text]) => [path, Buffer.from(text)])));
  await using warden = await createWarden({ pack });
  const shell = (command: string) => ({
    hook_event_name: "PreToolUse" as const,
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command },
  });
  const prompt = (text: string) => ({
    hook_event_name: "UserPromptSubmit" as const,
    session_id: "s",
    prompt: text,
  });
  const events = {
    "an ordinary command": shell("ls -la | sort"),
    "1 KB of assignments": shell(Array.from({ length: 80 }, (_, n) => `x=$x$x${n}`).join(";")),
    "5 KB of assignments": shell(Array.from({ length: 300 }, (_, n) => `x=$x$x${n};a $x`).join(";")),
    "nested loops": shell(`${"while a; do x=$x$y; ".repeat(12)}b; ${"done; ".repeat(12)}`),
    "1 MB of prose": prompt("It is a long text. ".repeat(50_000)),
    "16 KB of hexadecimal digits": prompt(`${"6".repeat(23)} `.repeat(680)),
    "1 MB of hexadecimal digits": prompt(`${"6".repeat(23)} `.repeat(43_000)),
    "1 MB of lookalikes": prompt("ignоre ".repeat(100_000)),
  };
  for (const [what, event] of Object.entries(events)) {
    const times: number[] = [];
    const here: number[] = [];
    for (let round = 0; round < 5; round++) {
      const set = new FactSet(event);
      const before = performance.now();
      for (const fact of factsOf(event.hook_event_name)) set.textOf(fact);
      here.push(performance.now() - before);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      await sleep(5);
      await warden.dispatch(event);
      await sleep(5);
      delay.disable();
      times.push(delay.max / 1e6);
    }
    console.log(
      `${what}: deriving takes ${Math.min(...here).toFixed(1)} ms; the event loop is blocked for ${Math.min(...times).toFixed(1)} ms`,
    );
  }
}

async function packOf(hooks: number, matching: number) {
  const names = Array.from({ length: hooks }, (_, at) => `hook-${at}`);
  const files: [string, string][] = [["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: names })]];
  for (const [at, name] of names.entries()) {
    const program = at < matching ? "ls" : `program-${at}`;
    const on = [{ event: "PreToolUse", when: { path: "facts.shell.commands.*.name", equals: program } }];
    const manifest = {
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on,
      reads: ["tool_name"],
      actions: ["deny"],
    };
    files.push(
      [`${name}/hook.json`, JSON.stringify(manifest)],
      [`${name}/hook.js`, "export default () => undefined;"],
    );
  }
  return loadPackFromFiles(new Map(files.map(([path, text]) => [path, Buffer.from(text)])));
}

async function routing(): Promise<void> {
  const event = {
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command: "ls -la | sort" },
  };
  const cost = async (hooks: number): Promise<number> => {
    await using warden = await createWarden({ pack: await packOf(hooks, 3), isolation: "inline" });
    const times: number[] = [];
    for (let round = 0; round < 3_000; round++) {
      const start = performance.now();
      await warden.dispatch(event);
      times.push(performance.now() - start);
    }
    return (times.slice(1_000).toSorted((a, b) => a - b)[1_000] ?? 0) * 1_000;
  };
  const [few, many] = [await cost(3), await cost(100)];
  console.log(
    `3 hooks: ${few.toFixed(0)} µs; 100 hooks of which 3 match: ${many.toFixed(0)} µs, ${(many / few).toFixed(2)} times`,
  );
}

conditions();
extremes();
await blocking();
await routing();
truth();
process.exitCode = failed ? 1 : 0;
