/** What the page needs of `node:net`. */
const byte = "(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);

export function isIPv4(text: string): boolean {
  return ipv4.test(text);
}

export function isIPv6(text: string): boolean {
  const address = text.replace(/%[\w.:-]+$/, "");
  return /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`);
}
