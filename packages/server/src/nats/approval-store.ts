import { type ApprovalAnswer, type ApprovalRecord, answered } from "../approvals/approval.ts";
import type { ApprovalStore } from "../storage.ts";
import { hashOf, tokenOf } from "./names.ts";
import type { Registry } from "./registry.ts";

const prefix = "approval.";

/** Approvals of a fleet: signed records, changed by compare-and-set, so that one node's answer wins. */
export class NatsApprovalStore implements ApprovalStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async add(record: ApprovalRecord): Promise<void> {
    await this.#registry.change(keyOf(record.tenant, record.id), () => record);
  }

  get(tenant: string, id: string): ApprovalRecord | null {
    return this.#registry.get(keyOf(tenant, id)) as ApprovalRecord | null;
  }

  list(
    tenant: string | null,
    { state, limit }: { readonly state?: ApprovalRecord["state"]; readonly limit: number },
  ): readonly ApprovalRecord[] {
    const start = tenant === null ? prefix : `${prefix}${tokenOf(tenant)}.`;
    return this.#registry
      .list(start)
      .map(({ value }) => value as ApprovalRecord)
      .filter((record) => state === undefined || record.state === state)
      .sort((one, other) => (one.created < other.created ? 1 : -1))
      .slice(0, limit);
  }

  async close(tenant: string, id: string, answer: ApprovalAnswer): Promise<ApprovalRecord | null> {
    const closed = await this.#registry.change(keyOf(tenant, id), (before) =>
      before === null ? undefined : (answered(before as ApprovalRecord, answer) ?? undefined),
    );
    return (closed as ApprovalRecord | undefined) ?? null;
  }

  async prune(before: string): Promise<number> {
    const old = this.list(null, { limit: Infinity }).filter(
      ({ state, created }) => state !== "pending" && created < before,
    );
    for (const { tenant, id } of old) await this.#registry.change(keyOf(tenant, id), () => null);
    return old.length;
  }

  watch(listener: (record: ApprovalRecord) => void): Disposable {
    return this.#registry.watch(({ key, value }) => {
      if (key.startsWith(prefix) && value !== null) listener(value as ApprovalRecord);
    });
  }
}

function keyOf(tenant: string, id: string): string {
  return `${prefix}${tokenOf(tenant)}.${hashOf(id)}`;
}
