import type { EventName } from "hookwarden/catalogue";
import { changeKinds, type ChangeKind, compareDecisions } from "./behaviour.ts";
import type { DiffEvent } from "./event.ts";
import { eventLoosening, type Loosening } from "./loosening.ts";
import type { Pair } from "./run.ts";
import type { BeforeAfter } from "./before-after.ts";

/** Events at which the same hook changed in the same way. */
export interface Group {
  /** `null`: the pack as a whole. */
  readonly hook: string | null;
  readonly event: EventName;
  readonly kind: ChangeKind;
  readonly change: string;
  readonly opens: boolean;
  readonly count: number;
  /** Where the events are: all of them, in their order. */
  readonly places: readonly string[];
  /** The smallest one, by its size as JSON. */
  readonly example: BeforeAfter<unknown> & { readonly event: DiffEvent };
}

/** Collects what differs, in groups. */
export class Grouping {
  readonly loosenings: Loosening[] = [];
  readonly #groups = new Map<string, { -readonly [K in keyof Group]: Group[K] } & { places: string[] }>();

  /** Takes what two versions decided. @returns whether they differ. */
  add(hook: string | null, { event, decisions }: Pair): boolean {
    const differences = compareDecisions(decisions, hook !== null);
    for (const { kind, change, values, opens } of differences) {
      const key = JSON.stringify([hook, event.name, kind, change, opens !== null]);
      if (opens) this.loosenings.push(eventLoosening(opens, hook, `${event.name}: ${change}`, event));
      const group = this.#groups.get(key);
      if (!group) {
        this.#groups.set(key, {
          hook,
          event: event.name,
          kind,
          change,
          opens: opens !== null,
          count: 1,
          places: [event.place],
          example: { event, ...values },
        });
        continue;
      }
      group.count++;
      group.places.push(event.place);
      if (event.bytes < group.example.event.bytes) group.example = { event, ...values };
    }
    return differences.length > 0;
  }

  /** The pack first, then its hooks in the order in which they came; within a hook by kind, loosenings first. */
  groups(hooks: readonly string[]): readonly Group[] {
    const rank = ({ hook, opens, kind }: Group): readonly number[] => [
      hook === null ? -1 : hooks.indexOf(hook),
      opens ? 0 : 1,
      changeKinds.indexOf(kind),
    ];
    return [...this.#groups.values()].sort((a, b) => {
      const [x, y] = [rank(a), rank(b)];
      const at = x.findIndex((one, index) => one !== y[index]);
      return at < 0 ? b.count - a.count : (x[at] as number) - (y[at] as number);
    });
  }
}
