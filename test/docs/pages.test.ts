import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { createWarden } from "../../src/warden/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** A heading's anchor, as code hosts make it. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
const anchors = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchor(heading));
const links = (page: string): string[] =>
  [
    ...read(page)
      .replace(/^```.*?^```/gms, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = ""]) => link);

describe("the pages", () => {
  it.each(pages)("%s links to nothing that is not there", (page) => {
    const broken = links(page).filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = "", fragment] = link.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(resolve(root, file))) return true;
      return fragment !== undefined && !anchors(file).includes(fragment);
    });
    expect(broken).toEqual([]);
  });
});

const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\b[^\\n]*\\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );

describe.each(["README.md", "docs/getting-started.md"])("the hook of %s", (page) => {
  const script = blocks(page, "ts").find((text) => text.includes("export default hook")) ?? "";
  const manifest = blocks(page, "json").find((text) => text.includes('"apiVersion"')) ?? "";

  it("does what the page says", async () => {
    const { name } = JSON.parse(manifest) as { name: string };
    const files = {
      "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: [name] }),
      [`${name}/hook.json`]: manifest,
      [`${name}/hook.ts`]: script,
    };
    const pack = await loadPackFromFiles(
      new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
    );
    await using warden = await createWarden({ pack, isolation: "inline" });
    const verdict = async (command: string): Promise<string> =>
      (
        await warden.dispatch({
          hook_event_name: "PreToolUse",
          session_id: "s",
          tool_name: "Bash",
          tool_input: { command },
        })
      ).verdict;
    expect(await verdict("git push --force origin main")).toBe("deny");
    expect(await verdict("git push -f")).toBe("deny");
    expect(await verdict("git push origin main")).toBe("continue");
    expect(await verdict("ls")).toBe("continue");
  });
});
