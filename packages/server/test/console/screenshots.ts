/**
 * Pictures of every page of the console, on a phone and on a desk, light and dark, to be looked at:
 * `node packages/server/test/console/screenshots.ts FOLDER`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startBrowser } from "../../../../test/support/browser.ts";
import { Fixture, hostile, operatorKey, pages } from "./fixture.ts";

const folder = process.argv[2] ?? "screenshots";
mkdirSync(folder, { recursive: true });
const fixture = new Fixture();
fixture.extra.live.push({
  type: "decision",
  at: new Date().toISOString(),
  tenant: "northwind",
  decision_id: "x",
  event: "PreToolUse",
  tool: "Bash",
  verdict: "deny",
  reason: `${hostile.markup} ${hostile.bidi}`,
  decided_by: "evil<b>hook</b>",
  duration_us: 900,
  faults: 0,
});
const url = await fixture.start();
const browser = await startBrowser();
const only = process.argv.slice(3);
for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1_440]) {
    const context = await browser.newContext({
      viewport: { width, height: width < 500 ? 844 : 900 },
      colorScheme,
    });
    const page = await context.newPage();
    await page.goto(`${url}/console/`);
    await page.waitForSelector("#key");
    const shot = (name: string, fullPage = false) =>
      page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage });
    if (only.length === 0 || only.includes("sign-in")) await shot("sign-in");
    await page.fill("#key", operatorKey);
    await page.press("#key", "Enter");
    for (const name of pages) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(`${url}/console/#/${name}`);
      await page.waitForSelector("main[aria-busy=false]");
      await page.waitForTimeout(name === "overview" ? 9_000 : 500);
      await shot(name.replaceAll("/", "-"), true);
    }
    await context.close();
  }
}
await browser.close();
await fixture.close();
