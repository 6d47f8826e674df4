import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Fixture } from "./fixture.ts";

const assets = join(import.meta.dirname, "../../src/console/assets");

describe("the files of the console", () => {
  test("have no way to read text as markup or code", () => {
    for (const name of readdirSync(assets)) {
      const text = readFileSync(join(assets, name), "utf8");
      expect(text, name).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|DOMParser/,
      );
      if (name.endsWith(".html")) expect(text).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/);
    }
  });

  test("come with a policy that runs nothing of anybody else's", async () => {
    const fixture = new Fixture();
    await fixture.start();
    for (const path of ["/console", "/console/", ...readdirSync(assets).map((name) => `/console/${name}`)]) {
      const { headers, statusCode } = await fixture.app.inject(path);
      if (path.endsWith("index.html")) {
        expect(statusCode).toBe(404);
        continue;
      }
      expect(statusCode, path).toBe(path === "/console" ? 302 : 200);
      expect(headers["content-security-policy"]).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"]).not.toMatch(/unsafe|\*|data:/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
    const { headers } = await fixture.app.inject("/console/console.css");
    const again = await fixture.app.inject({
      url: "/console/console.css",
      headers: { "if-none-match": headers.etag as string },
    });
    expect(again.statusCode).toBe(304);
    for (const path of ["/console/../package.json", "/console/%2e%2e/index.ts", "/console/index.ts"]) {
      expect((await fixture.app.inject(path)).statusCode, path).toBe(404);
    }
    await fixture.close();
  });
});
