import type { FaultCode } from "@hookwarden/sandbox";
import type { EventName } from "hookwarden/catalogue";
import type { ReviewCode, Severity } from "./codes.ts";
import type { CodePlace, GuestText } from "./report-text.ts";

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

/** A package that hooks are compiled with. */
export interface Dependency {
  readonly name: string;
  readonly version: string | null;
  /** As its `package.json` says; not verified. */
  readonly licence: string | null;
  /** Names of the hooks that have code of it. */
  readonly hooks: readonly string[];
  /** Address in the lockfile; `null` where it has none. */
  readonly origin: GuestText | null;
  /** Whether the lockfile has a checksum. */
  readonly integrity: boolean;
  /** Whether a lockfile lists it. */
  readonly locked: boolean;
  /** Scripts that npm runs when it is installed. */
  readonly installScripts: readonly string[];
  /** When its version was published; `null` where npm's cache does not say. */
  readonly published: string | null;
  /** Files in the hooks that differ from those of the published package; `null` where npm's cache does not have it. */
  readonly changed: readonly string[] | null;
}
