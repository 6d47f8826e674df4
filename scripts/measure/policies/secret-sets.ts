/** Secrets as public scanners test them, and what only looks like one. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { goBlock, goItems, goString } from "./go-strings.ts";
import type { Item, PublicSet } from "./item.ts";
import { type Checkout, filesOf } from "./sources.ts";

const contexts: readonly ((name: string, secret: string) => string)[] = [
  (name, secret) => `${name}Token="${secret}"`,
  (name, secret) => `${name}_token: ${secret}\n`,
  (name, secret) => `{\n    "${name}_token": "${secret}"\n}`,
  (name, secret) => `${name.toUpperCase()}_TOKEN = '${secret}'`,
];

/** The examples of each rule of gitleaks that must be found, or must not. */
function gitleaks(list: "tps" | "fps"): (checkout: Checkout) => Generator<Item> {
  return function* (checkout) {
    for (const { path, text } of filesOf(checkout, /rules\/\w+\.go$/)) {
      const family = path.replace(/^.*\/|\.go$/g, "");
      for (const start of text.matchAll(new RegExp(`\\b${list} :?= (?:\\[\\]string|append)?[({]`, "g"))) {
        const body = goBlock(text, start.index + start[0].length - 1);
        for (const item of goItems(body)) yield* example(family, item);
      }
      for (const start of text.matchAll(
        new RegExp(`\\b${list} := (utils\\.GenerateSampleSecrets?\\()`, "g"),
      )) {
        yield* example(family, `${start[1]}${goBlock(text, start.index + start[0].length - 1)})`);
      }
    }
  };
}

function* example(family: string, expression: string): Generator<Item> {
  const call = /^utils\.GenerateSampleSecrets?\(([\s\S]*)\)$/.exec(expression);
  if (call === null) {
    const text = goString(expression);
    if (text !== undefined && text.length > 8) yield { family, text };
    return;
  }
  const [name, secret] = goItems(call[1] ?? "").map(goString);
  if (name === undefined || secret === undefined || secret === "") return;
  for (const context of contexts) yield { family, text: context(name, secret), secret };
}

/** Inputs that secretlint's rules report, and inputs that they let pass. */
function secretlint(reported: boolean): (checkout: Checkout) => Generator<Item> {
  return function* (checkout) {
    const inputs = reported
      ? /snapshots\/(?:.*\/)?ng\.[^/]+\/input[^/]*$/
      : /snapshots\/(?:.*\/)?ok\.[^/]+\/input[^/]*$/;
    for (const { path, text } of filesOf(checkout, inputs)) {
      const family = /secretlint-rule-([a-z0-9-]+)\/(?:test|src)/.exec(path)?.[1];
      if (family === undefined || /preset|pattern|example|internal|filter|homedir|dotenv/.test(family))
        continue;
      if (!reported) {
        yield { family, text };
        continue;
      }
      const output = join(checkout.folder, dirname(path), "output.json");
      if (!existsSync(output)) continue;
      const { messages = [] } = JSON.parse(readFileSync(output, "utf8")) as {
        messages?: readonly { range: [number, number] }[];
      };
      for (const { range } of messages) yield { family, text, secret: text.slice(...range) };
    }
  };
}

/** The examples in the tests of TruffleHog's detectors. */
function* trufflehog(checkout: Checkout): Generator<Item> {
  for (const { path, text } of filesOf(checkout, /detectors\/[^/]+(?:\/v\d+)?\/[^/]+_test\.go$/)) {
    if (path.includes("integration")) continue;
    const family = /detectors\/([^/]+)\//.exec(path)?.[1] ?? "";
    const input = /(?:validPattern|input)\s*(?::?=|:)\s*`([^`]+)`/.exec(text)?.[1];
    const secret = /\bsecret\w*\s*=\s*"([^"\n]{8,})"/.exec(text)?.[1];
    if (input !== undefined && secret !== undefined && input.includes(secret))
      yield { family, text: input, secret };
  }
}

/** The parameters of the tests of detect-secrets' plugins for single vendors. */
function* detectSecrets(checkout: Checkout): Generator<Item> {
  for (const { path, text } of filesOf(checkout, /tests\/plugins\/\w+_test\.py$/)) {
    const family = path.replace(/^.*\/|_test\.py$/g, "");
    if (/entropy|keyword|base_test|ip_public/.test(family)) continue;
    for (const [, payload = ""] of text.matchAll(
      /\(\s*(?:#[^\n]*\s*)*(?:r|b)?'([^'\n]{16,})',\s*True,?\s*\)/g,
    )) {
      yield { family, text: payload };
    }
  }
}

export const secretSets: readonly PublicSet[] = [
  { name: "gitleaks", kind: "secret", source: "gitleaks", read: gitleaks("tps") },
  { name: "secretlint", kind: "secret", source: "secretlint", read: secretlint(true) },
  { name: "TruffleHog", kind: "secret", source: "trufflehog", read: trufflehog },
  { name: "detect-secrets", kind: "secret", source: "detectSecrets", read: detectSecrets },
  { name: "gitleaks, no secrets", kind: "lookalike", source: "gitleaks", read: gitleaks("fps") },
  { name: "secretlint, no secrets", kind: "lookalike", source: "secretlint", read: secretlint(false) },
];
