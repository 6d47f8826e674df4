import { markup, page } from "@hookwarden/testing/html";
import type { ReviewReport } from "../report.ts";
import { contents } from "./contents.ts";
import { dependencies } from "./dependencies.ts";
import { findings } from "./findings.ts";
import { hookSection } from "./hook.ts";
import { sheet } from "./sheet.ts";
import { since } from "./since.ts";
import { style } from "./style.ts";
import { named } from "./texts.ts";

/**
 * A review as one HTML file: no script, nothing from elsewhere, light and dark, and good on paper. Everything in it that
 * a stranger wrote is inert text.
 */
export function reviewHtml(report: ReviewReport): string {
  const { hooks, subject } = report;
  const single = hooks.length === 1;
  return page({
    title: `Review of ${named(subject)}`,
    style,
    body: markup`<a class="skip" href="#main">Skip to the verdict</a>
      <div class="layout">
        ${contents(report)}
        <main id="main" tabindex="-1">
          ${sheet(report)} ${since(report.since)} ${findings(report.findings)}
          ${hooks.map((hook, index) => hookSection(hook, index, single))}
          ${dependencies(report.dependencies)}
          <footer>
            ${report.tool} · ${report.engines.map(({ name, version }) => `${name}: ${version}`).join(" · ")} ·
            ${report.format}
          </footer>
        </main>
      </div>`,
  });
}
