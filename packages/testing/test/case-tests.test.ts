import { expect, test } from "vitest";
import { caseTests } from "../src/case-tests.ts";
import { bash, packWith } from "./cases/packs.ts";
import { folder } from "../../../test/cli/cli.ts";

test("every case is a test, which fails where the case does", { timeout: 60_000 }, async () => {
  await using dir = await folder(
    packWith([
      { name: "good", event: bash("rm"), expect: { verdict: "deny" } },
      { name: "bad", event: bash("ls"), expect: { verdict: "deny" } },
    ]),
  );
  const tests = new Map<string, () => Promise<void>>();
  const runner = { test: (name: string, body: () => Promise<void>) => tests.set(name, body), expect };
  await caseTests(dir.path, runner, { engine: "quickjs" });
  expect([...tests.keys()]).toEqual(["guard: good", "guard: bad"]);
  await tests.get("guard: good")?.();
  const error = (await tests
    .get("guard: bad")?.()
    .catch((thrown: unknown) => thrown)) as { actual: unknown };
  expect(error.actual).toEqual(['quickjs: verdict: wanted "deny", got "continue"']);
});
