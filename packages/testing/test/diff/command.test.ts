import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, folder, lines, pack } from "../../../../test/cli/cli.ts";
import { cli } from "../../../../test/cli/in-process.ts";

const under = (name: string, files: { readonly [path: string]: string | object }) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${name}/${path}`, content]));
const opened = {
  ...pack,
  "no-rm/hook.js": pack["no-rm/hook.js"].replace(`includes("rm")`, `includes("rmdir")`),
};
const args = ["diff", "old", "new", "--events", "events.jsonl", "--isolation", "inline"];

describe("diff", () => {
  it("prints what opened, exits 1, and 0 once that is accepted", { timeout: 60_000 }, async () => {
    await using dir = await folder({
      ...under("old", pack),
      ...under("new", opened),
      "events.jsonl": lines(bash("ls"), bash("rm -rf build"), bash("rm x"), bash("rmdir y")),
    });
    const { code, out, err } = await cli([...args, "--write-accept", "ok.json"], { cwd: dir.path });
    expect({ code, err }).toEqual({ code: 1, err: "" });
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    await expect(out).toMatchFileSnapshot("golden/diff.txt");
    const again = await cli([...args, "--accept", "ok.json", "--format", "html", "--out", "d.html"], {
      cwd: dir.path,
    });
    expect(again).toEqual({ code: 0, out: "", err: "" });
    expect(await readFile(join(dir.path, "d.html"), "utf8")).toContain("No new loosening. 4 accepted.");
  });

  it("exits 0 and says so where nothing differs", async () => {
    await using dir = await folder({
      ...under("old", pack),
      ...under("new", { ...pack, "mark/hook.js": `// a comment\n${pack["mark/hook.js"]}` }),
      "events.jsonl": lines(bash("rm x")),
    });
    const { code, out } = await cli(args, { cwd: dir.path });
    expect({ code, out }).toEqual({ code: 0, out: "hooks: 2 the same\n\n1 recorded event: no difference\n" });
  });
});
