/** Bundles packs that try to import what is outside of them: `npm run measure:imports [-- COUNT SEED]`. */
import { escapeTrial } from "../../test/support/escape-trial.ts";

const [count = "1000", seed = "1"] = process.argv.slice(2);
const { packs, different, leaking, touched, built } = await escapeTrial(Number(count), Number(seed));
console.log(
  `packs: ${packs}, each beside the files that it tries to import and where they are missing (seed ${seed})`,
);
console.log(`bundled without an error: ${built} of ${2 * packs}`);
console.log(`answers that depend on whether they exist: ${different.length}`);
for (const { form, answers } of different.slice(0, 10))
  console.log(`  ${form}\n    ${answers.join("\n    ")}`);
console.log(`answers with content from outside, or no answer: ${leaking.length}`);
for (const form of leaking.slice(0, 10)) console.log(`  ${form}`);
console.log(
  `paths outside that the kernel was asked for: ${touched?.length ?? "unknown, strace is not installed"}`,
);
for (const path of touched?.slice(0, 20) ?? []) console.log(`  ${path}`);
if (different.length + leaking.length + (touched?.length ?? 0) > 0) process.exitCode = 1;
