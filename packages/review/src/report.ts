import type { EngineName } from "@hookwarden/sandbox";
import type { EventName } from "hookwarden/catalogue";
import type { HookMode } from "hookwarden/pack";
import type { ReviewCode, Severity } from "./codes.ts";
import type { BehaviourSection, PowersSection, ReadsSection } from "./report-behaviour.ts";
import type { AttackSection, CodeSection, CostSection, Dependency } from "./report-code.ts";
import type { CodePlace, Evidence, GuestText } from "./report-text.ts";

export type * from "./report-behaviour.ts";
export type * from "./report-code.ts";
export type * from "./report-text.ts";

/** Form of reports; a reader that knows another one must not guess. */
export const reportFormat = "hookwarden-review-1";

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
  /** Packages that are compiled into the hooks, by name. */
  readonly dependencies: readonly Dependency[];
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

export interface VerdictSheet {
  readonly counts: SeverityCounts;
  /** What the findings suggest. A person decides. */
  readonly suggestion: "refuse" | "look" | "approve";
  readonly why: string;
  /** `sha256:` of all findings: what a review record says it has seen. */
  readonly findingsDigest: string;
}
