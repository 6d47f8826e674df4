import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** Why there is no browser to test with; `null` where there is one. */
export const browserMissing: string | null = existsSync(executablePath) ? null : "chromium is not installed";
if (browserMissing) console.warn(`skipped: ${browserMissing}`);

export function startBrowser(): Promise<Browser> {
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return chromium.launch({ executablePath, args });
}
