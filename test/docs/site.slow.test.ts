import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sections, standalone } from "../../site/pages.ts";
import { axeViolations, noBrowser, startBrowser } from "../support/browser.ts";

const dist = fileURLToPath(new URL("../../site/dist/", import.meta.url));
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const whyNot = noBrowser ?? (existsSync(dist) ? null : "the site is not built: see site/package.json");

describe.skipIf(whyNot !== null)("the documentation site", { timeout: 300_000 }, () => {
  let browser: Browser;
  let page: Page;
  let origin: string;
  const foreign: string[] = [];
  const errors: string[] = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, "http://site").pathname));
    const file = [path, `${path}.html`, join(path, "index.html")]
      .map((name) => join(dist, name))
      .find((name) => extname(name) !== "" && existsSync(name));
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });

  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser();
    page = await browser.newPage();
    page.on("request", (request) => {
      if (!/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(origin))
        foreign.push(request.url());
    });
    page.on("pageerror", (error) => void errors.push(error.message));
  });

  afterAll(async () => {
    await browser?.close();
    server.close();
    server.closeAllConnections();
  });

  it("is accessible, in light and dark, on a phone and on a desktop", async () => {
    const all = [
      ...Object.values(sections).flat(),
      ...standalone.filter((name) => name !== "playground-page"),
    ];
    // One layout carries them all: a third of the pages of each section, unless all are asked for.
    const pages = process.env["HOOKWARDEN_PAGES"] === "all" ? all : all.filter((_, at) => at % 3 === 0);
    const problems: Record<string, readonly string[]> = {};
    for (const [index, name] of pages.entries()) {
      await page.emulateMedia({ colorScheme: index % 4 < 2 ? "light" : "dark", reducedMotion: "reduce" });
      await page.setViewportSize({ width: index % 2 === 0 ? 1440 : 390, height: 900 });
      await page.goto(`${origin}/${name === "index" ? "" : name}`);
      await page.waitForSelector("main, [role=main]");
      const found = await axeViolations(page, ["moderate", "serious", "critical"]);
      if (found.length > 0) problems[name] = found.slice(0, 3);
    }
    expect(problems).toEqual({});
  });

  it("finds pages by their words", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${origin}/getting-started`);
    await page.waitForFunction(`"__vue_app__" in document.querySelector("#app")`);
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").fill("quarantine");
    await page.locator(".results .result").nth(1).waitFor();
  });

  it("embeds the playground", async () => {
    await page.goto(`${origin}/playground-page`);
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading").first().waitFor();
  });

  it("sends no request to another host, and throws no error", () => {
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });
});

it.skipIf(whyNot === null)(`is not tested, because ${whyNot}`, () => {
  expect(whyNot).not.toBeNull();
});
