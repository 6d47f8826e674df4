import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Where Chromium is looked for. */
const executable = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why no page can be opened here; `null` where one can. */
export const noBrowser: string | null = existsSync(executable) ? null : `there is no ${executable}`;

/** Starts Chromium without anything that it does on its own over a network. */
export function startBrowser(): Promise<Browser> {
  const args =
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
  return chromium.launch({ executablePath: executable, args: args.split(" ") });
}

/** Everything that a page does which it must not: requests, errors, and what its policy has refused. */
export function watchPage(page: Page): readonly string[] {
  const seen: string[] = [];
  let first = true;
  page.on("request", (request) => {
    // The page itself, and workers and icons that it carries.
    const own = /^(?:blob|data):/.test(request.url()) || (first && request.isNavigationRequest());
    if (request.isNavigationRequest()) first = false;
    if (!own) seen.push(`request ${request.url()}`);
  });
  page.on("pageerror", (error) => void seen.push(`error ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      seen.push(`${message.type()} ${message.text()}`);
  });
  return seen;
}

/** What axe-core finds, as `rule: where`. @param impacts only these. */
export async function axeViolations(
  page: Page,
  impacts: readonly string[] = ["serious", "critical"],
): Promise<readonly string[]> {
  // Into the page's own world by the debugger: its policy lets no script in.
  await page.evaluate(readFileSync(axe, "utf8"));
  return page.evaluate(async (wanted) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: {
            id: string;
            impact: string;
            nodes: { target: unknown[]; failureSummary?: string }[];
          }[];
        }>;
      };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => wanted.includes(impact))
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary ?? ""}`),
      );
  }, impacts);
}
