import { packageVersion } from "hookwarden/log";
import { availableParallelism } from "node:os";
import { EngineMissingError, createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { acceptFindings, type AcceptedFinding, fingerprintOf } from "./accept.ts";
import { canonicalJson, sha256 } from "hookwarden/files";
import type { LoadedPack } from "hookwarden/pack";
import { severities } from "./codes.ts";
import { dependencyFindings } from "./dependencies.ts";
import type { Draft } from "./draft.ts";
import type { HostSettings } from "./hook/powers.ts";
import { type HookParts, reviewHook, type ReviewedHook } from "./hook/review-hook.ts";
import { type HookReview, reportFormat, type ReviewFinding, type ReviewReport } from "./report.ts";
import type { Input } from "./run/input.ts";
import { mapConcurrently } from "./run/runner.ts";
import { sinceLastTime } from "./since.ts";
import type { Subject } from "./subject.ts";
import { countsOf, verdictOf } from "./verdict.ts";

/** Hooks that are reviewed at the same time. */
const hookConcurrency = 2;

export interface ReviewOptions {
  readonly subject: Subject;
  /** Recorded events, in their order; `recordedInput` makes them. */
  readonly events: readonly Input[];
  /** The version that was reviewed before. */
  readonly against?: LoadedPack;
  /**
   * Where hooks run. Default: child processes that can be killed. A review runs unreviewed code: pass an
   * in-process engine only where a crash of this process is acceptable.
   */
  readonly sandbox?: Sandbox;
  /** Sandbox of the other engine for comparing answers; `null` to skip the comparison. Default: isolate, if installed. */
  readonly other?: Sandbox | null;
  /** Settings of the host that are powers of every hook. */
  readonly host?: HostSettings;
  readonly signal?: AbortSignal;
  /** Findings that the reviewer has accepted; see `readAccepted`. */
  readonly accepted?: readonly AcceptedFinding[];
  /** Most seconds for the whole review. A review that is stopped says so, and does not suggest approval. Default: 600. */
  readonly maxSeconds?: number;
  /** Called with the current step. */
  readonly progress?: (text: string) => void;
}

/**
 * Reviews a hook, a pack or a bundle: what it may do, what it reads, what it does and what it costs, what turns it, and
 * what deserves a look.
 *
 * @throws {HookwardenError}
 *
 * @example
 *     const report = await review({ subject: await readSubject("./policies"), events });
 *     report.sheet.suggestion; // "approve", "look" or "refuse"
 */
export async function review(options: ReviewOptions): Promise<ReviewReport> {
  const { subject, events, progress = () => undefined, maxSeconds = 600 } = options;
  const clock = AbortSignal.timeout(maxSeconds * 1_000);
  const signal = options.signal ? AbortSignal.any([options.signal, clock]) : clock;
  const notDone: string[] = [];
  const sandbox =
    options.sandbox ??
    (await createSandbox({ queueMs: 600_000, processes: Math.max(1, Math.min(4, availableParallelism())) }));
  const other = options.other === undefined ? await otherEngine(sandbox, notDone) : options.other;
  try {
    const reviewed = await reviewHooks(options, { sandbox, other, signal, progress });
    const stopped = clock.aborted ? `the time limit of ${maxSeconds} s was reached` : null;
    if (stopped !== null) notDone.push(stopped);
    else if (signal.aborted) notDone.push("the review was interrupted");
    if (subject.maps.size === 0)
      notDone.push(
        "there are no source maps, so the hook's own code cannot be distinguished from code of packages",
      );
    if (options.events.length === 0)
      notDone.push(
        "no recorded events were given: behaviour was observed only on the built-in corpus, samples and generated events",
      );
    notDone.push(...unknownOf(subject.dependencies));
    const since =
      options.against && !signal.aborted
        ? await sinceLastTime({
            packs: { old: options.against, new: subject.pack },
            recorded: events,
            cases: subject.cases,
            sandbox,
            signal,
            progress,
          })
        : null;
    const interrupted = signal.aborted ? (stopped ?? "the review was interrupted") : null;
    return assemble(options, { reviewed, since, sandboxes: [sandbox, other], notDone, stopped: interrupted });
  } finally {
    if (options.sandbox === undefined) await sandbox[Symbol.asyncDispose]();
    if (options.other === undefined) await other?.[Symbol.asyncDispose]();
  }
}

/** What is not known of dependencies: a review fetches nothing. */
function unknownOf(dependencies: Subject["dependencies"]): readonly string[] {
  const names = (all: Subject["dependencies"]): string =>
    `${all
      .slice(0, 4)
      .map(({ name }) => name)
      .join(", ")}${all.length > 4 ? ` and ${all.length - 4} more` : ""}`;
  const uncompared = dependencies.filter(({ changed }) => changed === null);
  const undated = dependencies.filter(({ published }) => published === null);
  return [
    ...(uncompared.length > 0
      ? [`not compared with the published package, which npm's cache does not have: ${names(uncompared)}`]
      : []),
    ...(undated.length > 0
      ? [`the age is unknown, since npm's cache does not have the registry's dates: ${names(undated)}`]
      : []),
  ];
}

type Running = Pick<HookParts, "sandbox" | "other" | "signal" | "progress">;

/** Two at a time: one hook runs while the results of the other are analysed. */
async function reviewHooks(
  { subject, events, host = {} }: ReviewOptions,
  { sandbox, other, signal, progress }: Running,
): Promise<readonly ReviewedHook[]> {
  const { pack, modules, maps, cases } = subject;
  const hooks = pack.hooks.filter(({ name }) => subject.hooks.has(name));
  let done = 0;
  const all = await mapConcurrently(
    hooks,
    async (hook) => {
      const one = await reviewHook(
        {
          hook,
          pack,
          modules: modules.get(hook.name) ?? [],
          map: maps.get(hook.name) ?? null,
          cases: cases.get(hook.name) ?? [],
          suite: subject.suite,
          unverified: new Set(
            subject.dependencies.filter(({ changed }) => changed === null).map(({ name }) => name),
          ),
        },
        {
          recorded: events,
          sandbox,
          other,
          host,
          signal,
          progress: (what) => progress(`${done} of ${hooks.length} hooks reviewed; ${hook.name}: ${what}`),
        },
      );
      done++;
      return one;
    },
    signal,
    hookConcurrency,
  );
  return all.filter((one) => one !== undefined);
}

async function otherEngine(first: Sandbox, notDone: string[]): Promise<Sandbox | null> {
  try {
    return await createSandbox({
      engine: first.engine === "quickjs" ? "isolate" : "quickjs",
      queueMs: 600_000,
    });
  } catch (error) {
    if (!(error instanceof EngineMissingError)) throw error;
    notDone.push("the other engine is not installed, so answers were not compared between engines");
    return null;
  }
}

interface Results {
  readonly reviewed: readonly ReviewedHook[];
  readonly since: Awaited<ReturnType<typeof sinceLastTime>> | null;
  readonly sandboxes: readonly (Sandbox | null)[];
  readonly notDone: readonly string[];
  /** Why the runs ended early; `null` if they did not. */
  readonly stopped: string | null;
}

function assemble(
  { subject, events, accepted = [] }: ReviewOptions,
  { reviewed, since, sandboxes, notDone, stopped }: Results,
): ReviewReport {
  const drafts = [
    ...reviewed.flatMap(({ review: { name }, drafts: own }) =>
      own.map((one) => ({ ...one, hook: name as string | null })),
    ),
    ...(since?.drafts ?? []),
    ...dependencyFindings(subject.dependencies).map((one) => ({ ...one, hook: null })),
  ];
  const findings = acceptFindings(numbered(drafts), accepted, new Date());
  const hooks: readonly HookReview[] = reviewed.map(({ review: one }) => ({
    ...one,
    counts: countsOf(findings.filter(({ hook }) => hook === one.name)),
  }));
  const { pack, kind, bundle } = subject;
  const only = kind === "hook" ? pack.hooks.find(({ name }) => subject.hooks.has(name)) : undefined;
  return {
    format: reportFormat,
    subject: {
      kind,
      name: only?.name ?? pack.manifest.name ?? null,
      version: only?.version ?? pack.manifest.version ?? null,
      pack: pack.digest,
      bundle,
    },
    corpus: {
      digest: sha256(canonicalJson(events.map(({ event }) => event))),
      recorded: events.length,
      cases: [...subject.cases.values()].reduce((sum, own) => sum + own.length, 0),
      generated: reviewed.reduce((sum, { generated }) => sum + generated, 0),
      calls: reviewed.reduce((sum, { calls }) => sum + calls, 0),
    },
    engines: sandboxes.flatMap((one) => (one ? [{ name: one.engine, version: one.version }] : [])),
    tool: toolName(),
    hooks,
    findings,
    sheet: verdictOf(findings, stopped),
    since: since?.since ?? null,
    dependencies: subject.dependencies,
    notDone,
  };
}

function numbered(drafts: readonly (Draft & { readonly hook: string | null })[]): readonly ReviewFinding[] {
  return drafts
    .toSorted(
      (a, b) =>
        Number(b.code === "case-fails") - Number(a.code === "case-fails") ||
        severities.indexOf(a.severity) - severities.indexOf(b.severity),
    )
    .map((one, index) => ({ id: `F${index + 1}`, fingerprint: fingerprintOf(one), ...one, accepted: null }));
}

function toolName(): string {
  return `hookwarden ${packageVersion}`;
}
