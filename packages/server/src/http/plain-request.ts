/** What stands before the body of a request, where it has the plainest form that there is. */
export interface PlainHead {
  /** As it came, with the empty line. */
  readonly text: string;
  /** By name in lower case, each of them once. */
  readonly headers: { readonly [name: string]: string };
  /** Bytes of the body; at least 1. */
  readonly bodyBytes: number;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const visible = /^[\x20-\x7e\t]*$/;
/** With these there is more to a request than its head and so many bytes; and one name that is not a name everywhere. */
const notPlain: ReadonlySet<string> = new Set([
  "__proto__",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** As many as Node.js takes. */
const fieldsMost = 100;

/**
 * Reads the head of a request that has the plainest form of HTTP/1.1 (RFC 9112): each header once, in visible ASCII, one
 * host, one length of the body, and nothing said about the connection but that it is kept. Whatever could be read in more
 * than one way, by whoever passes requests on to us or by Node.js, is not plain.
 *
 * @param text up to the empty line and with it.
 * @param line that it must begin with: method, target and version.
 * @returns `null` for any other request, which may be as good as one that is plain.
 */
export function readPlainHead(text: string, line: string): PlainHead | null {
  if (!text.startsWith(`${line}\r\n`) || !text.endsWith("\r\n\r\n")) return null;
  const fields = text.slice(line.length + 2, -4).split("\r\n");
  if (fields.length > fieldsMost) return null;
  const headers: { [name: string]: string } = Object.create(null);
  for (const one of fields) {
    const colon = one.indexOf(":");
    const name = one.slice(0, colon).toLowerCase();
    const value = one.slice(colon + 1);
    if (colon < 1 || !token.test(name) || !visible.test(value)) return null;
    if (name in headers || notPlain.has(name)) return null;
    headers[name] = value.trim();
  }
  const { host, connection, "content-length": length } = headers;
  if (!host || length === undefined || !/^[1-9]\d{0,8}$/.test(length)) return null;
  if (connection !== undefined && connection.toLowerCase() !== "keep-alive") return null;
  return { text, headers, bodyBytes: Number(length) };
}
