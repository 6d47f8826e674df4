import { DiscardPolicy, StorageType } from "@nats-io/jetstream";
import { headers, nanos } from "@nats-io/transport-node";
import type { NatsLink } from "./link.ts";
import { type FleetNames, hashOf } from "./names.ts";
import { StreamOnce } from "./stream-once.ts";

/** How long a decision is remembered, in milliseconds: longer than anybody asks again for it. */
export const claimMs = 120_000;
/** Most bytes of answers that are kept for those who ask again. */
const answerBytes = 268_435_456;

const statusHeader = "Hookwarden-Status";

/** An answer that was given, for retries. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** One way to ask for a decision: its tenant, its id, and how often it was expressly refused before. */
export interface Asked {
  readonly tenant: string;
  readonly id: string;
  readonly epoch: number;
}

/**
 * At-most-once: the first node to claim a decision id makes the decision. A claim is a
 * message whose id is the decision's, of which NATS keeps the first.
 */
export class Claims {
  readonly #link: NatsLink;
  readonly #names: FleetNames;
  readonly #stream: StreamOnce;

  constructor(link: NatsLink, names: FleetNames, replicas = 1) {
    this.#link = link;
    this.#names = names;
    this.#stream = new StreamOnce({
      name: names.claims,
      subjects: [...names.claimSubjects],
      // On the disk, so that a claim outlives a restart of the NATS server.
      storage: StorageType.File,
      num_replicas: replicas,
      discard: DiscardPolicy.Old,
      max_age: nanos(claimMs),
      max_bytes: answerBytes,
      duplicate_window: nanos(claimMs),
    });
  }

  /** @returns whether this node, and no other, decides. @throws {Error} where NATS does not say. */
  async claim(asked: Asked): Promise<boolean> {
    await this.#stream.ensure(this.#link.parts().jsm);
    const { js } = this.#link.parts();
    try {
      const { duplicate } = await js.publish(this.#names.claim(asked.tenant), "", { msgID: textOf(asked) });
      return !duplicate;
    } catch (error) {
      // The stream may be gone: it is looked for again before the next claim.
      this.#stream.forget();
      throw error;
    }
  }

  /** Stores an answer for retries, without waiting for the write. */
  keep(asked: Asked, { status, body }: KeptAnswer): void {
    const fields = headers();
    fields.set(statusHeader, String(status));
    try {
      this.#link.parts().nc.publish(this.#subject(asked), body, { headers: fields });
    } catch {
      // NATS is away: who asks again will be failed by policy.
    }
  }

  /** The answer that was given; `null` where there is none yet. */
  async answer(asked: Asked): Promise<KeptAnswer | null> {
    await this.#stream.ensure(this.#link.parts().jsm);
    const { jsm } = this.#link.parts();
    const found = await jsm.streams.getMessage(this.#names.claims, { last_by_subj: this.#subject(asked) });
    const status = Number(found?.header.get(statusHeader));
    return found && status > 0 ? { status, body: found.data } : null;
  }

  #subject(asked: Asked): string {
    return this.#names.answer(asked.tenant, textOf(asked));
  }
}

function textOf({ tenant, id, epoch }: Asked): string {
  return hashOf(`${tenant.length}/${tenant}${id}/${epoch}`);
}
