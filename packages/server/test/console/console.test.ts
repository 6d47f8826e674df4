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
    const url = await fixture.start();
    const get = (path: string, headers = {}): Promise<Response> =>
      fetch(`${url}${path}`, { headers, redirect: "manual" });
    for (const path of ["/console", "/console/", ...readdirSync(assets).map((name) => `/console/${name}`)]) {
      const { headers, status: statusCode } = await get(path);
      if (path.endsWith("index.html")) {
        expect(statusCode).toBe(404);
        continue;
      }
      expect(statusCode, path).toBe(path === "/console" ? 302 : 200);
      expect(headers.get("content-security-policy")).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("content-security-policy")).not.toMatch(/unsafe|\*|data:/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    const { headers } = await get("/console/console.css");
    const again = await get("/console/console.css", { "if-none-match": headers.get("etag") });
    expect(again.status).toBe(304);
    for (const path of ["/console/../package.json", "/console/%2e%2e/index.ts", "/console/index.ts"]) {
      expect((await get(path)).status, path).toBe(404);
    }
    await fixture.close();
  });
});
