/** Numbers and times for people. */

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

export function count(value) {
  const number = Number(value) || 0;
  return number >= 100_000 ? short.format(number) : whole.format(number);
}

/** Microseconds. */
export function micros(value) {
  const us = Number(value) || 0;
  if (us < 1_000) return `${whole.format(us)} µs`;
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 10_000 ? 2 : 1)} ms`;
  return `${(us / 1_000_000).toFixed(2)} s`;
}

export function millis(value) {
  return micros((Number(value) || 0) * 1_000);
}

export function bytes(value) {
  const size = Number(value) || 0;
  if (size < 1_048_576) return `${(size / 1_024).toFixed(0)} KiB`;
  return size < 1_073_741_824
    ? `${(size / 1_048_576).toFixed(0)} MiB`
    : `${(size / 1_073_741_824).toFixed(2)} GiB`;
}

/** A time of today as a time, another one with its day. */
export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "–";
  return date.toDateString() === new Date().toDateString() ? clock.format(date) : day.format(date);
}

/** How long until then, or since. */
export function distance(text, now = Date.now()) {
  const seconds = Math.abs(Math.round((new Date(text).getTime() - now) / 1_000));
  if (Number.isNaN(seconds)) return "–";
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 129_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** The head of a digest. */
export function digest(text) {
  return text ? String(text).replace("sha256:", "").slice(0, 12) : "–";
}
