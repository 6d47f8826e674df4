import { describe, expect, it } from "vitest";
import { reviewHtml } from "../../src/html/index.ts";
import { hostile, sampleHook, sampleReport } from "./sample-report.ts";

const pages = {
  hook: reviewHtml(sampleReport()),
  pack: reviewHtml(sampleReport([sampleHook("guard-deploys"), sampleHook("team-rules", false)])),
};

describe("the report", () => {
  it("says the verdict first, then findings by severity, and all sections of a hook", () => {
    const order = [
      'id="verdict"',
      'id="since"',
      'id="F1"',
      'id="F3"',
      'id="F4"',
      'id="uncovered-1"',
      'id="powers-1"',
      'id="reads-1"',
      'id="behaviour-1"',
      'id="cost-1"',
      'id="attack-1"',
      'id="code-1"',
    ].map((words) => pages.hook.indexOf(words, pages.hook.indexOf("<main")));
    expect(order).not.toContain(-1);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });

  it("holds no script, no style but its own, and no address of elsewhere", () => {
    for (const html of Object.values(pages)) {
      expect(html.match(/<script|<link rel="(?!icon)|<iframe|<form|<object|<embed|<base/g)).toBeNull();
      expect(html.match(/ style="| on[a-z]+="/g)).toBeNull();
      expect(html.match(/<(?:a|img|link)[^>]+(?:href|src)="(?!#|data:)/g)).toBeNull();
    }
  });

  it("shows what is hidden in a text, and lets none of it be markup", () => {
    expect(pages.hook).toContain(`<span class="hidden">\\u{202e}</span>`);
    expect(pages.hook).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}\0]/u);
    expect(pages.hook).not.toContain(hostile.slice(0, 30));
  });

  // A report may come from a file that somebody else wrote: also what should be our own words is escaped.
  it("escapes names and sentences as well", () => {
    const report = sampleReport();
    const evil = "</title><img src=x>\u202e";
    const html = reviewHtml({
      ...report,
      tool: evil,
      subject: { ...report.subject, name: evil, version: evil },
      sheet: { ...report.sheet, why: evil },
      notDone: [evil],
      findings: report.findings.map((finding) => ({ ...finding, message: evil, hook: evil })),
      hooks: report.hooks.map((hook) => ({ ...hook, name: evil, version: evil })),
    });
    expect(html).not.toContain("<img src=x>");
    expect(html).not.toContain("\u202e");
  });

  it("says so where nothing was found", () => {
    const clean = sampleReport([sampleHook("team-rules", false)]);
    const counts = { high: 0, medium: 0, low: 0, info: 0 };
    const html = reviewHtml({
      ...clean,
      findings: [],
      since: null,
      sheet: { ...clean.sheet, counts, suggestion: "approve" },
    });
    expect(html).toContain("No findings.");
    expect(html).toContain("No blocking findings");
    expect(html).not.toContain("Changes since the last review");
  });
});
