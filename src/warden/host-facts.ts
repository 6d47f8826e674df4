import { type BrokerEvent, type Plan, type ToolInputCheck, toolInputChecks } from "../broker/index.ts";
import { type EventName, eventNames } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import {
  deriveInThread,
  type HostFactRecord,
  hostFactsField,
  isHostFactName,
  type LinkResolver,
  linksName,
  resolveLinks,
} from "../facts/index.ts";

/**
 * A fact that the host derives: code that is trusted, since it runs in the host's process without a sandbox, and whose
 * value hooks and the decision log see.
 */
export interface HostFact {
  /** `major.minor`. It is recorded with every value. */
  readonly version: string;
  /** The events that have the fact. Default: all. */
  readonly events?: readonly EventName[];
  /** JSON Schema of the value, an object. */
  readonly schema: object;
  /** Most bytes of the value as JSON. Default 65,536. */
  readonly maxBytes?: number;
  /** Most time for a value, in milliseconds. Default 1,000. It is not part of the decision's budget. */
  readonly timeoutMs?: number;
  /**
   * Derives the value for an event as it comes from the host, before any hook sees or changes it. If it throws, is late,
   * or gives what the schema refuses, hooks see `{ ok: false, why: "host" }`.
   */
  readonly derive: (
    event: BrokerEvent,
    of: { readonly tenant: string; readonly signal: AbortSignal },
  ) => unknown;
}

/** The facts of one host. */
export class HostFacts {
  readonly #facts: ReadonlyMap<string, HostFact>;
  readonly #checks: ReadonlyMap<string, ToolInputCheck>;
  readonly #recorded: boolean;
  readonly #resolveLink: LinkResolver | undefined;

  /** @throws {HookwardenError} `option-invalid` for a fact that cannot be used. */
  constructor(given: { readonly [name: string]: HostFact } | "recorded", resolveLink?: LinkResolver) {
    this.#resolveLink = resolveLink;
    this.#recorded = given === "recorded";
    this.#facts = new Map(given === "recorded" ? [] : Object.entries(given));
    for (const [name, fact] of this.#facts) checkFact(name, fact);
    this.#checks = toolInputChecks(new Map([...this.#facts].map(([name, { schema }]) => [name, schema])));
  }

  /**
   * Writes the facts that the hooks of an event read into the event, where they are logged, masked and replayed as
   * fields are. `null` if there is nothing to wait for.
   */
  add(event: BrokerEvent, plan: Plan, tenant: string): Promise<void> | null {
    const fields = event as { [field: string]: unknown };
    if (this.#recorded) return null;
    // Attack: an event from outside that brings the facts that its sender would like.
    delete fields[hostFactsField];
    const { hostFacts = [], facts = [] } = plan.events.get(event.hook_event_name) ?? {};
    const wanted = hostFacts.filter(
      (name) => this.#facts.get(name)?.events?.includes(event.hook_event_name) ?? this.#facts.has(name),
    );
    const links = this.#resolveLink && facts.includes("paths") ? this.#resolveLink : null;
    return wanted.length === 0 && !links ? null : this.#derive(wanted, event, tenant, links);
  }

  async #derive(
    names: readonly string[],
    event: BrokerEvent,
    tenant: string,
    resolveLink: LinkResolver | null,
  ): Promise<void> {
    const given = structuredClone(event);
    const records = await Promise.all(
      names.map(async (name): Promise<[string, HostFactRecord]> => {
        const fact = this.#facts.get(name) as HostFact;
        const value = await this.#valueOf(name, fact, given, tenant);
        return [name, { version: fact.version, value }];
      }),
    );
    const links = resolveLink ? { [linksName]: await resolveLinks(event, resolveLink, deriveInThread) } : {};
    (event as { [field: string]: unknown })[hostFactsField] = { ...Object.fromEntries(records), ...links };
  }

  async #valueOf(name: string, fact: HostFact, event: BrokerEvent, tenant: string): Promise<object | null> {
    const signal = AbortSignal.timeout(fact.timeoutMs ?? 1_000);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("too late")), { once: true });
    });
    late.catch(() => undefined);
    try {
      const value = await Promise.race([fact.derive(event, { tenant, signal }), late]);
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > (fact.maxBytes ?? 65_536)) return null;
      // What is logged is what hooks see: plain JSON.
      const plain: unknown = JSON.parse(text);
      const isObject = typeof plain === "object" && plain !== null && !Array.isArray(plain);
      return isObject && this.#checks.get(name)?.(plain) === null ? plain : null;
    } catch {
      return null;
    }
  }
}

function checkFact(name: string, fact: Partial<HostFact> | null): void {
  const invalid = (message: string): never => {
    throw new HookwardenError("option-invalid", `\`facts.${name}\` ${message}`, {
      pointer: `/facts/${name}`,
    });
  };
  if (name === linksName) invalid("has a name that is reserved");
  if (!isHostFactName(name))
    invalid("must be named with up to 64 letters, digits and `_`, a small letter first");
  if (typeof fact?.derive !== "function") invalid("must have a function `derive`");
  if (typeof fact?.version !== "string" || !/^\d+\.\d+$/.test(fact.version))
    invalid("must have a `version` such as `1.0`");
  if (typeof fact?.schema !== "object" || fact.schema === null) invalid("must have a `schema`");
  for (const event of fact?.events ?? [])
    if (!eventNames.includes(event)) invalid(`names \`${event}\`, which is no event`);
}
