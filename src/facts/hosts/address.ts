import { isIPv4, isIPv6 } from "node:net";
import { isUnknown } from "../shell/text.ts";
import type { HostScope } from "./row.ts";

/** An address taken apart. */
export interface Address {
  readonly host: string;
  readonly scope: HostScope;
  readonly port: number | null;
  readonly scheme: string | null;
  readonly ambiguous: boolean;
}

/**
 * The hosts that an address may name: one, or several if programs disagree.
 *
 * @param text a URL, `user@host:port`, or a host.
 */
export function addressesOf(text: string): readonly Address[] {
  // URL parsers drop these characters.
  const trimmed = text.replace(/[\t\n\r]/g, "").replace(/^[\0- ]+|[\0- ]+$/g, "");
  const [, scheme = null, slashes = "", rest = ""] =
    /^(?:([a-z][a-z0-9+.-]{0,30}):)?([/\\]{2,})([^]*)$/i.exec(trimmed) ?? [null, null, "", trimmed];
  const special = scheme === null || /^(?:https?|wss?|ftp)$/i.test(scheme);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const readings = new Set([authority]);
  // Browsers take a backslash for a slash; curl and others for a part of the user name.
  if (authority.includes("\\") && special) readings.add(authority.slice(0, authority.indexOf("\\")));
  // `http:///host/`: browsers skip all slashes.
  if (slashes.length > 2) readings.add(rest.replace(/^[/\\]+/, "").split(/[/\\?#]/)[0] ?? "");
  const ambiguous = readings.size > 1 || slashes.includes("\\");
  return [...readings].map((reading) => ({
    ...hostAndPort(reading),
    scheme: scheme?.toLowerCase() ?? null,
    ambiguous,
  }));
}

function hostAndPort(authority: string): Omit<Address, "scheme" | "ambiguous"> {
  // The name in a mark, such as that of `"$@"`, is no part of the address.
  const unmarked = authority.replace(/\uFDD0[^\uFDD1]*\uFDD1/g, (mark) => " ".repeat(mark.length));
  const host = authority.slice(unmarked.lastIndexOf("@") + 1);
  const bracket = /^\[([^\]]*)\](?::(\d{1,5}))?/.exec(host);
  const plain = bracket ? null : /^([^]*?)(?::(\d{0,5}))?$/.exec(host);
  const name = bracket ? (bracket[1] ?? "") : isIPv6(host) ? host : (plain?.[1] ?? host);
  const port = Number(bracket?.[2] ?? (isIPv6(host) ? "" : plain?.[2]) ?? "");
  const canonical = canonicalHost(name);
  return {
    host: canonical,
    scope: scopeOf(canonical),
    port: Number.isInteger(port) && port > 0 && port <= 65_535 ? port : null,
  };
}

/** A host in one form: lower-case ASCII, numbers as dotted IPv4, IPv6 compressed. */
export function canonicalHost(name: string): string {
  if (isUnknown(name))
    return name.replace(/\uFDD0[^\uFDD1]*\uFDD1|[^\uFDD0]+/g, (part) =>
      part.startsWith("\uFDD0") ? part : part.toLowerCase(),
    );
  const bare = name.replace(/%(?:25)?[^%:]*$/, (zone) => (name.includes(":") ? "" : zone));
  const parsed = urlHost(isIPv6(bare) ? `[${bare}]` : bare.replace(/\.+$/, ""));
  if (parsed === null) return name.toLowerCase().replace(/\.+$/, "");
  if (!parsed.startsWith("[")) return parsed.replace(/\.+$/, "");
  const address = parsed.slice(1, -1);
  return embeddedIPv4(address) ?? address;
}

/** A host as a URL parser has it: percent-decoded, in Punycode, addresses in their usual form. */
function urlHost(host: string): string | null {
  if (host === "" || /[\s/?#@\\]/.test(host)) return null;
  return URL.parse(`http://${host}/`)?.hostname || null;
}

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (NAT64) or 6to4. */
function embeddedIPv4(address: string): string | null {
  const words = expand(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  const dotted = (high: number, low: number): string =>
    [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const zeros = a === 0 && b === 0 && c === 0 && d === 0;
  if (zeros && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0))) return dotted(g, h);
  if (zeros && e === 0 && f === 0 && (g !== 0 || h > 1)) return dotted(g, h);
  if (a === 0x64 && b === 0xff9b) return dotted(g, h);
  if (a === 0x2002) return dotted(b, c);
  return null;
}

function expand(address: string): readonly number[] {
  const [head = "", tail] = address.split("::");
  const numbers = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Hosts that give the credentials of a machine to programs on it. */
const metadata: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.169.253",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
  "fd20:ce::254",
  "metadata.google.internal",
  "metadata.goog",
  "metadata",
  "instance-data",
]);

/** Where a host in its canonical form leads. */
export function scopeOf(host: string): HostScope {
  if (host === "" || isUnknown(host)) return "unknown";
  if (metadata.has(host)) return "metadata";
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  if (isIPv4(host)) return scopeOfIPv4(host.split(".").map(Number));
  if (isIPv6(host)) {
    const [first = 0] = expand(host);
    if (host === "::1" || host === "::") return "loopback";
    if ((first & 0xffc0) === 0xfe80) return "link-local";
    return (first & 0xfe00) === 0xfc00 ? "private" : "public";
  }
  if (/\.(?:local|internal|intranet|lan|home\.arpa|corp)$/.test(host) || !host.includes("."))
    return "private";
  return "public";
}

function scopeOfIPv4([a = 0, b = 0]: readonly number[]): HostScope {
  if (a === 127 || a === 0) return "loopback";
  if (a === 169 && b === 254) return "link-local";
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 100 && b >= 64 && b < 128);
  return isPrivate ? "private" : "public";
}
