import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playgroundPage } from "../scripts/page.ts";
import { compareCases } from "../scripts/compare.ts";
import { packExamples } from "../scripts/examples.ts";
import type { Example } from "../src/example.ts";
import type { Answer, Workspace } from "../src/protocol.ts";
import { servePage, type ServedPage } from "../src/serve.ts";
import { axeViolations, noBrowser, startBrowser, watchPage } from "../../../test/support/browser.ts";

// Functions that are handed to the page run there; Node.js has no types for what they find.
declare const document: any;
declare const history: any;
declare const location: any;
declare const window: any;

const root = fileURLToPath(new URL("../../../", import.meta.url));
if (noBrowser) console.warn(`the playground is not tested: ${noBrowser}`);

interface Global {
  playground: {
    answer: Answer | null;
    workspace: Workspace;
    examples: readonly Example[];
    decide(workspace: Workspace): Promise<Answer | null>;
  };
}

describe.skipIf(noBrowser)("the playground", () => {
  let folder: string;
  let file: string;
  let browser: Browser;
  let served: ServedPage;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "playground-"));
    file = join(folder, "playground.html");
    const html = await playgroundPage();
    writeFileSync(file, html);
    served = await servePage(html, { host: "127.0.0.1", port: 0 });
    browser = await startBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(
    url = `file://${file}`,
    options: Parameters<Browser["newPage"]>[0] = {},
  ): Promise<Page> {
    const page = await browser.newPage(options);
    await page.goto(url);
    await settled(page);
    return page;
  }

  const settled = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => (globalThis as unknown as Global).playground?.answer !== null, null, {
      timeout: 25_000,
    });

  const answerOf = (page: Page): Promise<Answer> =>
    page.evaluate(() => (globalThis as unknown as Global).playground.answer as Answer);

  const decide = (page: Page, change: Partial<Workspace>): Promise<Answer> =>
    page.evaluate(async (changed) => {
      const { playground } = globalThis as unknown as Global;
      return (await playground.decide({ ...playground.workspace, ...changed })) as Answer;
    }, change as Workspace);

  /** A hook of one file, with everything legal at PreToolUse but `allow`. */
  const hookFiles = (script: string): Workspace["files"] => ({
    "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["probe"] }),
    "probe/hook.json": JSON.stringify({
      apiVersion: 1,
      name: "probe",
      version: "1.0.0",
      entry: "hook.ts",
      on: [{ event: "PreToolUse" }],
      reads: ["*"],
      actions: ["deny", "ask", "notify"],
    }),
    "probe/hook.ts": script,
  });
  const event = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command: "ls" },
  });

  it.each(["opened as a file", "served"])("decides and asks for nothing, %s", async (way) => {
    const page = await browser.newPage();
    const seen = watchPage(page);
    await page.goto(way === "served" ? served.url : `file://${file}`);
    await settled(page);
    const { steps, problem, ready } = await answerOf(page);
    expect({ problem, ready, decided: steps.length }).toEqual({ problem: null, ready: true, decided: 1 });
    await page.selectOption("#example", "deny-destructive-shell");
    await settled(page);
    expect((await answerOf(page)).steps[0]?.decision.verdict).toBe("deny");
    expect(await page.textContent(".verdict-word")).toBe("deny");
    expect(seen).toEqual([]);
    await page.close();
  });

  it("is served under its policy, and nothing else is", async () => {
    const response = await fetch(served.url);
    expect(response.headers.get("content-security-policy")).toContain("connect-src 'none'");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect((await fetch(`${served.url}../package.json`)).status).toBe(404);
    expect((await fetch(served.url, { method: "POST" })).status).toBe(405);
  });

  it("decides cases of every shipped policy as the command line does, also after an edit", async () => {
    const { examples } = await packExamples(`${root}policies`, "");
    const page = await open();
    const some = (most: number): Example[] =>
      examples.map((example) => {
        const step = Math.max(1, Math.floor(example.cases.length / most));
        return { ...example, cases: example.cases.filter((_, index) => index % step === 0).slice(0, most) };
      });
    const ready = await compareCases(page, some(3), "ready");
    expect(ready.differences).toEqual([]);
    expect(ready.compared).toBeGreaterThan(40);
    const edited = await compareCases(
      page,
      some(2).filter((_, index) => index % 4 === 1),
      "edited",
    );
    expect(edited.differences).toEqual([]);
    expect(edited.compared).toBeGreaterThan(6);
    await page.close();
  }, 120_000);

  it("decides again as somebody types, and shows where an error is", async () => {
    const page = await open();
    await page.evaluate(() => history.replaceState(null, "", location.pathname));
    const editor = page.locator("#event-editor .cm-content");
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(event.replace("PreToolUse", "PreToolUsed"));
    await page.waitForFunction(() => (globalThis as unknown as Global).playground.answer?.problem);
    expect((await answerOf(page)).problem).toMatchObject({ code: "event-unknown", about: "events" });
    expect(await page.textContent("#decision")).toContain("There is no event");
    const hook = page.locator("#hook-editor .cm-content");
    await hook.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText("export default (event) => {\n  return event..name;\n};\n");
    await page.waitForFunction(
      () => (globalThis as unknown as Global).playground.answer?.problem?.code === "load-failed",
    );
    expect((await answerOf(page)).problem?.place).toMatchObject({
      file: "deny-force-push/hook.ts",
      line: 2,
    });
    await page.locator("#hook-editor .cm-lintRange-error").first().waitFor({ timeout: 5_000 });
    await page.close();
  });

  it("completes events, fields, and the actions that are legal", async () => {
    const page = await open();
    await page.selectOption("#example", "deny-destructive-shell");
    await settled(page);
    const hook = page.locator("#hook-editor .cm-content");
    await hook.click();
    await page.keyboard.press("Control+A");
    const type = async (text: string): Promise<string[]> => {
      await page.keyboard.type(text);
      await page.keyboard.press("Control+Space");
      const labels = page.locator("#hook-editor .cm-completionLabel");
      await labels.first().waitFor({ timeout: 5_000 });
      return labels.allTextContents();
    };
    const fields = await type("export default (event) => event.");
    expect(fields).toContain("tool_input");
    expect(fields).not.toContain("prompt");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+A");
    const helpers = await type("export default () => de");
    expect(helpers).toContain("deny");
    expect(helpers).not.toContain("transform");
    // For a moment after it has come, the list takes no key: it may have come under somebody's fingers.
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    expect(await hook.innerText()).toContain('import { deny } from "hookwarden/hook"');
    await page.close();
  });

  // What no interrupt stops: the engine is inside a function of its own, and never asks whether to go on.
  it("ends an engine that hangs, and goes on", async () => {
    const page = await open();
    const hung = await decide(page, {
      files: hookFiles("export default () => { new Array(2 ** 28).join('x'); };"),
      events: event,
    });
    expect(hung.problem).toBeNull();
    expect(hung.steps[0]?.decision).toMatchObject({ verdict: "deny", decided_by: "probe" });
    expect(["timeout", "memory-exceeded"]).toContain(hung.steps[0]?.decision.trace[0]?.fault?.code);
    const spinning = await decide(page, {
      files: hookFiles("export default () => { for (;;); };"),
      events: event,
    });
    expect(spinning.steps[0]?.decision.trace[0]?.fault?.code).toMatch(/^(steps-exceeded|timeout)$/);
    const well = await decide(page, {
      files: hookFiles('import { deny } from "hookwarden/hook";\nexport default (): unknown => deny("no");'),
      events: event,
    });
    expect(well.steps[0]?.decision).toMatchObject({ verdict: "deny", reason: "no" });
    await page.close();
  });

  // A hook has no more in a page than on a server: not the page, not the network, not the worker around it.
  it("gives hooks nothing of the browser", async () => {
    const page = await open();
    const names = [
      "window",
      "self",
      "document",
      "fetch",
      "XMLHttpRequest",
      "WebSocket",
      "Worker",
      "postMessage",
      "importScripts",
      "location",
      "indexedDB",
      "caches",
    ];
    const script = `export default () => ({ action: "notify", text: JSON.stringify(${JSON.stringify(names)}.filter((name) => name in globalThis)) });`;
    const answer = await decide(page, { files: hookFiles(script), events: event });
    expect(answer.steps[0]?.decision.additions.notices[0]?.text).toBe("[]");
    await page.close();
  });

  it("carries an example in a link, and refuses links that are damaged, too long or too large", async () => {
    const page = await open();
    await page.selectOption("#example", "protect-secret-files");
    await settled(page);
    await page.fill("#tenant", "acme");
    const editor = page.locator("#event-editor .cm-content");
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(event.replace("ls", "cat .env"));
    await page.click("#share");
    await page.waitForFunction(() => location.hash.length > 10);
    const url = page.url();
    await settled(page);
    const before = await answerOf(page);
    const other = await open(url);
    const after = await answerOf(other);
    const plain = ({ steps }: Answer): unknown =>
      steps.map(({ decision }) => [decision.verdict, decision.reason, decision.pack, decision.tenant]);
    expect(plain(after)).toEqual(plain(before));
    expect(after.steps[0]?.decision.tenant).toBe("acme");
    await other.close();
    for (const [fragment, words] of [
      ["#v1=!!!!", "damaged"],
      [`#v1=${"A".repeat(40_000)}`, "too long"],
      // Ten megabytes of zeros that travel in ten kilobytes.
      [`#v1=${bomb().toString("base64url")}`, "unpacks to more"],
    ] as const) {
      const refused = await open(`file://${file}${fragment}`);
      expect(await refused.textContent("#banner")).toContain(words);
      await refused.close();
    }
    await page.close();
  });

  // A stranger's link: names and texts of hook and event that try to be markup, to hide, or to turn what stands
  // beside them.
  it("shows the texts of a hostile link as texts", async () => {
    const evil = `<img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>\u202egnp\u2066\u{e0041}\u200b`;
    const hook = `export default (event) => {
      console.log(${JSON.stringify(evil)});
      return { action: "deny", reason: "<b>no</b> " + event.tool_name };
    };`;
    const shared = {
      from: "tool-call-budget",
      digest: evil,
      files: {
        "tool-call-budget/hook.ts": hook,
        [`lib/${evil}.ts`]: evil,
        __proto__: null,
        constructor: evil,
      },
      events: event.replace("Bash", () => evil.replaceAll('"', "'")),
      state: "",
      tenant: "<i>acme</i>",
      open: "tool-call-budget/hook.ts",
    };
    const page = await browser.newPage();
    const seen = watchPage(page);
    const fragment = deflateRawSync(JSON.stringify(shared)).toString("base64url");
    await page.goto(`${served.url}#v1=${fragment}`);
    await page.waitForFunction(() => {
      const { answer } = (globalThis as unknown as Global).playground ?? {};
      return answer && document.querySelector("#decision")?.textContent !== "";
    });
    // A name with a slash more than a path has is refused as on the command line; the texts are shown all the same.
    expect((await answerOf(page)).problem?.code).toBe("path-outside-pack");
    expect(await page.locator("#decision .hidden-character, #decision code").count()).toBeGreaterThan(0);
    const { [`lib/${evil}.ts`]: _, ...files } = shared.files as unknown as { [path: string]: string };
    const plain = deflateRawSync(JSON.stringify({ ...shared, files })).toString("base64url");
    await page.goto(`${served.url}#v1=${plain}`);
    await page.waitForFunction(() =>
      (globalThis as unknown as Global).playground.answer?.steps[0]?.decision.reason?.includes("<b>no</b>"),
    );
    await page.locator("blockquote").first().waitFor();
    expect(await page.textContent("blockquote")).toContain("<b>no</b> <img src=x");
    expect((await answerOf(page)).steps[0]?.decision.tenant).toBe("<i>acme</i>");
    expect(await page.title()).toBe("hookwarden playground");
    expect(await page.locator("#decision :is(img, script, b, i), .file-tabs :is(img, script)").count()).toBe(
      0,
    );
    expect(await page.locator("#event-editor .cm-specialChar").count()).toBeGreaterThan(1);
    expect(seen).toEqual([]);
    await page.close();
  });

  it.each([
    ["light", 1_440],
    ["dark", 1_440],
    ["light", 390],
    ["dark", 390],
  ] as const)("has no serious barrier: %s, %i px", async (colorScheme, width) => {
    const page = await open(undefined, { colorScheme, viewport: { width, height: 900 } });
    await page.selectOption("#example", "deny-destructive-shell");
    await settled(page);
    await page.locator(".verdict-word").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
    await page.close();
  });

  it("can be used by the keyboard alone", async () => {
    const page = await open();
    const reached = new Set<string>();
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(
          () => document.activeElement?.id || (document.activeElement?.getAttribute("role") ?? ""),
        ),
      );
    }
    for (const id of ["example", "share", "theme", "case", "tenant", "hook-editor", "event-editor", "tab"]) {
      expect([...reached]).toContain(id);
    }
    await page.close();
  });
});

function bomb(): Buffer {
  return deflateRawSync(Buffer.alloc(10_485_760), { level: 9 });
}
