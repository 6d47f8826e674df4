/**
 * Changes the scripts of the policies in small ways, one at a time, and lists the changes that no case notices:
 * `node policies/scripts/mutate-policies.ts [--every N] [--offset N] [--min SHARE] [POLICY… | lib]`. Exit 1 where a group falls below the share.
 */
import { parseArgs } from "node:util";
import { mutate, mutationGroups } from "../test/mutation.ts";

const { values, positionals } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    offset: { type: "string", default: "0" },
    min: { type: "string", default: "0.9" },
  },
  allowPositionals: true,
});
const part = { every: Number(values.every), offset: Number(values.offset) };
let total = 0;
let caught = 0;
for (const group of positionals.length > 0 ? positionals : mutationGroups()) {
  const result = await mutate(group, part, (done) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${group}: ${done} `);
  });
  const count = result.caught + result.survivors.length;
  const share = count === 0 ? 1 : result.caught / count;
  total += count;
  caught += result.caught;
  console.log(`${group}: ${result.caught} of ${count} caught (${(share * 100).toFixed(1)} %)`);
  for (const survivor of result.survivors) console.log(`  survived: ${survivor}`);
  if (share < Number(values.min)) process.exitCode = 1;
}
console.log(`all: ${caught} of ${total} caught (${((caught / total) * 100).toFixed(1)} %)`);
