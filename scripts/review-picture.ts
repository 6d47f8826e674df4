/**
 * Makes the picture of a review report in the README, with Chromium:
 *
 *     npm run review-picture
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startBrowser } from "../test/support/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const picture = join(root, "docs/images/review.png");
const [width, height] = [920, 395];

const folder = mkdtempSync(join(tmpdir(), "hookwarden-picture-"));
try {
  const report = join(folder, "review.html");
  const review = ["review", "examples/review/offered", "--against", "examples/review/approved"];
  const more = ["--events", "examples/review/events.jsonl", "--html", report];
  const { status, stderr } = spawnSync(process.execPath, ["dist/cli.js", ...review, ...more], {
    cwd: root,
    encoding: "utf8",
  });
  // 2: the review suggests to refuse, which is what the picture shows.
  if (status !== 2) throw new Error(`the review ended with ${status}: ${stderr}`);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light" });
    await page.goto(pathToFileURL(report).href);
    await page.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
