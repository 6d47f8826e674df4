import type { DegradedWindow } from "./degraded.ts";
import type { Feed } from "./feed.ts";
import type { Log } from "./log.ts";
import type { Tenant } from "./tenant.ts";

/** Reports each beginning and end of a degraded window to the audit, the log and operators. */
export class DegradedWindows implements Disposable {
  readonly #open = new Map<string, { readonly window: DegradedWindow; readonly timer: NodeJS.Timeout }>();
  readonly #log: Log;
  readonly #feed: Feed;

  constructor(log: Log, feed: Feed) {
    this.#log = log;
    this.#feed = feed;
  }

  /** Compares a tenant's window with the one that was reported. Resolves when a change is in the audit. */
  async follow(tenant: Tenant): Promise<void> {
    const { degraded: window, name } = tenant;
    const known = this.#open.get(name);
    if (known?.window.since === window?.since && known?.window.until === window?.until) return;
    if (known) {
      this.forget(name);
      const ended = tenant.record.degraded;
      await this.#report(tenant, "ended", ended?.since === known.window.since ? ended : known.window);
    }
    if (!window) return;
    const timer = setTimeout(
      () => void this.follow(tenant).catch(() => undefined),
      Date.parse(window.until) - Date.now() + 1,
    ).unref();
    this.#open.set(name, { window, timer });
    await this.#report(tenant, "begun", window);
  }

  /** For a tenant that is removed. */
  forget(tenant: string): void {
    clearTimeout(this.#open.get(tenant)?.timer);
    this.#open.delete(tenant);
  }

  [Symbol.dispose](): void {
    for (const name of this.#open.keys()) this.forget(name);
  }

  async #report(tenant: Tenant, state: "begun" | "ended", window: DegradedWindow): Promise<void> {
    const { name, log } = tenant;
    this.#log(state === "begun" ? "degraded-begun" : "degraded-ended", { tenant: name, ...window });
    if (this.#feed.hasListeners)
      this.#feed.publish({ type: "degraded", at: new Date().toISOString(), tenant: name, state, ...window });
    await log?.appendNote("degraded", { state, ...window });
  }
}
