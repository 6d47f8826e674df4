import type { Warden } from "hookwarden/warden";
import { halfOf, type Item, type PublicSet } from "./item.ts";
import { judge, judges, type Judgement } from "./judge.ts";
import { judgementKey, judgementOf } from "./judgements.ts";
import { checkout } from "./sources.ts";

/** How the items of one family of a set fared. */
export interface Family {
  readonly name: string;
  n: number;
  /** Items that any policy stopped, changed or flagged. */
  hit: number;
  readonly byPolicy: Map<string, { deny: number; ask: number; other: number }>;
  /** Stops by single policies that were judged by hand, and those of them that were wrong. */
  readonly judged: { n: number; wrong: number };
}

/** What was measured on one set. */
export interface Measured {
  readonly set: PublicSet;
  readonly commit: string;
  readonly families: readonly Family[];
  readonly faults: readonly string[];
  /** Items that fared badly: attacks that no policy noticed, and clean ones that one did. */
  readonly notable: readonly string[];
}

export interface RunOptions {
  readonly folder: string | undefined;
  readonly half: "tuned" | "held-out" | "all";
  /** Most items of a set; more are thinned out evenly. */
  readonly most: number;
  readonly wardens: (policy: string) => Promise<Warden>;
}

/** Measures one set; `undefined` where its source cannot be had. */
export async function measure(set: PublicSet, options: RunOptions): Promise<Measured | undefined> {
  const source = checkout(set.source, options.folder);
  if (source === undefined) return undefined;
  const families = new Map<string, Family>();
  const [faults, notable]: [string[], string[]] = [[], []];
  for (const item of chosen(set.read(source), options)) {
    const family = families.get(item.family) ?? {
      name: item.family,
      n: 0,
      hit: 0,
      byPolicy: new Map(),
      judged: { n: 0, wrong: 0 },
    };
    families.set(item.family, family);
    family.n++;
    const judgements = await judgedBy(set, item, options);
    const hits = judgements.filter(([, { result }]) => result !== "none");
    if (hits.length > 0) family.hit++;
    for (const [policy, { result }] of hits) {
      count(family, policy, result);
      const judged = judgementOf(policy, result, item);
      if (judged !== undefined) family.judged.n++;
      if (judged?.startsWith("wrong")) family.judged.wrong++;
    }
    for (const [policy, { fault }] of judgements)
      if (fault !== undefined) faults.push(`${policy} ${fault}: ${item.text.slice(0, 80)}`);
    const attack = set.kind === "shell-attack" || set.kind === "secret" || set.kind === "injection";
    if (attack === (hits.length === 0)) notable.push(noteOf(item, hits));
  }
  return { set, commit: source.commit, families: [...families.values()], faults, notable };
}

function chosen(items: Iterable<Item>, { half, most }: RunOptions): readonly Item[] {
  const texts = new Set<string>();
  const list = [...items].filter((item) => {
    const key = `${item.text}\0${item.secret ?? ""}`;
    if (texts.has(key) || (half !== "all" && halfOf(item) !== half)) return false;
    texts.add(key);
    return true;
  });
  const every = list.length / most;
  return every <= 1
    ? list
    : Array.from({ length: most }, (_, index) => list[Math.floor(index * every)] as Item);
}

async function judgedBy(
  { kind }: PublicSet,
  item: Item,
  { wardens }: RunOptions,
): Promise<readonly (readonly [string, Judgement])[]> {
  const found: [string, Judgement][] = [];
  for (const policy of judges[kind]) found.push([policy, await judge(await wardens(policy), kind, item)]);
  return found;
}

function count(family: Family, policy: string, result: Judgement["result"]): void {
  const counts = family.byPolicy.get(policy) ?? { deny: 0, ask: 0, other: 0 };
  if (result === "deny" || result === "ask") counts[result]++;
  else counts.other++;
  family.byPolicy.set(policy, counts);
}

function noteOf(item: Item, hits: readonly (readonly [string, Judgement])[]): string {
  const text = item.text.replace(/\s+/g, " ");
  const middle = text.length > 300 && item.secret !== undefined ? item.secret : text;
  const why = hits
    .map(([policy, { result, why: reason }]) => {
      const judged = judgementOf(policy, result, item) ?? "not judged";
      return `${judgementKey(policy, result, item)} (${judged}): ${reason.replace(/\s+/g, " ").slice(0, 200)}`;
    })
    .join(" | ");
  return `[${item.family}] ${middle.slice(0, 300)}${why === "" ? "" : `\n      => ${why}`}`;
}
