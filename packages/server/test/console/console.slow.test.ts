import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { axeViolations, noBrowser, startBrowser } from "../../../../test/support/browser.ts";
import { Fixture, hostile, operatorKey, pages } from "./fixture.ts";

describe.skipIf(noBrowser !== null)("the console in a browser", { timeout: 120_000 }, () => {
  let browser: Browser;
  let fixture: Fixture;
  let url: string;
  let context: BrowserContext;
  let page: Page;
  let trouble: string[];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    fixture = new Fixture();
    url = await fixture.start();
  });
  afterEach(async () => {
    await context?.close();
    await fixture.close();
  });

  async function enter(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    context = await browser.newContext(options);
    page = await context.newPage();
    trouble = [];
    page.on("pageerror", (error) => trouble.push(String(error)));
    page.on("console", (message) => {
      // The browser reports a 401 as well.
      if (message.type() === "error" && !/401|422/.test(message.text())) trouble.push(message.text());
    });
    await page.goto(`${url}/console/`);
    await page.fill("#key", operatorKey);
    await page.press("#key", "Enter");
    await page.waitForSelector("main[aria-busy=false]");
  }
  async function go(name: string): Promise<void> {
    await page.goto(`${url}/console/#/${name}`);
    await page.waitForSelector("main[aria-busy=false]");
    await page.waitForTimeout(150);
  }

  test("asks for a key, keeps it in the tab, sends it as a header, and forgets it", async () => {
    context = await browser.newContext();
    page = await context.newPage();
    await page.goto(`${url}/console/`);
    await page.fill("#key", "wrong");
    await page.press("#key", "Enter");
    await page.waitForSelector("[role=alert]");
    expect(await page.textContent("[role=alert]")).toContain("does not accept");
    await page.fill("#key", operatorKey);
    await page.press("#key", "Enter");
    await page.waitForSelector("nav");
    await page.reload();
    await page.waitForSelector("nav");
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(operatorKey);
    await page.click("button[title='Forget the key']");
    await page.waitForSelector("#key");
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(operatorKey);
  });

  // Names, reasons, versions and messages are a hook's own words: somebody who may upload a pack wants the operator's key.
  test("hostile words stay text, wherever they stand", async () => {
    const at = new Date().toISOString();
    for (const [kind, words] of Object.entries(hostile)) {
      fixture.extra.hooks.push({
        tenant: words.slice(0, 300),
        hook: words,
        version: words,
        digest: words,
        calls: 1,
        faults: 1,
        cpu_ms: 1,
        quarantined: true,
      });
      const place = { file: words, line: 1, column: 1 };
      const fault = {
        at,
        tenant: words,
        hook: words,
        event: words,
        decision_id: words,
        message: words,
        place,
      };
      fixture.extra.faults.push({ ...fault, code: kind as never });
      fixture.extra.quarantine.push({
        id: `${kind}/../${words.slice(0, 40)}`,
        tenant: words,
        hook: words,
        fault: "timeout",
        times: 1,
        since: at,
        until: at,
      });
      const shown = fixture.extra;
      shown.approvals.push({
        tenant: words.slice(0, 300),
        id: `${kind}/../${words.slice(0, 40)}`,
        decisionId: words,
        pack: words,
        event: { tool_name: words, [words.slice(0, 100)]: words },
        changes: {},
        input: words,
        reasons: [{ hook: words, text: words }],
        openedBy: words,
        created: at,
        expires: at,
        state: "pending",
        answeredBy: null,
        answeredAt: null,
        note: words,
      });
      shown.decisions.push({
        node: words.slice(0, 60),
        n: 1,
        time: at,
        decision_id: words,
        event: words,
        tool: words,
        verdict: words,
        reason: words,
        decided_by: words,
        faults: 1,
        duration_us: 1,
      });
      fixture.words = words;
      shown.live.push(
        {
          type: "decision",
          at,
          tenant: words,
          decision_id: words,
          event: words,
          tool: words,
          verdict: words,
          reason: words,
          decided_by: words,
          duration_us: 1,
          faults: 1,
        },
        { type: "fault", ...fault, code: words as never },
      );
    }
    await enter({ viewport: { width: 1_280, height: 900 } });
    for (const name of pages) {
      await go(name);
      expect(await page.evaluate("globalThis.hacked"), name).toBeUndefined();
      const strange =
        "main img, main script, main iframe, main object, main svg[onload], main a[href^='javascript'], main b";
      expect(await page.locator(strange).count(), name).toBe(0);
    }
    await go("live");
    const text = (await page.textContent("main"))!;
    expect(text).toContain('<img src=x onerror="globalThis.hacked=1">');
    expect(text).toContain("U+202E");
    expect(text).toContain("U+001B");
    expect(text).toContain("U+E0041");
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u0000\u001b]/);
    // Nothing is wider than the page, on a phone either.
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of pages) {
      await go(name);
      expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(390);
    }
    expect(trouble).toEqual([]);
  });

  test("a quarantine is lifted by hand, after a question, with the key in a header", async () => {
    await enter();
    await go("quarantine");
    await page.click("button[data-id=q1]");
    await page.click("dialog button:has-text('Cancel')");
    expect(fixture.lifted).toEqual([]);
    await page.focus("button[data-id=q1]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => fixture.lifted).toEqual(["q1"]);
    await page.waitForSelector("text=No hook is quarantined.");
    // A page of somebody else's could make the browser ask, but not with the key.
    const status = await page.evaluate(
      async (path) => (await fetch(path, { method: "DELETE", credentials: "include" })).status,
      "/v1/admin/quarantine/q1",
    );
    expect(status).toBe(401);
    expect(trouble).toEqual([]);
  });

  test("an approval is shown with its event, and allowed after a question", async () => {
    await enter();
    await go("approvals");
    await page.click("details[data-id=event-apr_1] summary");
    expect(await page.textContent("details[data-id=event-apr_1]")).toContain("api.example.net/v1/items");
    // It stays open while the page is drawn again.
    await page.waitForTimeout(2_500);
    expect(await page.locator("details[data-id=event-apr_1][open]").count()).toBe(1);
    await page.focus("button[data-id=approve-apr_1]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]");
    expect(await page.textContent("dialog")).toContain("api.example.net");
    await page.click("dialog button.primary");
    await expect
      .poll(() => fixture.posted)
      .toEqual([
        ["/v1/tenants/globex/approvals/apr_1", { answer: "approve", input: `sha256:${"7".repeat(64)}` }],
      ]);
    await page.waitForSelector("text=Nothing waits for approval.");
    expect(trouble).toEqual([]);
  });

  test("a decision is found by filters that are in the address, and opened with its trace", async () => {
    await enter();
    await go("decisions");
    expect(await page.locator("tbody tr").count()).toBe(3);
    await page.selectOption("#verdict", "ask");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(page.url()).toContain("#/decisions?verdict=ask");
    await page.reload();
    await page.waitForSelector("tbody tr");
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.click("tbody a");
    await page.waitForSelector("h2:has-text('Trace')");
    const text = (await page.textContent("main"))!;
    expect(text).toContain("deny-destructive-shell");
    expect(text).toContain("summarise-diffs/hook.ts:12:7");
    expect(trouble).toEqual([]);
  });

  test("a pack is rolled back, and a refusal is shown with message and place", async () => {
    await enter();
    await go("tenants/acme");
    expect(await page.textContent("main")).toContain("Trial of revision 18 on 10 % of events");
    fixture.refusal = {
      status: 422,
      code: "too-many-hooks",
      message: "the pack has 9 hooks",
      pointer: "/hooks",
    };
    await page.click("button[data-id=rollback-16]");
    await page.click("dialog button.primary");
    await page.waitForSelector("#said:has-text('too-many-hooks · the pack has 9 hooks · /hooks')");
    fixture.refusal = null;
    await page.click("button[data-id=rollback-16]");
    await page.click("dialog button.primary");
    await page.waitForSelector("#said:has-text('Revision 16 serves again.')");
    expect(fixture.posted.at(-1)).toEqual(["/v1/tenants/acme/packs/rollback", { revision: 16 }]);
  });

  test("a trial is compared with what serves: counts, and a warning where it would have let more through", async () => {
    await enter();
    await go("tenants/acme");
    const trial = page.locator("section", { hasText: "Trial of revision 18" });
    const facts = await trial.locator("dl.facts div").allTextContents();
    expect(facts).toEqual([
      "Compared812",
      "Same verdict790",
      "Stricter14",
      "Looser2",
      "Other changes6",
      "Faults0",
      "Skipped3",
    ]);
    expect(await trial.textContent()).toContain("would have allowed what the serving pack stopped");
    expect(trouble).toEqual([]);
  });

  test("a quarantine says why the hook is in it", async () => {
    await enter();
    await go("quarantine");
    await page.click("details[data-id=why-q1] summary");
    expect(await page.textContent("details[data-id=why-q1]")).toContain("the hook ran longer than 100 ms");
  });

  test("live events come in, can be held, and are found by words", async () => {
    await enter();
    await go("live");
    await page.waitForSelector(".line");
    const all = await page.locator(".line").count();
    expect(all).toBeGreaterThan(5);
    await page.focus("#filter");
    await page.keyboard.type("northwind", { delay: 20 });
    await expect.poll(() => page.locator(".line").count()).toBe(1);
    expect(await page.inputValue("#filter")).toBe("northwind");
    await page.fill("#filter", "");
    await page.click("#kind-stops");
    await expect.poll(() => page.locator(".line").count()).toBe(2);
    await page.click("#pause");
    await expect.poll(() => page.getAttribute("#pause", "aria-pressed")).toBe("true");
    expect(trouble).toEqual([]);
  });

  test("has no serious fault of accessibility on any page, in light and dark, on a phone and on a desk", async () => {
    for (const [width, colorScheme] of [
      [390, "light"],
      [1_440, "dark"],
    ] as const) {
      await enter({
        viewport: { width, height: 844 },
        colorScheme,
        reducedMotion: "reduce",
        bypassCSP: true,
      });
      for (const name of pages) {
        await go(name);
        expect(await axeViolations(page), `${name} at ${width} in ${colorScheme}`).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        // On a phone, Faults and Quarantine with its count were beyond the edge.
        const edges =
          "[...document.querySelectorAll('nav a')].map((link) => link.getBoundingClientRect().right)";
        expect(await page.evaluate(`Math.max(...${edges})`)).toBeLessThanOrEqual(width);
      }
      expect(
        await page.evaluate(
          "getComputedStyle(document.querySelector('.status')!, '::before').animationName".replace("!", ""),
        ),
      ).toBe("none");
      await context.close();
    }
  });

  test("every page is reached with the keyboard alone, and the focus goes to its heading", async () => {
    await enter();
    await page.focus("nav a[data-page=faults]");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.outerHTML")).toMatch(/^<h1[^>]*>Faults/);
    expect(await page.getAttribute("nav a[data-page=faults]", "aria-current")).toBe("page");
  });
});
