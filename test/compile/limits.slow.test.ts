import { describe, expect, it, vi } from "vitest";
import { compileScripts } from "../../src/compile/compile-scripts.ts";
import { errorOf } from "../pack/packs.ts";

// The child itself is under test.
vi.unmock("../../src/compile/run-child.ts");

const inMemory = (files: { readonly [path: string]: string }): Map<string, Uint8Array> =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));

const refused = (script: string, files: { readonly [path: string]: string } = {}) =>
  errorOf(compileScripts(inMemory({ "h/hook.ts": script, ...files }), [{ name: "h", path: "h/hook.ts" }]));

describe("limits of bundling", () => {
  it("of the number of files and imports", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2_100 }, (_, index) => [`h/f${index}.ts`, "export {};"]),
    );
    const all = Object.keys(files).map((path) => `import "./${path.slice(2)}";`);
    expect((await refused(`${all.join("\n")} export default 1;`, files)).message).toContain("2000 files");
    const missing = Array.from({ length: 10_000 }, (_, index) => `import "./${index}";`).join("");
    expect(await refused(`${missing} export default 1;`)).toMatchObject({ code: "load-failed" });
  });

  // Attack: nesting overflows the stack of the bundler. It dies alone, and only the culprit is blamed.
  it("of nesting", async () => {
    const deep = `export default ${"(".repeat(1_000_000)}`;
    const pack = inMemory({
      "a/hook.ts": "export default 1;",
      "b/hook.ts": deep,
      "c/hook.ts": "export default 2;",
    });
    const error = await errorOf(
      compileScripts(
        pack,
        ["a", "b", "c"].map((name) => ({ name, path: `${name}/hook.ts` })),
      ),
    );
    expect(error).toMatchObject({ code: "load-failed", place: { file: "b/hook.ts" } });
    expect(error.message).toContain("needed more than 512 MiB of memory");
  });
});
