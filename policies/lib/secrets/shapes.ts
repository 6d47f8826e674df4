import { isPlaceholder, isUsualPassword } from "./placeholders.ts";
import type { Secret } from "./rules.ts";

const keyHeader = /-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----/y;
/** Lines of a key: base64, with what quotes and joins them in code, and the headers of older formats. */
const keyLines =
  /(?:(?:\\[nr]|["'`+,;\s\\]|\/\/|#|>){0,24}(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/=]{1,15}(?=\s*["'`\\]|\s*\r?\n|\s*$)|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{1,100})){1,400}/y;
const keyFooter = /(?:\\[nr]|["'`+,;\s\\]|\/\/|#|>){0,24}-----END[ A-Z0-9_-]{0,60}-----/y;
const leastKey = 64;

/** Private keys: their header, lines of base64, and the end if it is there. A header alone is code. */
export function privateKeys(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf("-----BEGIN"); at >= 0; at = text.indexOf("-----BEGIN", at + 10)) {
    keyHeader.lastIndex = at;
    const header = keyHeader.exec(text);
    if (header === null) continue;
    keyLines.lastIndex = at + header[0].length;
    const lines = keyLines.exec(text);
    if (lines === null || lines[0].length < leastKey || isPlaceholder(lines[0].slice(0, 200))) continue;
    const end = keyLines.lastIndex;
    keyFooter.lastIndex = end;
    found.push({ kind: "private key", start: at, end: keyFooter.test(text) ? keyFooter.lastIndex : end });
  }
  return found;
}

const authority = /:\/\/([^\s:@/?#"'`<>|\\]{0,64}):([^\s@/?#"'`|\\]{3,256})@([A-Za-z0-9.\-_[\]]{1,253})/y;
const exampleHost =
  /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|host|hostname|server|db|database|[a-z0-9-]*\.?example(?:\.[a-z]+)*|(?:.*\.)?example\.(?:com|org|net|edu)|.*\.(?:test|invalid|example|localhost|local))$/i;
/** Passwords in addresses, such as `postgres://app:…@db.acme.io/`: what a template, an example or a name is, is none. */
export function passwordsInAddresses(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    authority.lastIndex = at;
    const match = authority.exec(text);
    if (match === null) continue;
    const [, user = "", password = "", host = ""] = match;
    if (isUsualPassword(password) || password === user || exampleHost.test(host)) continue;
    const start = at + 3 + user.length + 1;
    found.push({ kind: "password in an address", start, end: start + password.length });
  }
  return found;
}

const login = /\s(?:-u|--user)(?:=|\s{0,4})["']?([^\s"':@]{1,64}):["']?([^\s"'`]{3,128})/g;

/** Passwords that are given to curl. */
export function curlLogins(text: string): readonly Secret[] {
  const found: Secret[] = [];
  if (!text.includes("curl")) return found;
  login.lastIndex = 0;
  for (let match = login.exec(text); match !== null; match = login.exec(text)) {
    const [whole, , password = ""] = match;
    const line = text.slice(Math.max(0, match.index - 400), match.index);
    if (!line.includes("curl") || isUsualPassword(password)) continue;
    const start = match.index + whole.length - password.length;
    found.push({ kind: "password of a request", start, end: start + password.length });
  }
  return found;
}
