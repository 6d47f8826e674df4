import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { allowRouterCode } from "../src/http/router-code.ts";

const own = globalThis.Function;
const module = new URL("../src/http/router-code.ts", import.meta.url).href;

function run(code: string): unknown {
  const script = `
    import { allowRouterCode } from ${JSON.stringify(module)};
    const makes = () => { try { return new Function("a", "b", "return a + b")(1, 2) === 3 && Function("return 1")() === 1; } catch { return false; } };
    ${code}`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("changes nothing in a process that makes code from strings anyway", () => {
  using _code = allowRouterCode();
  expect(globalThis.Function).toBe(own);
});

test("lets functions be made for its time only", () => {
  const seen = run(`
    const before = makes();
    const code = allowRouterCode();
    const within = makes();
    code[Symbol.dispose]();
    console.log(JSON.stringify([before, within, makes()]));`);
  expect(seen).toEqual([false, true, false]);
});

test("goes on until the last of several servers is built", () => {
  const seen = run(`
    const [first, second] = [allowRouterCode(), allowRouterCode()];
    first[Symbol.dispose]();
    const between = makes();
    second[Symbol.dispose]();
    console.log(JSON.stringify([between, makes()]));`);
  expect(seen).toEqual([true, false]);
});
