import { join } from "node:path";
import { expect, it } from "vitest";
import { checkTypes } from "../../src/check/types/index.ts";
import { temporaryFolder, writeFiles } from "../pack/packs.ts";

it("types are not checked with TypeScript 7, and the note says what to install", async () => {
  const root = await temporaryFolder();
  await writeFiles(root, {
    "h/hook.ts": "export default () => undefined;\n",
    "node_modules/typescript/package.json": '{"name":"typescript","version":"7.0.2"}',
    "node_modules/typescript/lib/version.cjs": "module.exports = {};\n",
  });
  const compiler = join(root, "node_modules/typescript/lib/version.cjs");
  expect(await checkTypes(root, ["h/hook.ts"], { compiler })).toEqual({
    checked: false,
    why: "TypeScript 7 has no compiler API; `npm install --save-dev typescript@6` next to hookwarden brings one",
  });
});
