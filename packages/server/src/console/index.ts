import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Route } from "../http/route.ts";

/** The files of the console, and what they are served as. Nothing else can be asked for. */
const files: readonly (readonly [name: string, type: string])[] = [
  ["index.html", "text/html; charset=utf-8"],
  ["console.css", "text/css; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
  ...[
    "api",
    "approval-pages",
    "console",
    "decision-pages",
    "degraded",
    "dom",
    "format",
    "hook-pages",
    "inert",
    "lines",
    "live",
    "live-page",
    "overview-page",
    "page-table",
    "parts",
    "sign-in",
    "tenant-pages",
    "theme",
  ].map((name) => [`${name}.js`, "text/javascript; charset=utf-8"] as const),
];

/**
 * Only files of the server itself, and no code or style within markup: should words of a hook ever come to be read as
 * markup, nothing in them runs.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "cache-control": "no-cache",
};

/**
 * The operators' console at `/console`: files that hold no secret, for anybody who may reach the server. What they show
 * comes from the routes below `/v1/admin`, which need an operator's key.
 */
export function consoleRoutes(): readonly Route[] {
  const folder = assetFolder();
  const page = (path: string, handle: Route["handle"]): Route => ({
    method: "GET",
    path,
    id: path,
    summary: "A file of the console.",
    needs: "nothing",
    use: "public",
    answers: {},
    handle,
  });
  const redirect = { status: 302, headers: { ...headers, location: "/console/" } };
  return [
    page("/console", () => redirect),
    ...files.map(([name, type]) => {
      const text = readFileSync(new URL(name, folder), "utf8");
      const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      return page(name === "index.html" ? "/console/" : `/console/${name}`, (_context, { header }) =>
        header("if-none-match") === etag
          ? { status: 304, headers: { ...headers, etag } }
          : { status: 200, text, type, headers: { ...headers, etag } },
      );
    }),
  ];
}

/** Beside this file in the sources, in `dist/console/` in the package. */
function assetFolder(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./assets/" : "./console/", import.meta.url);
}
