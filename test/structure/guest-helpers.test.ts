import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The build puts a check of Node's version in front of its files. In a hook there is no Node, and the pack would not load.
test("the helpers of hooks are built without anything of Node", () => {
  const built = readFileSync(new URL("../../dist/hook.js", import.meta.url), "utf8");
  expect(built).not.toMatch(/\bprocess\b|^import /m);
});
