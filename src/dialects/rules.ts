import type { PlanRules } from "../broker/index.ts";
import { type ActionName, type EventName, actionNames, actionRows } from "../catalogue/index.ts";
import type { FailurePolicy } from "../pack/index.ts";
import type { Dialect, DialectRow } from "./dialect.ts";

const everywhere = actionNames.filter((name) => actionRows.get(name)?.everywhere);

/** What the broker must know of a system to compose what hooks say at one of its events. */
interface RuleSet extends PlanRules {
  readonly name: string;
  readonly onFailure: Map<EventName, FailurePolicy>;
  readonly carries: Map<EventName, ReadonlySet<ActionName>>;
  readonly lenient: Map<EventName, ReadonlySet<ActionName>>;
}

/**
 * The broker's rules for each row of a dialect. Rules speak of the catalogue's events, of which two rows may share one
 * and differ in what they carry; such rows get rules of their own. As few sets are made as can be, since a pack is
 * planned once for each.
 */
export function rulesOf(dialect: Dialect, degraded?: string): ReadonlyMap<string, PlanRules> {
  if (degraded !== undefined) return makeRules(dialect, { degraded });
  let rules = made.get(dialect);
  if (!rules) {
    rules = makeRules(dialect, {});
    made.set(dialect, rules);
  }
  return rules;
}

/** The same objects for all who speak a dialect, so that they share the plans that wardens keep. */
const made = new WeakMap<Dialect, ReadonlyMap<string, PlanRules>>();

function makeRules(dialect: Dialect, more: Pick<PlanRules, "degraded">): ReadonlyMap<string, PlanRules> {
  const sets: RuleSet[] = [];
  const holders = new Map<string, string>();
  const byRow = new Map<string, PlanRules>();
  for (const [name, row] of dialect.rows) {
    const meaning = JSON.stringify([row.carries, row.ignores ?? [], row.onFailure ?? null]);
    let index = sets.findIndex((_, at) => (holders.get(`${at} ${row.event}`) ?? meaning) === meaning);
    if (index < 0) index = sets.push({ ...emptySet(dialect.name, sets.length), ...more }) - 1;
    holders.set(`${index} ${row.event}`, meaning);
    const set = sets[index] as RuleSet;
    add(set, row);
    byRow.set(name, set);
  }
  for (const set of sets) Object.freeze(set);
  return byRow;
}

function emptySet(dialect: string, index: number): RuleSet {
  const name = index === 0 ? dialect : `${dialect}#${index + 1}`;
  return { name, onFailure: new Map(), carries: new Map(), lenient: new Map() };
}

function add(set: RuleSet, row: DialectRow): void {
  set.carries.set(row.event, new Set<ActionName>([...row.carries, ...everywhere]));
  if (row.ignores) set.lenient.set(row.event, new Set(row.ignores));
  if (row.onFailure) set.onFailure.set(row.event, row.onFailure);
}
