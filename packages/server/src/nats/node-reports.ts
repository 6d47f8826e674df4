import { StorageType } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import type { NodeReport } from "../operator.ts";
import type { NatsLink } from "./link.ts";

export interface NodeReportsOptions {
  readonly bucket: string;
  readonly node: string;
  readonly version: string;
  /** How often a node says that it lives, in milliseconds; after three times that it is forgotten. Default 5,000. */
  readonly everyMs?: number;
}

/** Tenants in a report, at most. */
const maxServing = 5_000;
/** How long changes are gathered, in milliseconds. */
const gatherMs = 20;

/** Publishes which generation this node serves to each tenant, and reads the other nodes' reports. */
export class NodeReports {
  readonly #link: NatsLink;
  readonly #options: NodeReportsOptions;
  readonly #started = new Date().toISOString();
  readonly #generations = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | null = null;
  #kv: Promise<KV> | null = null;
  readonly #unlisten: () => void;

  constructor(link: NatsLink, options: NodeReportsOptions) {
    this.#link = link;
    this.#options = options;
    this.#timer = setInterval(() => void this.#tell(), this.#everyMs);
    this.#timer.unref();
    this.#unlisten = link.listen((connected) => void (connected && this.#tell()));
    if (link.connected) void this.#tell();
  }

  /** A generation serves a tenant from now on; an older one is not news. */
  serving(tenant: string, generation: number): void {
    if ((this.#generations.get(tenant) ?? -1) >= generation) return;
    this.#generations.delete(tenant);
    this.#generations.set(tenant, generation);
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      void this.#tell();
    }, gatherMs);
  }

  /** What the nodes that live have said last. */
  async all(): Promise<NodeReport[]> {
    const kv = await this.#bucket();
    const { jsm } = this.#link.parts();
    // Requests, each with its answer: a listing of keys by a consumer waits for keys that expire meanwhile.
    const { state } = await jsm.streams.info(`KV_${this.#options.bucket}`, { subjects_filter: ">" });
    const keys = Object.keys(state.subjects ?? {}).map((subject) =>
      subject.slice(subject.lastIndexOf(".") + 1),
    );
    const found = keys.map(async (key) => {
      const entry = await kv.get(key);
      return entry?.operation === "PUT" ? readReport(key, entry.string()) : null;
    });
    const reports = (await Promise.all(found)).filter((report) => report !== null);
    return reports.sort((one, other) => (one.node < other.node ? -1 : 1));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#soon) clearTimeout(this.#soon);
    this.#unlisten();
    if (this.#link.connected)
      await this.#bucket()
        .then((kv) => kv.delete(this.#options.node))
        .catch(() => undefined);
  }

  async #tell(): Promise<void> {
    if (!this.#link.connected) return;
    const { node, version } = this.#options;
    const serving = Object.fromEntries([...this.#generations].slice(-maxServing));
    const report: NodeReport = {
      node,
      version,
      started: this.#started,
      at: new Date().toISOString(),
      serving,
    };
    // A report that is lost is made up for by the next one.
    await this.#bucket()
      .then((kv) => kv.put(node, JSON.stringify(report)))
      .catch(() => undefined);
  }

  get #everyMs(): number {
    return this.#options.everyMs ?? 5_000;
  }

  async #bucket(): Promise<KV> {
    const { js } = this.#link.parts();
    this.#kv ??= new Kvm(js)
      .create(this.#options.bucket, { storage: StorageType.Memory, history: 1, ttl: this.#everyMs * 3 })
      .catch((error: unknown) => {
        this.#kv = null;
        throw error;
      });
    return this.#kv;
  }
}

/** `null` for an invalid report: the bucket's content is untrusted. */
function readReport(key: string, text: string): NodeReport | null {
  try {
    const report = JSON.parse(text) as Partial<NodeReport> | null;
    const { node, version, started, at, serving } = report ?? {};
    const isReport =
      node === key &&
      [version, started, at].every((word) => typeof word === "string" && word.length <= 64) &&
      typeof serving === "object" &&
      serving !== null &&
      Object.values(serving).every((generation) => Number.isSafeInteger(generation) && generation >= 0);
    return isReport ? ({ node, version, started, at, serving } as NodeReport) : null;
  } catch {
    return null;
  }
}
