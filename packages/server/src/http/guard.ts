import type { IncomingHttpHeaders } from "node:http";
import { isLoopback, type ServerOptions, type ServerSettings } from "../options.ts";
import { Problem } from "../problem.ts";

/**
 * Keeps web pages away: a page whose name was made to point at this machine (DNS rebinding) still sends its own name as
 * `Host`, and whatever a browser sends for a page carries the page's `Origin`.
 *
 * At a loopback address only loopback names and those in `hosts` are answered to. At others any name is, unless there
 * are `hosts`: there every request needs a credential, which no page has.
 */
export class BrowserGuard {
  readonly #hosts: ReadonlySet<string> | null;
  readonly #origins: ReadonlySet<string>;
  readonly #known = new Map<string, boolean>();

  constructor(options: ServerOptions, { host }: ServerSettings) {
    const named = (options.hosts ?? []).map((name) => name.toLowerCase());
    const isWide = !isLoopback(host) && named.length === 0;
    this.#hosts = isWide ? null : new Set([...named, "localhost", "127.0.0.1", "[::1]", host.toLowerCase()]);
    this.#origins = new Set((options.origins ?? []).map((origin) => origin.toLowerCase()));
  }

  /** @throws {Problem} `host-not-allowed` */
  check(headers: IncomingHttpHeaders): void {
    const { host = "", origin } = headers;
    if (!this.#answersTo(host)) throw new Problem("host-not-allowed");
    if (origin !== undefined && !this.#isFriend(origin, host)) throw new Problem("host-not-allowed");
    const site = headers["sec-fetch-site"];
    if (origin === undefined && (site === "cross-site" || site === "same-site"))
      throw new Problem("host-not-allowed");
  }

  #answersTo(host: string): boolean {
    if (this.#hosts === null) return true;
    const known = this.#known.get(host);
    if (known !== undefined) return known;
    const name = /^(\[[0-9a-f:.]+\]|[^:]+)(:\d{1,5})?$/.exec(host.toLowerCase())?.[1];
    const answers = name !== undefined && this.#hosts.has(name);
    if (this.#known.size < 100) this.#known.set(host, answers);
    return answers;
  }

  #isFriend(origin: string, host: string): boolean {
    const plain = origin.toLowerCase();
    return (
      this.#origins.has(plain) ||
      plain === `http://${host.toLowerCase()}` ||
      plain === `https://${host.toLowerCase()}`
    );
  }
}
