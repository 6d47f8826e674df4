/**
 * Converts the public rule file of gitleaks (MIT) into `lib/secrets/vendor-rules.ts`:
 * `node policies/scripts/convert-secret-rules.ts gitleaks.toml COMMIT`. Rules of which no beginning and no name is fixed are
 * listed, and left out: `lib/secrets/own-rules.ts` has what is worth having of them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { format } from "prettier";
import { parse } from "smol-toml";

interface PublicRule {
  readonly id: string;
  readonly regex?: string;
  readonly entropy?: number;
}

/** What people call these; others keep the id of their rule. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^aws-access-token$/, "AWS access key"],
  [/^aws-amazon-bedrock/, "Bedrock key"],
  [/^github/, "GitHub token"],
  [/^gitlab/, "GitLab token"],
  [/^slack-webhook/, "Slack webhook"],
  [/^slack/, "Slack token"],
  [/^gcp-api-key$/, "Google API key"],
  [/^stripe/, "Stripe key"],
  [/^anthropic/, "Anthropic key"],
  [/^openai/, "OpenAI key"],
  [/^npm/, "npm token"],
  [/^pypi/, "PyPI token"],
  [/^sendgrid/, "SendGrid key"],
  [/^huggingface/, "Hugging Face token"],
  [/^digitalocean/, "DigitalOcean token"],
  [/^shopify/, "Shopify token"],
  [/^vault/, "Vault token"],
  [/^age-/, "age key"],
];

/** Rules that `own-rules.ts` replaces: they are found by other means, or match too much or too little. */
const replaced =
  /^(?:generic-api-key|private-key|pkcs12-file|jwt|jwt-base64|curl-auth|kubernetes-secret|nuget-config|sidekiq|hashicorp-tf-password|sourcegraph|facebook-access|twilio|anthropic|openai|sendgrid|huggingface|hubspot|freemius|azure-ad|slack-|github-|microsoft-teams|aws-amazon-bedrock-api-key-short|vault-service|flutterwave-public|(?:asana|discord|adobe|linkedin|looker|messagebird)-client-id|mailgun-pub|lob-pub|sendbird-access-id|plaid-client-id|authress)/;

const prefix = "(?i)[\\w.-]{0,50}?(?:";
const nested = "[\\w.-]{0,50}?(?i:[\\w.-]{0,50}?(?:";
const gap = /\)\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'"\]\{0,3\}\)?\(\?:=\|>.*?\{0,5\}/;
const boundary = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)";

function kindOf(id: string): string {
  return kinds.find(([pattern]) => pattern.test(id))?.[1] ?? id.replaceAll("-", " ");
}

/** A pattern of Go's regexp in the syntax of JavaScript, without groups, and whether it ignores case. */
function converted(source: string): { readonly source: string; readonly ignoreCase: boolean } {
  const ignoreCase = source.includes("(?i");
  const plain = source
    .replace(boundary, "")
    .replace(/\(\?:\[\^[^\]]*\]\|\\z\)$/, "")
    .replace(/\(\?i\)|\\b|\\z/g, "")
    .replaceAll("[[:alnum:]]", "[A-Za-z0-9]")
    .replace(/\(\?(?:-i|i|s|P<\w+>):?/g, "(?:")
    .replace(/(?<!\\)\((?!\?)/g, "(?:")
    .replace(/(?<!\\)\/(?![^[]*\])/g, "\\/");
  const whole = source.includes(boundary) || source.endsWith("\\b");
  return { source: whole ? `${plain}(?![A-Za-z0-9])` : plain, ignoreCase };
}

/** The first characters of what a pattern matches, where only a few are possible. */
function startsOf(source: string): readonly string[] {
  const texts = fc.sample(fc.stringMatching(new RegExp(`^(?:${source.replace(/\(\?!.*$/, "")})$`)), {
    numRuns: 200,
    seed: 3,
  });
  const starts = new Set(texts.map((text) => text.slice(0, 3).toLowerCase()));
  return starts.size <= 8 ? [...starts].sort() : [];
}

const [file = "", commit = "unknown"] = process.argv.slice(2);
const { rules } = parse(readFileSync(file, "utf8")) as unknown as { readonly rules: readonly PublicRule[] };
const tokens: string[] = [];
const named: string[] = [];
for (const { id, regex, entropy = 0 } of rules) {
  if (regex === undefined || replaced.test(id)) continue;
  const start = regex.startsWith(prefix) ? prefix : regex.startsWith(nested) ? nested : undefined;
  const kind = JSON.stringify(kindOf(id));
  if (start !== undefined) {
    const place = gap.exec(regex);
    if (place === null) {
      console.log(`left out: ${id}`);
      continue;
    }
    const names = namesOf(regex.slice(start.length, place.index));
    const rest = (regex.slice(place.index + place[0].length).split(boundary)[0] ?? "").replace(
      /^\(|\)$/g,
      "",
    );
    const value = converted(rest).source.replace(/\(\?!.*$/, "");
    named.push(
      `{ kind: ${kind}, names: ${JSON.stringify(names)}, value: /^(?:${value})$/i, entropy: ${entropy} },`,
    );
  } else {
    const { source, ignoreCase } = converted(regex);
    const starts = startsOf(source);
    if (starts.length === 0) console.log(`left out: ${id} ${source.slice(0, 100)}`);
    else
      tokens.push(
        `{ kind: ${kind}, starts: ${JSON.stringify(starts)}, pattern: /${source}/${ignoreCase ? "iy" : "y"}, entropy: ${entropy} },`,
      );
  }
}

/** The names that a rule looks for, as words in lower case without separators. */
function namesOf(source: string): readonly string[] {
  const texts = fc.sample(
    fc.stringMatching(new RegExp(`^(?:${converted(source).source.replace(/\[[A-Z]([a-z])\]/g, "$1")})$`)),
    {
      numRuns: 100,
      seed: 3,
    },
  );
  return [...new Set(texts.map((text) => text.toLowerCase().replace(/[^a-z0-9]/g, "")))].sort();
}

const text = `/* oxlint-disable no-useless-escape -- as in the public file */
// Converted from the rules of gitleaks by scripts/convert-secret-rules.ts. Do not edit.
// https://github.com/gitleaks/gitleaks at ${commit}, config/gitleaks.toml.
// MIT License, Copyright (c) 2019 Zachary Rice. Permission is hereby granted, free of charge, to any person obtaining a
// copy of this software and associated documentation files, to deal in the Software without restriction, subject to this
// notice being included in all copies. The Software is provided "as is", without warranty of any kind.
import type { NamedRule, TokenRule } from "./rules.ts";

/** Tokens that begin in a way of their own. */
export const vendorTokens: readonly TokenRule[] = [
${tokens.join("\n")}
];

/** Values that are secrets where the name before them says whose they are. */
export const vendorNames: readonly NamedRule[] = [
${named.join("\n")}
];
`;
const target = fileURLToPath(new URL("../lib/secrets/vendor-rules.ts", import.meta.url));
writeFileSync(target, await format(text, { parser: "typescript", printWidth: 110 }));
console.log(`${tokens.length} tokens, ${named.length} names`);
