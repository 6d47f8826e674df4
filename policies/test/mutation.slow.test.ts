import { expect, test } from "vitest";
import { mutate, mutationGroups } from "./mutation.ts";

// The whole is `node policies/scripts/mutate-policies.ts`; here every 40th mutant of each group has its turn.
test("the cases notice at least nine of ten mutants", { timeout: 600_000 }, async () => {
  let caught = 0;
  const survivors: string[] = [];
  for (const group of mutationGroups()) {
    const result = await mutate(group, { every: 40, offset: 0 });
    caught += result.caught;
    survivors.push(...result.survivors);
  }
  expect(caught).toBeGreaterThan(50);
  const tooMany = survivors.length > (caught + survivors.length) / 10 ? survivors : [];
  expect(tooMany, `${caught} of ${caught + survivors.length} noticed`).toEqual([]);
});
