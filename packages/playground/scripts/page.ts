import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Example, PageData } from "../src/example.ts";
import { packData } from "../src/texts.ts";
import { bundleEngine, bundlePackage, bundlePage, bundleWorker } from "./bundle.ts";
import { completions } from "./completions.ts";
import { packExamples } from "./examples.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const page = `${root}packages/playground/src/page`;

/** Most cases of a hook that the page carries; the others would make it large. */
const casesInPage = 12;

/** The playground as one file: code, engine, hooks and styles in it, and a policy that lets nothing else in. */
export async function playgroundPage(): Promise<string> {
  const sets = await Promise.all([
    packExamples(`${root}examples/policy-repo/policies`, "First steps"),
    packExamples(`${root}policies`, "Shipped policies"),
    packExamples(`${root}examples/review/approved`, "For reviewers", "approved"),
    packExamples(`${root}examples/review/offered`, "For reviewers", "offered as an update"),
  ]);
  const [broker, engine, script, style] = await Promise.all([
    bundleWorker("packages/playground/src/worker/broker.ts"),
    bundleEngine("packages/playground/src/worker/engine.ts"),
    bundlePage("packages/playground/src/page/main.ts"),
    Promise.resolve(readFileSync(`${page}/page.css`, "utf8")),
  ]);
  const specifiers = [...new Set(["hookwarden/hook", ...sets.flatMap(({ specifiers: names }) => names)])];
  const packages = await Promise.all(
    specifiers.map(async (name) => [name, await bundlePackage(name)] as const),
  );
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };
  const data: PageData = {
    version,
    examples: sets.flatMap(({ examples }) => examples.map(shortened)),
    library: { ready: sets.flatMap(({ ready }) => ready), packages: Object.fromEntries(packages) },
    completions: completions(),
    workers: { broker, engine },
  };
  // A script element ends at the first end tag in its text, wherever that is.
  const code = script.replaceAll("</script", "<\\/script");
  const parts: { readonly [name: string]: string } = {
    policy: policyFor(code, style),
    style: `<style>${style}</style>`,
    script: `<script>${code}</script>`,
    version,
    data: `<script type="application/json" id="data">${JSON.stringify(packData(data)).replaceAll("<", "\\u003c")}</script>`,
  };
  return readFileSync(`${page}/page.html`, "utf8").replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`the page has no part ${name}`);
    return part;
  });
}

/** Only this script and this style, workers of texts in the page, WebAssembly, and no connection at all. */
function policyFor(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${digestOf(script)}' 'wasm-unsafe-eval'`,
    `style-src '${digestOf(style)}'`,
    "worker-src blob:",
    "img-src data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function digestOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** Evenly from the whole list, so that what stops and what passes is both there. */
function shortened(example: Example): Example {
  const { cases } = example;
  const step = Math.max(1, cases.length / casesInPage);
  return {
    ...example,
    cases: cases.filter((_, index) => Math.floor(index % step) === 0).slice(0, casesInPage),
  };
}
