import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cspell = `${root}node_modules/cspell/bin.mjs`;

/** Checks a text as `npm run lint:words` checks a file of the project. */
function lint(text: string): { readonly status: number | null; readonly words: readonly string[] } {
  const { status, stdout } = spawnSync(
    process.execPath,
    [cspell, "lint", "--no-progress", "--no-summary", "--config", `${root}cspell.json`, "stdin://src/x.ts"],
    { cwd: root, input: text, encoding: "utf8" },
  );
  return { status, words: [...stdout.matchAll(/Forbidden word \((\S+?)\)/g)].map(([, word = ""]) => word) };
}

test("the lint fails on banned words in comments and identifiers", () => {
  const banned = ["nobody", "atOnce", "patienceMs", "Nursery"];
  const { status, words } = lint("// nobody\nexport const atOnce = 1, patienceMs = 2;\nclass Nursery {}\n");
  expect(status).not.toBe(0);
  expect([...words].sort()).toEqual([...banned].sort());
});

test("the lint accepts the field's words, and words that it does not know", () => {
  const text =
    "// The fork server spawns children; eviction is LRU.\nexport const concurrency = 1, wat = 2;\n";
  expect(lint(text)).toEqual({ status: 0, words: [] });
});
