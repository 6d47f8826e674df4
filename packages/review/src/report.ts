import type { FaultCode, EngineName } from "@hookwarden/sandbox";
import type { EventName } from "hookwarden/catalogue";
import type { FailurePolicy, HookMode } from "hookwarden/pack";
import type { ReviewCode, Severity } from "./codes.ts";

/** Form of reports; a reader that knows another one must not guess. */
export const reportFormat = "hookwarden-review-1";

/**
 * A text that a stranger wrote: an event, a script or what a hook said. On the way into the report everything that
 * would not be plainly visible was written as `\u{…}`, and it was cut; it is still no HTML and no Markdown, and a reader
 * must show it as text. Everything else in a report is in our own words.
 */
export interface GuestText {
  readonly text: string;
  /** Characters of the whole text, where this is a part of it. */
  readonly cutFrom: number | null;
}

/** A place in a hook's program, and in the file that it was bundled from, where that is known. */
export interface CodePlace {
  /** From 1, in the bundled program. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Path of the module as `modules` lists it; `null` where there is no source map. */
  readonly module: string | null;
  /** From 1, in that module. */
  readonly moduleLine: number | null;
}

/** One thing that a reviewer should know, worst first in every list. */
export interface ReviewFinding {
  /** `F1` and so on, in the order of the report. */
  readonly id: string;
  /** The same in every review in which the same code leads to the same finding; what an accepted finding is named by. */
  readonly fingerprint: string;
  readonly code: ReviewCode;
  readonly severity: Severity;
  /** `null`: the pack as a whole. */
  readonly hook: string | null;
  /** One lower-case sentence. */
  readonly message: string;
  /** What the finding is about: code, a text, or the smallest event that shows it. */
  readonly evidence: readonly Evidence[];
  readonly place: CodePlace | null;
  /** Some lines around the place, each with its number; `null` where there is no place. */
  readonly excerpt: GuestText | null;
  /** Set where the reviewer has accepted the finding: it does not count for the suggestion. */
  readonly accepted: Acceptance | null;
}

/** A finding that a reviewer has accepted. */
export interface Acceptance {
  readonly reason: string;
  /** From when on it counts again, ISO 8601. */
  readonly expires: string;
}

export interface Evidence {
  /** What it is, such as `held` and `opened`, `line 12`, `event`. */
  readonly label: string;
  readonly text: GuestText;
}

/** Everything that a review found. Plain JSON. */
export interface ReviewReport {
  readonly format: typeof reportFormat;
  readonly subject: ReviewSubject;
  readonly corpus: CorpusSummary;
  readonly engines: readonly { readonly name: EngineName; readonly version: string }[];
  /** Name and version of this package. */
  readonly tool: string;
  /** In the order of the pack. */
  readonly hooks: readonly HookReview[];
  /** Of all hooks, worst first. */
  readonly findings: readonly ReviewFinding[];
  readonly sheet: VerdictSheet;
  /** `null` where there was nothing to compare with. */
  readonly since: SinceLastTime | null;
  /** What was not done, and why, in words; empty where everything was. */
  readonly notDone: readonly string[];
}

export interface ReviewSubject {
  readonly kind: "hook" | "pack" | "bundle";
  readonly name: string | null;
  readonly version: string | null;
  /** `sha256:` of everything that can change a decision: what a review record is about. */
  readonly pack: string;
  /** Where a bundle was reviewed; `digest` is of its signed content. */
  readonly bundle: {
    readonly digest: string;
    readonly key: string | null;
    readonly signed: boolean;
  } | null;
}

export interface CorpusSummary {
  /** `sha256:` of all recorded events, as they were decided, in their order. */
  readonly digest: string;
  readonly recorded: number;
  /** Events of the hooks' own cases. */
  readonly cases: number;
  /** Events that were made: samples of the catalogue, hostile ones, and those that exploration made. */
  readonly generated: number;
  /** Calls of hooks in all. */
  readonly calls: number;
}

export interface HookReview {
  readonly name: string;
  readonly version: string;
  readonly description: GuestText | null;
  readonly digest: string;
  /** `sha256:` of the program's source. */
  readonly program: string;
  readonly priority: number;
  readonly mode: HookMode;
  readonly powers: PowersSection;
  readonly reads: ReadsSection;
  readonly behaviour: BehaviourSection;
  readonly cost: CostSection;
  readonly attack: AttackSection;
  readonly code: CodeSection;
  /** Counts of this hook's findings. */
  readonly counts: SeverityCounts;
}

export type SeverityCounts = { readonly [S in Severity]: number };

// ---- powers ------------------------------------------------------------------------------------------------------

export interface PowersSection {
  /** Most dangerous first. */
  readonly list: readonly Power[];
  /** Where it listens. */
  readonly on: readonly {
    readonly event: EventName;
    readonly matcher: string | null;
    readonly onFailure: FailurePolicy;
  }[];
  readonly reads: readonly string[];
  readonly state: { readonly scope: "session" | "tenant"; readonly maxBytes: number } | null;
  readonly limits: { readonly [limit: string]: number };
  /** What it asks for and was not seen to use. */
  readonly unused: readonly Power[];
  /** Powers that it has and no other hook of the pack. */
  readonly alone: readonly string[];
}

export interface Power {
  /** Such as `deny`, `read tool_input`, `state`. */
  readonly name: string;
  /** One plain sentence without a subject: `may refuse any shell command`. */
  readonly sentence: string;
  /** 0: harmless; 100: takes the person out of the loop. */
  readonly danger: number;
  /** Whether the pack grants it; what is only asked for is listed too. */
  readonly granted: boolean;
  /** Times it was used in the runs over recorded events, and over all others; `null` where that cannot be counted. */
  readonly used: { readonly recorded: number; readonly generated: number } | null;
  /** Other hooks of the pack that have it too. */
  readonly others: readonly string[];
}

// ---- reads -------------------------------------------------------------------------------------------------------

export interface ReadsSection {
  /** What the manifest declares, as it is granted. */
  readonly declared: readonly string[];
  /** Most often read first. */
  readonly paths: readonly ReadPath[];
  /** Of the context: `tenant`, `state`, `config.allow`, `time`, and `(clock)` and `(chance)` for `Date` and `Math.random`. */
  readonly context: readonly ReadPath[];
  /** The least `reads` with which every run would have gone as it did. */
  readonly smallest: readonly string[];
  /** Declared paths of which nothing was ever read. */
  readonly unused: readonly string[];
  /** Calls that were recorded, and calls whose record was lost because the recording program reached a limit. */
  readonly recorded: number;
  readonly lost: number;
  readonly interference: Interference;
}

export interface ReadPath {
  /** `tool_input.command`; `*` stands for every index of an array. */
  readonly path: string;
  /** Times that a value was read here. */
  readonly values: number;
  /** Times that was asked whether it is there. */
  readonly asked: number;
  /** Times that its keys were listed: by a loop, spread, `Object.keys` or `JSON.stringify`. */
  readonly listed: number;
  /** Calls in which any of it happened. */
  readonly calls: number;
  readonly events: readonly EventName[];
  /** Whether it was there at least once. */
  readonly present: boolean;
}

/** The check that what was not read does not matter. */
export interface Interference {
  /** Calls that were made again with everything changed that was not read. */
  readonly checked: number;
  /** Fields in which the answer was found to depend although no read was recorded. */
  readonly leaks: readonly { readonly path: string; readonly event: GuestText }[];
}

// ---- behaviour ---------------------------------------------------------------------------------------------------

export interface BehaviourSection {
  readonly events: readonly EventBehaviour[];
  /** Pairs of nearest events with different verdicts: where the hook draws its lines. */
  readonly conditions: readonly Condition[];
  /** Outputs by their shape, most frequent first. */
  readonly clusters: readonly OutputCluster[];
  /** Texts that it was seen to write, at most 60. */
  readonly texts: readonly EmittedText[];
  readonly determinism: Determinism;
  readonly state: StateBehaviour | null;
  /** What turned its answer, one input changed at a time. */
  readonly triggers: readonly Trigger[];
}

export interface EventBehaviour {
  readonly event: EventName;
  readonly calls: number;
  /** Times each action was returned; `(nothing)` for no answer, `(fault)` for a fault. */
  readonly actions: { readonly [action: string]: number };
  readonly faults: { readonly [code in FaultCode]?: number };
}

/** Two events as near as could be found, with different verdicts. */
export interface Condition {
  readonly event: EventName;
  /** Where they differ; `null` where they differ in several fields. */
  readonly path: string | null;
  readonly a: { readonly verdict: string; readonly shown: GuestText; readonly origin: string };
  readonly b: { readonly verdict: string; readonly shown: GuestText; readonly origin: string };
  /** How far they are from each other: characters that differ. */
  readonly distance: number;
}

export interface OutputCluster {
  readonly event: EventName;
  /** The output with all that varies replaced by `…`. */
  readonly shape: GuestText;
  readonly verdict: string;
  readonly count: number;
  readonly example: GuestText;
}

export interface EmittedText {
  readonly action: string;
  /** Who reads it. */
  readonly to: "model" | "person" | "both";
  readonly text: GuestText;
  readonly count: number;
  /** Fields of the event or the context whose data stands in it, and how it was put there. */
  readonly carries: readonly { readonly path: string; readonly as: Encoding; readonly characters: number }[];
}

/** How data of an event stands in a text. */
export type Encoding =
  | "verbatim"
  | "base64"
  | "hex"
  | "reversed"
  | "percent"
  | "code points"
  | "invisible"
  | "case"
  | "rotated"
  | "state";

export interface Determinism {
  /** Calls that were made again with the same input and gave another answer. */
  readonly repeated: { readonly checked: number; readonly different: number };
  /** Calls in another order. */
  readonly shuffled: { readonly checked: number; readonly different: number };
  /** Calls on the other engine; `null` where it is not installed. */
  readonly engines: { readonly checked: number; readonly different: number } | null;
  /** Calls with the recording program, which must answer as the program itself. */
  readonly watched: { readonly checked: number; readonly different: number };
}

export interface StateBehaviour {
  readonly writes: number;
  readonly largestBytes: number;
  readonly examples: readonly GuestText[];
  /** Fields of events whose data it keeps. */
  readonly keeps: readonly string[];
}

/** What an answer turned out to depend on. */
export interface Trigger {
  readonly kind:
    | "tenant"
    | "time"
    | "session"
    | "chance"
    | "state"
    | "config"
    | "size"
    | "unicode"
    | "text"
    | "name"
    | "field"
    | "prototype"
    | "type";
  readonly event: EventName;
  /** What was changed, such as `tenant`, `time` or `tool_input.command`. */
  readonly path: string;
  readonly from: GuestText;
  readonly to: GuestText;
  readonly before: string;
  readonly after: string;
  /** Whether the verdict afterwards holds the agent back less. */
  readonly opens: boolean;
}

// ---- cost --------------------------------------------------------------------------------------------------------

export interface CostSection {
  readonly events: readonly EventCost[];
}

export interface EventCost {
  readonly event: EventName;
  readonly calls: number;
  readonly steps: Quantiles | null;
  readonly memoryBytes: Quantiles | null;
  /** The same event in growing sizes. */
  readonly curve: readonly CostPoint[];
  /** The field that grew; `null` where there is none to grow. */
  readonly field: string | null;
  /** Power of the size by which steps grow: 1 is linear, 2 quadratic; `null` where too little grows. */
  readonly exponent: number | null;
  /** Where a limit falls. */
  readonly falls: {
    readonly limit: string;
    readonly inputBytes: number;
    readonly basis: "reached" | "fitted";
  } | null;
}

export interface CostPoint {
  readonly inputBytes: number;
  readonly steps: number | null;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly fault: string | null;
}

export interface Quantiles {
  readonly min: number;
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

// ---- attack surface ----------------------------------------------------------------------------------------------

export interface AttackSection {
  readonly probes: readonly AttackProbe[];
}

/** One kind of hostile event, and what became of it. */
export interface AttackProbe {
  /** Such as `deep nesting`, `1 MiB text`, `look-alike letters`. */
  readonly name: string;
  readonly event: EventName;
  readonly tried: number;
  readonly faults: { readonly [code in FaultCode]?: number };
  /** Times that a verdict fell below what the plain event got. */
  readonly opened: number;
  /** Times that text of the event's author reached the model or a person through the hook. */
  readonly smuggled: number;
  readonly note: string | null;
}

// ---- code --------------------------------------------------------------------------------------------------------

export interface CodeSection {
  /** First what to look at first: branches that no run has taken. */
  readonly uncovered: readonly UncoveredBranch[];
  readonly coverage: {
    /** Ways of branches, functions and cases that were taken, and those there are. Code of npm packages is not counted. */
    readonly own: { readonly taken: number; readonly all: number };
    readonly packages: { readonly taken: number; readonly all: number };
  };
  readonly constructs: readonly Construct[];
  readonly modules: readonly ModuleOrigin[];
  readonly bytes: number;
  /** The bundled source, for people who want to read it; cut at 256 KiB. */
  readonly source: GuestText;
}

export interface UncoveredBranch {
  readonly place: CodePlace;
  readonly endLine: number;
  readonly kind:
    "then" | "else" | "case" | "and" | "or" | "nullish" | "loop" | "function" | "catch" | "choice";
  /** The condition as it stands in the program. */
  readonly condition: GuestText;
  /** The code that never ran. */
  readonly code: GuestText;
  /** What the condition was seen to depend on. */
  readonly dependsOn: readonly string[];
  /** In the hook's own code, not in an npm package. */
  readonly own: boolean;
  /** Whether it may let a step go, change it or write a text: approval needs it run, or read and accepted. */
  readonly opens: boolean;
  /** How much it deserves a look: 0 to 100. */
  readonly weight: number;
}

/** Something in the syntax tree that deserves a look. */
export interface Construct {
  readonly code: ReviewCode;
  readonly severity: Severity;
  readonly place: CodePlace;
  readonly excerpt: GuestText;
  readonly reason: string;
}

export interface ModuleOrigin {
  /** `pack:` and a path of the pack, `modules:` and a path of a package, or `hookwarden:` for our helpers. */
  readonly path: string;
  readonly package: string | null;
  readonly version: string | null;
  /** As its `package.json` says; not verified. */
  readonly licence: string | null;
  /** What is left of it in the program. */
  readonly bytes: number;
  /** Whether its source has very long lines, so that people cannot read it. */
  readonly minified: boolean;
}

// ---- since last time ---------------------------------------------------------------------------------------------

export interface SinceLastTime {
  readonly old: { readonly name: string | null; readonly version: string | null; readonly pack: string };
  readonly hooks: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    readonly same: readonly string[];
  };
  readonly powers: readonly {
    readonly hook: string | null;
    readonly power: string;
    readonly what: string;
    /** Whether it grew: to be shown in red. */
    readonly opens: boolean;
  }[];
  readonly groups: readonly {
    readonly hook: string | null;
    readonly event: EventName;
    readonly kind: string;
    readonly change: string;
    readonly opens: boolean;
    readonly count: number;
    readonly example: { readonly event: GuestText; readonly old: GuestText; readonly new: GuestText };
  }[];
  /** Changed lines of the bundled programs, by hook: `-` before those of the old version, `+` before the new ones. */
  readonly sources: readonly { readonly hook: string; readonly lines: GuestText }[];
  /** Events that now hold the agent back less. */
  readonly loosenings: number;
  readonly explored: number;
}

// ---- verdict sheet -----------------------------------------------------------------------------------------------

export interface VerdictSheet {
  readonly counts: SeverityCounts;
  /** What the findings suggest. A person decides. */
  readonly suggestion: "refuse" | "look" | "approve";
  readonly why: string;
  /** `sha256:` of all findings: what a review record says it has seen. */
  readonly findingsDigest: string;
}
