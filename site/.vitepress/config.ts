import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { sections } from "../pages.ts";

const docs = new URL("../source/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly repository: { readonly url: string };
};
const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(new URL(`${page}.md`, docs), "utf8"))?.[1] ?? page;
const items = (pages: readonly string[]) => pages.map((page) => ({ text: titleOf(page), link: `/${page}` }));

export default defineConfig({
  title: "hookwarden",
  description: "Third-party hook scripts for AI agents, in sandboxes.",
  lang: "en",
  srcDir: "./source",
  outDir: "./dist",
  cleanUrls: true,
  // Set when the site is not served at the root of a host.
  base: process.env["SITE_BASE"] ?? "/",
  markdown: {
    // Black on white and white on black meet the contrast that WCAG asks for; the default theme's comments do not.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      // Pages link to files of the repository beside `docs/`.
      md.core.ruler.push("repository-links", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const link = token.attrGet("href");
          if (link?.startsWith("../")) token.attrSet("href", `${repository}/blob/main/${link.slice(3)}`);
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    nav: Object.entries(sections).map(([text, pages]) => ({ text, link: `/${pages[0]}` })),
    sidebar: Object.entries(sections).map(([text, pages]) => ({ text, items: items(pages) })),
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "source code" }],
    outline: [2, 3],
  },
});
