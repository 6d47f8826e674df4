import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guestText } from "../../src/guest-text.ts";
import { reviewHtml } from "../../src/html/index.ts";
import { axeViolations, noBrowser, startBrowser, watchPage } from "../../../../test/support/browser.ts";
import { sampleHook, sampleReport } from "./sample-report.ts";

// Functions that are handed to the page run there; Node.js has no types for what they find.
declare const document: any;
declare const window: any;
declare const getComputedStyle: any;

if (noBrowser) console.warn(`the report is not opened: ${noBrowser}`);

const pages = {
  hook: reviewHtml(sampleReport()),
  pack: reviewHtml(sampleReport([sampleHook("guard-deploys"), sampleHook("team-rules", false)])),
};

describe.skipIf(noBrowser)("the report in a browser", () => {
  let folder: string;
  let browser: Browser;
  let server: Server;
  let address: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "report-"));
    for (const [name, html] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), html);
    server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pages.hook);
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(
    name: keyof typeof pages,
    options: Parameters<Browser["newPage"]>[0] = {},
  ): Promise<Page> {
    const page = await browser.newPage(options);
    await page.goto(`file://${join(folder, `${name}.html`)}`);
    return page;
  }

  it.each(["opened as a file", "served"])(
    "asks for nothing, and no text of a guest acts, %s",
    async (way) => {
      const page = await browser.newPage();
      const seen = watchPage(page);
      await page.goto(way === "served" ? address : `file://${join(folder, "hook.html")}`);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      expect(await page.title()).toBe("Review of guard-deploys 1.4.0");
      expect(await page.locator("img, script, iframe, a[href^=http], a[href^=javascript]").count()).toBe(0);
      expect(await page.locator("main pre.guest").first().isVisible()).toBe(true);
      expect(seen).toEqual([]);
      await page.close();
    },
  );

  it.each([
    ["hook", "light", 1_440],
    ["hook", "dark", 390],
    ["pack", "dark", 1_440],
    ["pack", "light", 390],
  ] as const)("has no serious barrier: %s, %s, %i px", async (name, colorScheme, width) => {
    const page = await open(name, { colorScheme, viewport: { width, height: 900 } });
    await page.evaluate(() =>
      document.querySelectorAll("details").forEach((details: any) => (details.open = true)),
    );
    expect(await axeViolations(page)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0);
    await page.close();
  });

  it.each([
    [1_440, 900],
    [390, 844],
  ])("has a hook on three screens until something is unfolded, %i px wide", async (width, height) => {
    const report = sampleReport();
    const [first] = report.findings;
    const excerpt = guestText(
      Array.from({ length: 7 }, (_, at) => `  ${at + 20} | const a${at} = 1;`).join("\n"),
    );
    const findings = Array.from({ length: 9 }, (_, at) => ({
      ...first!,
      id: `F${at + 1}`,
      excerpt: at % 2 ? excerpt : null,
    }));
    writeFileSync(join(folder, "many.html"), reviewHtml({ ...report, since: null, findings }));
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(`file://${join(folder, "many.html")}`);
    expect(await page.locator("article.finding:visible").count()).toBeGreaterThan(1);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(3 * height);
    await page.close();
  });

  it("moves nothing where people ask for that", async () => {
    const page = await open("hook", { reducedMotion: "reduce" });
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe("auto");
    await page.close();
  });

  it("prints what is folded, room for a signature, and no navigation", async () => {
    const page = await open("pack");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("nav.contents").isVisible()).toBe(false);
    expect(await page.locator(".paper").isVisible()).toBe(true);
    const heights = await page.evaluate(() =>
      [...document.querySelectorAll("details:not(.source) > :not(summary, .source)")].map(
        (inner) => inner.getBoundingClientRect().height,
      ),
    );
    expect(heights.length).toBeGreaterThan(3);
    expect(heights.every((height) => height > 0)).toBe(true);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
    await page.close();
  });
});
