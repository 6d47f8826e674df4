import { expect, it } from "vitest";
import type { PageData } from "../src/example.ts";
import { packData, unpackData } from "../src/texts.ts";

const common = "// modules:shared/index.js\nconst shared = 1;\n";
const data: PageData = {
  version: "1.0.0",
  examples: ["a", "b"].map((id) => ({
    id,
    title: id,
    description: "",
    group: "",
    hook: id,
    files: { "lib/x.ts": "the same", [`${id}/hook.ts`]: `of ${id}`, __proto__: "no file" },
    cases: [],
  })),
  library: {
    ready: ["a", "b"].map((id) => ({
      entry: `${id}/hook.ts`,
      files: { "lib/x.ts": "the same" },
      source: `${common}// pack:${id}/hook.ts\nexport default ${id};\n// pack: and a comment of the hook's own\n`,
    })),
    packages: { "hookwarden/hook": "exports.deny = 1;" },
  },
  completions: { events: [], actions: [], hookKeys: [], packKeys: [] },
  workers: { broker: "1", engine: "2" },
};

it("what was packed for the page comes out as it was, and stands in it once", () => {
  const packed = packData(data);
  expect(unpackData(JSON.parse(JSON.stringify(packed)) as typeof packed)).toEqual(data);
  expect(packed.texts.filter((text) => text === "the same")).toHaveLength(1);
  expect(packed.texts.filter((text) => text === common)).toHaveLength(1);
});
