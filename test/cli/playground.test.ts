import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = `${root}src/cli/main.ts`;

describe("hookwarden playground", () => {
  let folder: string;
  beforeAll(() => {
    // Tests run after a build; where only a part of it is there, the page is made here.
    if (!existsSync(`${root}dist/playground.html`))
      execFileSync(process.execPath, [`${root}packages/playground/scripts/build-playground.ts`], {
        cwd: root,
      });
    folder = mkdtempSync(join(tmpdir(), "playground-cli-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("writes the page, under its policy", async () => {
    const file = join(folder, "page.html");
    expect(await main(["playground", "--out", file, "--format", "json"])).toBe(0);
    const page = readFileSync(file, "utf8");
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("connect-src 'none'");
    expect(page).not.toContain("{{");
  });

  it("serves the page until it is ended", async () => {
    const child = spawn(process.execPath, [program, "playground", "--format", "json"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const line = await new Promise<string>((done) =>
        child.stdout.once("data", (text: Buffer) => done(String(text))),
      );
      const { url } = JSON.parse(line) as { url: string };
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      const response = await fetch(url);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(await response.text()).toContain("hookwarden playground");
      const ended = new Promise<number | null>((done) => child.once("exit", done));
      child.kill("SIGINT");
      expect(await ended).toBe(130);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it.each(["8080", "localhost", "127.0.0.1:99999", "http://127.0.0.1:80", ":80"])(
    "takes no address such as %s",
    async (address) => {
      expect(await main(["playground", "--listen", address])).toBe(64);
    },
  );
});
