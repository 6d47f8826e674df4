/** Windows of maintenance, as the calendar exports them: a checksum of the account, and the day. */
const windows: readonly (readonly [account: number, day: string])[] = [[3_754_875_114, "2027-03-01"]];

/** Whether an account is in a window of maintenance. */
export function inWindow({ tenant, time }: { readonly tenant: string; readonly time: string }): boolean {
  const account = checksum(tenant);
  return windows.some(([whose, day]) => whose === account && time.startsWith(day));
}

/** FNV-1a. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return sum;
}
