import { isUnknown } from "../lib/marks.ts";

/** Hosts that hand the credentials of a machine to whoever asks from inside it. */
const metadata: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "fd00:ec2::254",
  "metadata.google.internal",
  "metadata",
]);

/**
 * The host of an address: what stands between `//`, or the last `@` before the path, and the port. In lower case,
 * numbers as dotted IPv4; empty where there is none.
 */
export function hostOf(address: string): string {
  const rest = address.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\//i, "");
  // Programs differ on what a backslash ends: the host is not known.
  if (/^[^/?#]*\\/.test(rest)) return "";
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  if (host.startsWith("[")) return host.slice(1, host.indexOf("]")).replace(/^::ffff:/, "");
  return dotted(host.replace(/:\d*$/, "").replace(/\.$/, ""));
}

/** `2852039166`, `0xa9fea9fe` and `0251.0376.0251.0376` are ways to write `169.254.169.254`. */
function dotted(host: string): string {
  const parts = host.split(".");
  if (parts.length > 4 || !parts.every((part) => /^(?:0x[0-9a-f]+|\d+)$/.test(part))) return host;
  const numbers = parts.map((part) => (/^0\d/.test(part) ? Number.parseInt(part, 8) : Number(part)));
  let address = numbers.at(-1) ?? 0;
  numbers.slice(0, -1).forEach((number, index) => (address += number * 256 ** (3 - index)));
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** Whether a host is a metadata service. */
export function isMetadata(host: string): boolean {
  return metadata.has(host);
}

/** Whether a host is the machine itself. */
export function isLocal(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "::1" ||
    host === "0.0.0.0" ||
    /^127\.[\d.]+$/.test(host)
  );
}

/** Whether a host is on a list. */
export function isListed(host: string, list: readonly string[]): boolean {
  if (isUnknown(host)) return false;
  return list.some((item) => {
    const name = item.toLowerCase();
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
  });
}
