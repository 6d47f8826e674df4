import type { EventName } from "../catalogue/index.ts";

/** An event after validation: a snapshot of plain JSON data that nobody else holds. */
export interface BrokerEvent {
  readonly hook_event_name: EventName;
  readonly session_id: string;
  readonly time: string;
  readonly [field: string]: unknown;
}

/**
 * An event as rewritten so far. The first rewrite copies the fields, so that the event that came in stays as it was;
 * texts made of it are kept until a rewrite makes them stale.
 */
export class EventView {
  /** The fields as they stand now. */
  fields: { [field: string]: unknown };
  /** How many rewrites were made. */
  version = 0;
  private readonly fieldTexts = new Map<string, string>();
  private projections: (string | undefined)[] = [];
  private readonly original: BrokerEvent;

  constructor(event: BrokerEvent) {
    this.original = event;
    this.fields = event as { [field: string]: unknown };
  }

  /** Rewrites a field. The value must be plain JSON data that nobody changes any more. */
  set(field: string, value: unknown): void {
    if (this.fields === this.original) this.fields = { ...this.original };
    this.fields[field] = value;
    this.version++;
    this.fieldTexts.delete(field);
    this.projections = [];
  }

  has(field: string): boolean {
    return Object.hasOwn(this.fields, field);
  }

  /** JSON text of a whole field that is there. */
  textOf(field: string): string {
    let text = this.fieldTexts.get(field);
    if (text === undefined) {
      text = JSON.stringify(this.fields[field]);
      this.fieldTexts.set(field, text);
    }
    return text;
  }

  /** The projection kept under an id since the last rewrite. */
  cachedProjection(id: number): string | undefined {
    return this.projections[id];
  }

  cacheProjection(id: number, text: string): string {
    this.projections[id] = text;
    return text;
  }
}
