/**
 * Measures facts and routing:
 *
 *     npm run measure:facts -- [lines]
 *
 * 1. `facts.shell` against real bash, for so many generated command lines (default 10,000): what was started must be
 *    listed, or the fact must say that it does not know.
 * 2. Conditions against a naive evaluation: 500 packs, 100,000 pairs of condition and event.
 * 3. The longest time that a fact takes at its limits.
 * 4. A pack of 100 hooks of which `when` lets 3 match, against a pack of those 3.
 */
import { createWarden } from "../../src/index.ts";
import { FactSet, factNames } from "../../src/facts/index.ts";
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
await routing();
truth();
process.exitCode = failed ? 1 : 0;
