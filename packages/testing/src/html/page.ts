import { createHash } from "node:crypto";
import { markup, Markup } from "./markup.ts";

export interface Page {
  readonly title: string;
  readonly style: string;
  readonly body: Markup;
}

/**
 * A whole page in one file: without scripts, and without anything from elsewhere. Its policy forbids both, whatever a
 * text in it says; the one style sheet is named by its digest.
 */
export function page({ title, style, body }: Page): string {
  const digest = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text;
}
