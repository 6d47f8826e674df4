/** Log levels, most severe first. A level includes those before it. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Every event that the server logs, with its level and message. Messages are constant, so that they can be searched for. */
export const logEvents = {
  containment: { level: "info", msg: "checked the containment of child processes" },
  listening: { level: "info", msg: "listening for requests" },
  "shutting-down": { level: "info", msg: "shutting down; requests in flight are completed" },
  closed: { level: "info", msg: "server closed" },
  "operator-key-written": { level: "info", msg: "wrote an operator's key to a file" },
  "operator-key-exists": { level: "info", msg: "an operator's key exists already; none was written here" },
  "tenant-set": { level: "info", msg: "an operator changed a tenant" },
  "tenant-removed": { level: "info", msg: "an operator removed a tenant" },
  "key-made": { level: "info", msg: "an operator created a key" },
  "key-revoked": { level: "info", msg: "an operator revoked a key" },
  "pack-uploaded": { level: "info", msg: "a pack was uploaded" },
  "folder-refused": { level: "warn", msg: "the changed folder cannot serve; the previous version continues" },
  rollout: { level: "info", msg: "a rollout serves" },
  "pack-broken": { level: "error", msg: "a tenant's pack cannot serve" },
  quarantine: { level: "warn", msg: "a hook was quarantined" },
  "quarantine-lifted": { level: "info", msg: "a quarantine was lifted" },
  "degraded-begun": { level: "warn", msg: "a tenant is in degraded mode: hooks that fail ask a person" },
  "degraded-ended": { level: "info", msg: "a tenant's degraded mode ended" },
  "trust-changed": { level: "info", msg: "the trust file changed; serving packs were checked again" },
  "trust-unavailable": { level: "error", msg: "the trust file cannot be read; signed packs are refused" },
  "approval-opened": { level: "info", msg: "a decision waits for approval" },
  "approval-closed": { level: "info", msg: "an approval was answered or expired" },
  "request-refused": { level: "info", msg: "a request was refused" },
  "request-failed": { level: "error", msg: "a request failed because a dependency is unavailable" },
  "internal-error": { level: "error", msg: "a request failed because of an internal error" },
  "telemetry-incomplete": { level: "warn", msg: "the process lacks parts of OpenTelemetry" },
  "nats-connected": { level: "info", msg: "connected to NATS" },
  "nats-lost": { level: "warn", msg: "lost the connection to NATS" },
} as const satisfies { readonly [event: string]: { readonly level: LogLevel; readonly msg: string } };

export type LogEvent = keyof typeof logEvents;

/** Fields of a log line. They hold no secrets, and no text of hooks. */
export type LogFields = { readonly [name: string]: unknown };

/** Writes one log line. */
export type Log = (event: LogEvent, fields?: LogFields) => void;

/**
 * A log of JSON lines: `time`, `level`, `msg`, `event`, then the fields of the event.
 *
 * @param write takes each line, without a line end; absent: nothing is logged.
 * @param level the least severe level that is written. Default `info`.
 */
export function createLog(write: ((line: string) => void) | undefined, level: LogLevel = "info"): Log {
  if (!write) return () => undefined;
  const enabled: ReadonlySet<LogLevel> = new Set(logLevels.slice(0, logLevels.indexOf(level) + 1));
  return (event, fields = {}) => {
    const { level: own, msg } = logEvents[event];
    if (!enabled.has(own)) return;
    write(sanitize(JSON.stringify({ time: new Date().toISOString(), level: own, msg, event, ...fields })));
  };
}

/** JSON without characters that control terminals or reorder text. */
function sanitize(text: string): string {
  return text.replaceAll(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
