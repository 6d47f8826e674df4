/** Runs the cases of shipped policies without a sandbox: `node policies/scripts/try-policies.ts [HOOK…]`. For work on a policy. */
import { bundle, casesOf, configOf, failuresOf, hookNames, load, manifestOf } from "../test/harness.ts";

const wanted = process.argv.slice(2);
let failed = 0;
for (const hook of wanted.length > 0 ? wanted : hookNames()) {
  const cases = casesOf(hook);
  const failures = failuresOf(load(await bundle(hook)), manifestOf(hook), cases, configOf(hook));
  failed += failures.length;
  console.log(`${hook}: ${cases.length} cases, ${failures.length} failures`);
  for (const failure of failures) console.log(`  ${failure}`);
}
process.exitCode = failed > 0 ? 1 : 0;
