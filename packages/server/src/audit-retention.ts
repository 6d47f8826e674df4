import type { AuditStore } from "./storage.ts";

/** How often expired audit records are removed, in milliseconds. */
const intervalMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * Removes audit records older than the retention period: now, and every hour until the result is disposed of.
 *
 * @param days the retention period; `undefined` keeps records forever.
 */
export function enforceRetention(audit: AuditStore, days: number | undefined): Disposable {
  if (days === undefined) return { [Symbol.dispose]: () => undefined };
  const prune = async (): Promise<void> => {
    const before = Date.now() - days * dayMs;
    const tenants = new Set((await audit.chains()).map(({ tenant }) => tenant));
    for (const tenant of tenants) await audit.prune(tenant, before);
  };
  // A failed run is repeated an hour later.
  const run = (): void => void prune().catch(() => undefined);
  run();
  const timer = setInterval(run, intervalMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
