/** Words that stand where a real secret would, in documentation and templates. */
const words =
  /example|placeholder|change[-_]?(?:me|this|it)|redacted|your[-_a-z]|_here|dummy|fake|insert|replace|sample|notreal|not-a-real|lorem|deadbeef|foobar|abcdefgh|bcdefghi|cdefghij|qwerty|x{4}|\*{3}|\.{3}|#{4}|-{4}|_{4}/i;
const counted = /0123456789|1234567890|987654321/;
/** A place that a template or a shell fills in. */
const templates = /^[$%<{[@&]|\$\{|\{\{|<[a-z]|%[A-Z_]{3,}%/i;

/** Whether a text stands for a secret, and is none. */
export function isPlaceholder(text: string): boolean {
  return templates.test(text) || words.test(text) || counted.test(text) || isRepetitive(text);
}

const longestRun = 7;

/** Whether one character stands eight times in a row, or a few characters make up the whole. */
function isRepetitive(text: string): boolean {
  let run = 0;
  for (let at = 1; at < text.length; at++) {
    run = text[at] === text[at - 1] ? run + 1 : 0;
    if (run >= longestRun) return true;
  }
  return text.length >= 12 && new Set(text).size <= 4;
}

/** Shannon entropy of a text, in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether a text is made of words, as identifiers are: secrets are not. */
export function isWords(text: string): boolean {
  if (/\d/.test(text)) return false;
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  return letters >= words.length * 3.5;
}

/** Whether a value is as random as generated secrets are: no words, mixed, long. */
export function isRandom(value: string): boolean {
  if (value.length < 20 || value.length > 200 || !/^[A-Za-z0-9+/=_-]+$/.test(value)) return false;
  if (!/[A-Za-z]/.test(value) || (value.match(/\d/g)?.length ?? 0) < 3) return false;
  // Words, and identifiers that are made of them.
  if (value.split(/[-_/+=]/).filter((part) => /^[A-Z]?[a-z]{3,}$|^[A-Z]{3,}$/.test(part)).length > 1)
    return false;
  return entropyOf(value) >= 3.5;
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The text that is behind base64 or base64url; what is no Latin-1 text comes out as noise. */
function decoded(text: string): string {
  let plain = "";
  let bits = 0;
  let kept = 0;
  for (const char of text.replace(/=+$/, "")) {
    const value = base64.indexOf(char === "-" ? "+" : char === "_" ? "/" : char);
    bits = ((bits << 6) | value) & 0xffff;
    kept += 6;
    if (kept < 8) continue;
    kept -= 8;
    plain += String.fromCharCode((bits >> kept) & 0xff);
  }
  return plain;
}

/** Whether a text is base64 of `name:password`, and the password is none that documentation uses. */
export function isBasicLogin(text: string): boolean {
  const plain = decoded(text);
  const colon = plain.indexOf(":");
  if (colon < 0 || !/^[\x20-\x7e]+$/.test(plain)) return false;
  const [name, password] = [plain.slice(0, colon), plain.slice(colon + 1)];
  return password.length >= 3 && password !== name && !isUsualPassword(password);
}

/** Claims that say nothing of whom a token is for. */
const passing: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "iss"]);

/**
 * Whether the payload of a JSON Web Token says who it is for, or who has issued it and how long it holds: those of
 * examples often do not. A token without such claims, or that the machine itself has issued, grants nothing elsewhere.
 */
export function hasClaims(token: string): boolean {
  const payload = decoded((token.split(".")[1] ?? "").slice(0, 2_048));
  const isLocal =
    /"iss"\s*:\s*"https?:\/\/(?:localhost|127\.0\.0\.1|[^"/]*\.?example(?:\.(?:com|org|net))?)[:/"]/.test(
      payload,
    );
  if (isLocal) return false;
  const claims = new Set([...payload.matchAll(/"(\w{1,40})"\s*:/g)].map(([, name = ""]) => name));
  if ([...claims].every((name) => passing.has(name))) return claims.has("iss") && claims.has("exp");
  return /"(?:iss|sub|aud|exp|nbf|iat|jti)"/.test(payload);
}

const usual = /^(?:pass.*|api[_-]key|[a-z]{1,8}|\d{1,6}|.*(?:passw(?:or)?d|[_-]token|secret).*)$/i;

/** Whether a password is one of those that documentation and tests use. */
export function isUsualPassword(password: string): boolean {
  return usual.test(password) || isPlaceholder(password);
}
