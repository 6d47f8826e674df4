import type { EventName } from "../catalogue/index.ts";
import { FactSet, type RouteMemory } from "../facts/index.ts";

/** An event after validation: a private snapshot of plain JSON data. */
export interface BrokerEvent {
  readonly hook_event_name: EventName;
  readonly session_id: string;
  readonly time: string;
  readonly [field: string]: unknown;
}

/**
 * An event as rewritten so far. The first rewrite copies the fields, so that the original event is unchanged;
 * texts made of it are kept until a rewrite makes them stale.
 */
export class EventView {
  /** The current fields. */
  fields: { [field: string]: unknown };
  /** How many rewrites were made. */
  version = 0;
  readonly #fieldTexts = new Map<string, string>();
  #projections: (string | undefined)[] = [];
  #facts: FactSet | null = null;
  /** What conditions found in the event as rewritten so far. */
  routes: RouteMemory = { truths: [] };
  readonly #original: BrokerEvent;

  constructor(event: BrokerEvent) {
    this.#original = event;
    this.fields = event as { [field: string]: unknown };
  }

  /** Rewrites a field. The value must be plain JSON data that is not modified afterwards. */
  set(field: string, value: unknown): void {
    if (this.fields === this.#original) this.fields = { ...this.#original };
    this.fields[field] = value;
    this.version++;
    this.#fieldTexts.delete(field);
    this.#projections = [];
    this.#facts = null;
    this.routes = { truths: [] };
  }

  /** The facts of the event as rewritten so far. */
  get facts(): FactSet {
    return (this.#facts ??= new FactSet(this.fields));
  }

  has(field: string): boolean {
    return Object.hasOwn(this.fields, field);
  }

  /** JSON text of a whole field that is there. */
  textOf(field: string): string {
    let text = this.#fieldTexts.get(field);
    if (text === undefined) {
      text = JSON.stringify(this.fields[field]);
      this.#fieldTexts.set(field, text);
    }
    return text;
  }

  /** The projection kept under an id since the last rewrite. */
  cachedProjection(id: number): string | undefined {
    return this.#projections[id];
  }

  cacheProjection(id: number, text: string): string {
    this.#projections[id] = text;
    return text;
  }
}
