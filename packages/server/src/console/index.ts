import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply } from "fastify";

/** The files of the console, and what they are served as. Nothing else can be asked for. */
const files: readonly (readonly [name: string, type: string])[] = [
  ["index.html", "text/html; charset=utf-8"],
  ["console.css", "text/css; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
  ...["api", "console", "dom", "format", "inert", "live", "pages", "parts"].map(
    (name) => [`${name}.js`, "text/javascript; charset=utf-8"] as const,
  ),
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
 * Serves the operators' console at `/console`: files that hold no secret, for anybody who may reach the server. What they
 * show comes from the routes below `/v1/admin`, which ask for an operator's key.
 */
export function addConsole(app: FastifyInstance): void {
  const folder = assetFolder();
  app.get("/console", { schema: { hide: true } as object }, (_, reply) =>
    reply.headers(headers).redirect("/console/", 302),
  );
  for (const [name, type] of files) {
    const bytes = readFileSync(new URL(name, folder));
    const tag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const send = (known: string | undefined, reply: FastifyReply): FastifyReply => {
      reply.headers(headers).header("etag", tag);
      return known === tag ? reply.code(304).send() : reply.type(type).send(bytes);
    };
    const path = name === "index.html" ? "/console/" : `/console/${name}`;
    app.get(path, { schema: { hide: true } as object }, (request, reply) =>
      send(request.headers["if-none-match"], reply),
    );
  }
}

/** Beside this file in the sources, in `dist/console/` in the package. */
function assetFolder(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./assets/" : "./console/", import.meta.url);
}
