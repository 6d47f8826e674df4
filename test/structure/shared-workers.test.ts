import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Files of tests in which a line begins with something, in the folders that the quick suite is made of. */
function filesWith(pattern: RegExp, isWanted: (file: string) => boolean): readonly string[] {
  return globSync("{test,sandbox/test,policies/test,packages/*/test}/**/*.ts", { cwd: root }).filter(
    (file) => isWanted(file) && pattern.test(readFileSync(root + file, "utf8")),
  );
}

/** A worker loads a helper once: its hooks would run for the first file that imports it, and for no other. */
test("no helper has hooks of its own", () => {
  const hook = /^(?:before|after)(?:All|Each)\(/m;
  expect(filesWith(hook, (file) => !file.endsWith(".test.ts"))).toEqual([]);
});

/** `vi.mock` misses modules that a file before has loaded, and what is stubbed outside of a hook stays so afterwards. */
test("no file of the quick suite mocks modules or stubs globals for those after it", () => {
  const stub = /^vi\.(?:mock|unmock|stubEnv|stubGlobal)\(/m;
  expect(filesWith(stub, (file) => file.endsWith(".test.ts") && !file.endsWith(".slow.test.ts"))).toEqual([]);
});
