/** One kind of secret. */
interface SecretRule {
  readonly kind: string;
  /** Texts that it begins with. They are looked for first, so that the pattern runs in few places only. */
  readonly starts: readonly string[];
  /** Sticky, and bounded: held against the text where one of `starts` stands. Its first group, if any, is the secret. */
  readonly pattern: RegExp;
  /** Characters that may not stand before it. */
  readonly notAfter?: RegExp;
}

const letter = /[A-Za-z0-9]/;
const tokenPart = /[A-Za-z0-9_-]/;

const rules: readonly SecretRule[] = [
  {
    kind: "AWS access key",
    starts: ["AKIA", "ASIA", "ABIA", "ACCA"],
    pattern: /[A-Z]{4}[A-Z2-7]{16}(?![A-Za-z0-9])/y,
    notAfter: letter,
  },
  {
    kind: "AWS secret key",
    starts: ["aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"],
    pattern: /[A-Za-z_]{15,21}["']?\s{0,8}[:=]\s{0,8}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/y,
  },
  {
    kind: "GitHub token",
    starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: /gh._[A-Za-z0-9]{36,255}/y,
    notAfter: letter,
  },
  {
    kind: "GitHub token",
    starts: ["github_pat_"],
    pattern: /github_pat_[A-Za-z0-9_]{22,255}/y,
    notAfter: letter,
  },
  { kind: "GitLab token", starts: ["glpat-"], pattern: /glpat-[A-Za-z0-9_-]{20,255}/y, notAfter: letter },
  {
    kind: "Slack token",
    starts: ["xox"],
    pattern: /xox[abeoprs](?:\.xox[abp])?-[A-Za-z0-9-]{10,250}/y,
    notAfter: letter,
  },
  { kind: "Slack token", starts: ["xapp-"], pattern: /xapp-\d-[A-Za-z0-9-]{10,250}/y, notAfter: letter },
  {
    kind: "Slack webhook",
    starts: ["hooks.slack.com/"],
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/]{20,100}/y,
  },
  {
    kind: "Google API key",
    starts: ["AIza"],
    pattern: /AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y,
    notAfter: letter,
  },
  { kind: "Google token", starts: ["ya29."], pattern: /ya29\.[A-Za-z0-9_-]{20,1000}/y, notAfter: tokenPart },
  {
    kind: "Google client secret",
    starts: ["GOCSPX-"],
    pattern: /GOCSPX-[A-Za-z0-9_-]{28}/y,
    notAfter: letter,
  },
  {
    kind: "Stripe key",
    starts: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    pattern: /.k_...._[A-Za-z0-9]{10,255}/y,
    notAfter: letter,
  },
  {
    kind: "Stripe webhook secret",
    starts: ["whsec_"],
    pattern: /whsec_[A-Za-z0-9+/]{24,100}/y,
    notAfter: letter,
  },
  { kind: "Anthropic key", starts: ["sk-ant-"], pattern: /sk-ant-[A-Za-z0-9_-]{20,255}/y, notAfter: letter },
  {
    kind: "OpenAI key",
    starts: ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    pattern: /sk-[a-z]+-[A-Za-z0-9_-]{20,255}/y,
    notAfter: letter,
  },
  { kind: "npm token", starts: ["npm_"], pattern: /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y, notAfter: letter },
  { kind: "PyPI token", starts: ["pypi-AgE"], pattern: /pypi-[A-Za-z0-9_-]{50,500}/y, notAfter: letter },
  {
    kind: "SendGrid key",
    starts: ["SG."],
    pattern: /SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/y,
    notAfter: letter,
  },
  { kind: "Hugging Face token", starts: ["hf_"], pattern: /hf_[A-Za-z]{34}(?![A-Za-z])/y, notAfter: letter },
  {
    kind: "DigitalOcean token",
    starts: ["dop_v1_", "doo_v1_"],
    pattern: /do._v1_[a-f0-9]{64}/y,
    notAfter: letter,
  },
  {
    kind: "Shopify token",
    starts: ["shpat_", "shpss_"],
    pattern: /shp.{3}[a-fA-F0-9]{32}/y,
    notAfter: letter,
  },
  { kind: "Vault token", starts: ["hvs."], pattern: /hvs\.[A-Za-z0-9_-]{24,255}/y, notAfter: letter },
  { kind: "Azure storage key", starts: ["AccountKey="], pattern: /AccountKey=([A-Za-z0-9+/]{86}==)/y },
  { kind: "age key", starts: ["AGE-SECRET-KEY-1"], pattern: /AGE-SECRET-KEY-1[A-Z0-9]{58}/y },
  {
    kind: "JSON Web Token",
    starts: ["eyJ"],
    pattern: /eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,2048}/y,
    notAfter: tokenPart,
  },
  {
    kind: "bearer token",
    starts: ["Bearer ", "bearer "],
    pattern: /.{7}([A-Za-z0-9._~+/-]{20,4096}={0,2})/y,
    notAfter: letter,
  },
  { kind: "password in an address", starts: ["://"], pattern: /:\/\/[^\s:@/?#]{0,64}:([^\s:@/?#]{3,256})@/y },
];

/** A kind of secret that a pack adds: a fixed beginning and how much follows it at least. */
export interface ExtraSecret {
  readonly kind: string;
  readonly prefix: string;
  readonly length: number;
}

/** A secret in a text, as a half-open range of UTF-16 code units. */
export interface Secret {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the secrets of a text, in order, without overlaps. */
export function findSecrets(text: string, extra: readonly ExtraSecret[] = []): readonly Secret[] {
  const found = matchesOf(text, extra).toSorted((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return found.filter((secret) => {
    if (secret.start < end) return false;
    end = secret.end;
    return true;
  });
}

/** Everything in a text that looks like a secret, in no order, overlaps included. */
export function matchesOf(text: string, extra: readonly ExtraSecret[]): readonly Secret[] {
  return [
    ...privateKeys(text),
    ...rules.flatMap((rule) => matches(text, rule)),
    ...extra.flatMap((item) => extraMatches(text, item)),
  ];
}

function matches(text: string, { kind, starts, pattern, notAfter }: SecretRule): readonly Secret[] {
  const found: Secret[] = [];
  for (const start of starts) {
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + start.length)) {
      if (notAfter?.test(text[at - 1] ?? "")) continue;
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null) continue;
      const [whole, group = whole] = match;
      const offset = whole.lastIndexOf(group);
      found.push({ kind, start: at + offset, end: at + offset + group.length });
    }
  }
  return found;
}

function extraMatches(text: string, { kind, prefix, length }: ExtraSecret): readonly Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + prefix.length)) {
    let end = at + prefix.length;
    while (end < text.length && end - at < 1_000 && tokenPart.test(text[end] ?? "")) end++;
    if (end - at - prefix.length >= length) found.push({ kind, start: at, end });
  }
  return found;
}

const keyHeader = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;

/** Private keys, up to their end; up to the end of the text where that was cut off. */
function privateKeys(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf("-----BEGIN "); at >= 0; at = text.indexOf("-----BEGIN ", at)) {
    keyHeader.lastIndex = at;
    const header = keyHeader.exec(text);
    if (header === null) {
      at += 5;
      continue;
    }
    const closing = text.indexOf("-----END ", at);
    const last = closing < 0 ? -1 : text.indexOf("-----", closing + 9);
    const end = last < 0 ? text.length : last + 5;
    found.push({ kind: "private key", start: at, end });
    at = end;
  }
  return found;
}
