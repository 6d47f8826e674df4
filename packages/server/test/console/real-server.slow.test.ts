import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serveFolder } from "../../src/folder-pack.ts";
import { createServer, makeKey } from "../../src/index.ts";
import { sampleEvent } from "../../../../test/support/sample-events.ts";
import { noBrowser, startBrowser } from "../../../../test/support/browser.ts";
import { hostile } from "./fixture.ts";

describe.skipIf(noBrowser !== null)("the console of a server that decides", () => {
  test(
    "shows tenants, decisions and faults as they happen, and lifts a quarantine",
    { timeout: 60_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "hookwarden-console-"));
      const pack = join(folder, "pack");
      mkdirSync(join(pack, "guard"), { recursive: true });
      writeFileSync(join(pack, "hookwarden.json"), JSON.stringify({ apiVersion: 1, hooks: ["guard"] }));
      writeFileSync(
        join(pack, "guard", "hook.json"),
        JSON.stringify({
          apiVersion: 1,
          name: "guard",
          version: "1.0.0",
          description: "Speaks as badly as it can.",
          entry: "hook.js",
          on: [{ event: "PreToolUse" }],
          reads: ["tool_name"],
          actions: ["deny"],
        }),
      );
      const words = JSON.stringify(`${hostile.markup} ${hostile.bidi}`);
      writeFileSync(
        join(pack, "guard", "hook.js"),
        `export default (event) => { console.log(${words}); if (event.tool_name === "Crash") throw new Error(${words});
       return { action: "deny", reason: ${words} }; };`,
      );
      await using closing = new AsyncDisposableStack();
      closing.defer(async () => rmSync(folder, { recursive: true, force: true }));
      const server = await createServer({ data: join(folder, "data"), port: 0, where: "inline" });
      closing.use(server);
      const { key, record } = makeKey({ tenant: null, name: "operator", scopes: [], expires: null });
      await server.context.stores.keys.add(record);
      closing.use(await serveFolder(server.context, "default", pack, false));
      const { url } = await server.listen();
      const browser = await startBrowser();
      closing.defer(() => browser.close());
      const page = await browser.newPage();
      const trouble: string[] = [];
      page.on("pageerror", (error) => trouble.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().includes("401")) trouble.push(message.text());
      });
      await page.goto(`${url}/console`);
      await page.fill("#key", key);
      await page.press("#key", "Enter");
      await page.waitForSelector("nav");
      await page.goto(`${url}/console/#/live`);
      await page.waitForSelector(".status.good");
      const decide = (tool_name: string) =>
        server.decisions.decide({
          tenant: "default",
          body: Buffer.from(JSON.stringify({ ...sampleEvent("PreToolUse"), tool_name })),
        });
      expect((await decide("Bash")).status).toBe(200);
      await page.waitForSelector(".line .chip.bad:has-text('deny')");
      const text = (await page.textContent("main"))!;
      expect(text).toContain("<img src=x onerror=");
      expect(await page.locator("main img, main script").count()).toBe(0);
      for (let count = 0; count < 12; count++) await decide("Crash");
      await page.goto(`${url}/console/#/faults`);
      await page.waitForSelector(".chip:has-text('threw')");
      await page.goto(`${url}/console/#/tenants/default`);
      await page.waitForSelector("h1:has-text('default')");
      await page.goto(`${url}/console/#/quarantine`);
      await page.waitForSelector("button[data-id]");
      await page.click("button[data-id]");
      await page.click("dialog button.primary");
      await page.waitForSelector("text=No hook is quarantined.");
      expect(server.operator.quarantine()).toEqual([]);
      expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
      expect(trouble).toEqual([]);
    },
  );
});
