import type { Sandbox } from "@hookwarden/sandbox";
import { type EventName, eventRows } from "hookwarden/catalogue";
import { canonicalJson } from "hookwarden/files";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import type { DiffEvent } from "./event.ts";
import { neighbours, type Subject } from "./neighbours.ts";
import { matcherNames } from "../mutate/matcher-names.ts";
import { type Group, Grouping } from "./group.ts";
import { type Loosening, powerLoosening } from "./loosening.ts";
import { comparePacks, comparePowers, lonePowers, type PowerChange } from "./powers.ts";
import { aloneIn, decideOldAndNew, type Pair } from "./run.ts";
import type { BeforeAfter } from "./before-after.ts";

export interface DiffOptions {
  readonly packs: BeforeAfter<LoadedPack>;
  /** Recorded events, in their order. */
  readonly events: readonly DiffEvent[];
  /** Events of test cases, by name of the hook: where to start from when neighbours are made. */
  readonly cases?: ReadonlyMap<string, readonly DiffEvent[]>;
  /** How many neighbours of the events are made and decided too. Default 0. */
  readonly explore?: number;
  /** Digests of loosenings that are accepted. */
  readonly accepted?: ReadonlySet<string>;
  readonly sandbox: Sandbox;
  readonly signal?: AbortSignal;
  /** `true` runs hooks too that are the same to the byte. Default `false`: they cannot behave differently. */
  readonly runSame?: boolean;
  /** Called with the progress of the work. */
  readonly progress?: (done: number, total: number, what: string) => void;
}

/** How two versions of a pack behave differently. */
export interface PackDiff {
  readonly old: PackName;
  readonly new: PackName;
  readonly events: number;
  /** Events of cases and neighbours that were decided beside the recorded ones. */
  readonly explored: number;
  readonly hooks: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    /** Equal in program, manifest and grants. */
    readonly same: readonly string[];
  };
  readonly powers: readonly PowerChange[];
  readonly groups: readonly Group[];
  readonly loosenings: readonly Loosening[];
  /** Loosenings that were not accepted. */
  readonly newLoosenings: number;
}

export interface PackName {
  readonly name: string | null;
  readonly version: string | null;
  readonly digest: string;
}

/** Most events that neighbours are made of, for one hook. */
const maxBases = 40;
/** Of one event and tool. */
const basesOfAKind = 2;

/**
 * Compares how two packs behave: each hook that is in both by itself, and the packs as a whole, over the same events.
 *
 * @throws {HookwardenError} as `createWarden` and `dispatch` do
 */
export async function diffPacks(options: DiffOptions): Promise<PackDiff> {
  const { packs, events } = options;
  const matched = matchHooks(packs);
  const changed = options.runSame ? matched.both : matched.both.filter((hooks) => !isSame(hooks, packs));
  const changedNames = changed.map((hooks) => hooks.new.name);
  const powers = powersOf(options, matched);
  const grouping = new Grouping();
  const isWhole =
    options.runSame ||
    changed.length + matched.added.length + matched.removed.length > 0 ||
    powers.length > 0;
  const runner = new PairRunner(options);
  const subjects = await runRecorded(runner, grouping, { options, changed, isWhole });
  const explored = await runNeighbours(runner, grouping, { options, changed, subjects });
  const loosenings = looseningsOf(options, powers, grouping);
  return {
    old: nameOf(packs.old),
    new: nameOf(packs.new),
    events: events.length,
    explored,
    hooks: {
      added: matched.added.map(({ name }) => name),
      removed: matched.removed.map(({ name }) => name),
      changed: changedNames,
      same: matched.both.map((hooks) => hooks.new.name).filter((name) => !changedNames.includes(name)),
    },
    powers,
    groups: grouping.groups(changedNames),
    loosenings,
    newLoosenings: loosenings.filter((loosening) => !loosening.accepted).length,
  };
}

/** Runs packs on events, and reports how far it has come. */
class PairRunner {
  /** Events that are to be decided in all, as far as is known. */
  total = 0;
  #done = 0;
  readonly #options: DiffOptions;
  readonly #signal: AbortSignal;

  constructor(options: DiffOptions) {
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
  }

  run(packs: BeforeAfter<LoadedPack>, what: string, events: readonly DiffEvent[]): Promise<readonly Pair[]> {
    const { sandbox, progress } = this.#options;
    const onDecided = (): void => progress?.(++this.#done, this.total, what);
    return decideOldAndNew(packs, events, { sandbox, signal: this.#signal, onDecided });
  }

  /** One hook by itself. */
  runAlone(
    hooks: BeforeAfter<LoadedHook>,
    what: string,
    events: readonly DiffEvent[],
  ): Promise<readonly Pair[]> {
    const { packs } = this.#options;
    const alone = { old: aloneIn(packs.old, hooks.old), new: aloneIn(packs.new, hooks.new) };
    return this.run(alone, what, listenedTo(hooks, events));
  }
}

/** Runs the events that were given. @returns the hooks, with the events that neighbours are made of. */
async function runRecorded(
  runner: PairRunner,
  grouping: Grouping,
  of: {
    readonly options: DiffOptions;
    readonly changed: readonly BeforeAfter<LoadedHook>[];
    /** Whether the packs are run as a whole too. */
    readonly isWhole: boolean;
  },
): Promise<readonly Subject[]> {
  const { packs, events, cases } = of.options;
  runner.total = sumOf(of.changed, events) + (of.isWhole ? events.length : 0);
  const subjects: Subject[] = [];
  for (const hooks of of.changed) {
    const { name } = hooks.new;
    const pairs = await runner.runAlone(hooks, name, events);
    for (const pair of pairs) grouping.add(name, pair);
    subjects.push({ hooks, bases: basesFor(hooks, pairs, cases?.get(name) ?? []) });
  }
  if (of.isWhole) for (const pair of await runner.run(packs, "the pack", events)) grouping.add(null, pair);
  return subjects;
}

/** Runs events near those that were given. @returns how many there were */
async function runNeighbours(
  runner: PairRunner,
  grouping: Grouping,
  of: {
    readonly options: DiffOptions;
    readonly changed: readonly BeforeAfter<LoadedHook>[];
    readonly subjects: readonly Subject[];
  },
): Promise<number> {
  const { packs, explore = 0, cases } = of.options;
  if (explore === 0 || of.changed.length === 0) return 0;
  const own = of.changed.flatMap((hooks) => cases?.get(hooks.new.name) ?? []);
  const near = [...own, ...neighbours(of.subjects, explore)];
  runner.total += sumOf(of.changed, near);
  const relevant = new Set<DiffEvent>();
  for (const hooks of of.changed) {
    const { name } = hooks.new;
    for (const pair of await runner.runAlone(hooks, `near ${name}`, near)) {
      if (grouping.add(name, pair)) relevant.add(pair.event);
    }
  }
  // Where no hook by itself makes a difference, neither does the pack.
  const rest = near.filter((event) => relevant.has(event));
  runner.total += rest.length;
  for (const pair of await runner.run(packs, "near the pack", rest)) grouping.add(null, pair);
  return near.length;
}

/** How many decisions the hooks by themselves take. */
function sumOf(changed: readonly BeforeAfter<LoadedHook>[], events: readonly DiffEvent[]): number {
  return changed.reduce((sum, hooks) => sum + listenedTo(hooks, events).length, 0);
}

function looseningsOf(
  { accepted = new Set() }: DiffOptions,
  powers: PackDiff["powers"],
  grouping: Grouping,
): PackDiff["loosenings"] {
  return [
    ...powers.filter(({ opens }) => opens).map(({ hook, what }) => powerLoosening(hook, what)),
    ...grouping.loosenings,
  ].map((loosening) => ({ ...loosening, accepted: accepted.has(loosening.digest) }));
}

interface Matched {
  readonly both: readonly BeforeAfter<LoadedHook>[];
  readonly added: readonly LoadedHook[];
  readonly removed: readonly LoadedHook[];
}

function matchHooks(packs: BeforeAfter<LoadedPack>): Matched {
  const before = new Map(packs.old.hooks.map((hook) => [hook.name, hook]));
  const after = new Set(packs.new.hooks.map(({ name }) => name));
  return {
    both: packs.new.hooks.flatMap((hook) => {
      const old = before.get(hook.name);
      return old ? [{ old, new: hook }] : [];
    }),
    added: packs.new.hooks.filter(({ name }) => !before.has(name)),
    removed: packs.old.hooks.filter(({ name }) => !after.has(name)),
  };
}

function powersOf({ packs, events }: DiffOptions, { both, added, removed }: Matched): readonly PowerChange[] {
  const recorded = events.flatMap(({ name, fields }) => {
    const value = fields[eventRows.get(name)?.matches ?? ""];
    return typeof value === "string" ? [value] : [];
  });
  return [
    ...comparePacks(packs),
    ...added.flatMap((hook) => lonePowers(hook, true)),
    ...removed.flatMap((hook) => lonePowers(hook, false)),
    ...both.flatMap((hooks) =>
      comparePowers(hooks, [...new Set([...recorded, ...matcherNames([hooks.old, hooks.new])])]),
    ),
  ];
}

/**
 * Whether two versions of a hook cannot behave differently: the engine is deterministic, and gets the same program, the
 * same limits and the same view of events. What people read, such as version and description, is left out.
 */
function isSame(hooks: BeforeAfter<LoadedHook>, packs: BeforeAfter<LoadedPack>): boolean {
  const essence = (hook: LoadedHook, pack: LoadedPack): string =>
    canonicalJson([
      hook.program.key,
      hook.program.source,
      hook.manifest.onFailure ?? pack.manifest.defaults?.onFailure ?? null,
      hook.priority,
      hook.mode,
      hook.on.map(({ event, matcher, when }) => [event, matcher?.source ?? null, when?.condition ?? null]),
      hook.manifest.facts ?? null,
      [hook.reads, [...hook.asked].sort(), [...hook.granted].sort(), [...hook.roles].sort()],
      [...hook.onFailure],
      hook.limits,
      hook.state,
      hook.configJson,
      pack.monitor,
      pack.budgets.injectionBytes,
    ]);
  return essence(hooks.old, packs.old) === essence(hooks.new, packs.new);
}

function listenedTo(
  { old, new: next }: BeforeAfter<LoadedHook>,
  events: readonly DiffEvent[],
): readonly DiffEvent[] {
  const names = new Set<EventName>([...old.on, ...next.on].map(({ event }) => event));
  return events.filter(({ name }) => names.has(name));
}

/** Where to start from: what the old version acted on, cases first; then the smallest events of each kind. */
function basesFor(
  hooks: BeforeAfter<LoadedHook>,
  pairs: readonly Pair[],
  cases: readonly DiffEvent[],
): readonly DiffEvent[] {
  const bySize = pairs.toSorted((a, b) => a.event.bytes - b.event.bytes);
  const acted = bySize
    .filter(({ decisions }) => decisions.old.verdict !== "continue")
    .map(({ event }) => event);
  const kinds = new Map<string, number>();
  const plain = bySize
    .map(({ event }) => event)
    .filter(({ name, fields }) => {
      const kind = JSON.stringify([name, fields["tool_name"] ?? null]);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      return (kinds.get(kind) ?? 0) <= basesOfAKind;
    });
  const some = (list: readonly DiffEvent[]): readonly DiffEvent[] => list.slice(0, maxBases / 4);
  const all = [...some(plain), ...some(acted), ...listenedTo(hooks, cases)];
  return [...new Set(all)].slice(0, maxBases);
}

function nameOf({ manifest, digest }: LoadedPack): PackName {
  return { name: manifest.name ?? null, version: manifest.version ?? null, digest };
}
