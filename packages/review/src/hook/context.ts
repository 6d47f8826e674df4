import type { Sandbox } from "@hookwarden/sandbox";
import type { CompiledModule } from "hookwarden/compile";
import type { Suite } from "hookwarden/check";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import type { Draft } from "../draft.ts";
import type { SweepWords } from "../explore/sweeps.ts";
import { CodeAnalysis } from "../program/analysis.ts";
import { Coverage } from "../program/coverage.ts";
import { ProgramText } from "../program/text.ts";
import { ownNumbers, ownWords, propertyNames } from "../program/words.ts";
import type { Input } from "../run/input.ts";
import { type InstrumentedRun, Runner } from "../run/runner.ts";
import type { HostSettings } from "./powers.ts";
import { ReadTree } from "./read-tree.ts";

/** What a hook is reviewed with. */
export interface HookSubject {
  readonly hook: LoadedHook;
  readonly pack: LoadedPack;
  readonly modules: readonly CompiledModule[];
  /** Source map of the program; `null` where there is none. */
  readonly map: string | null;
  readonly cases: readonly Input[];
  readonly suite: Suite | null;
  /** Packages that could not be compared with what was published. */
  readonly unverified?: ReadonlySet<string>;
}

export interface HookParts {
  readonly recorded: readonly Input[];
  readonly sandbox: Sandbox;
  /** A sandbox of the other engine; `null` where there is none. */
  readonly other: Sandbox | null;
  readonly host: HostSettings;
  readonly signal: AbortSignal;
  readonly progress: (what: string) => void;
}

/** A program with more branches than this has a library in it: each instrumented call costs several times as much. */
const largeProgram = 1_500;

/** The review of one hook while it is under way. */
export class ReviewContext {
  readonly subject: HookSubject;
  readonly parts: HookParts;
  readonly runner: Runner;
  readonly text: ProgramText;
  readonly analysis: CodeAnalysis;
  readonly coverage = new Coverage();
  readonly tree = new ReadTree();
  readonly drafts: Draft[] = [];
  readonly size: "small" | "large";
  /** What inputs are made of. */
  readonly words: SweepWords;

  constructor(subject: HookSubject, parts: HookParts) {
    const { hook, pack } = subject;
    this.subject = subject;
    this.parts = parts;
    this.runner = new Runner(pack, hook, parts.sandbox, parts.signal);
    this.text = new ProgramText(hook.program.source, subject.map);
    const { atoms, branches } = this.runner.light;
    this.analysis = new CodeAnalysis(this.text, atoms, hook.reads, subject.unverified);
    this.size = branches.length > largeProgram ? "large" : "small";
    this.words = {
      words: ownWords(this.text),
      properties: propertyNames(this.text),
      numbers: ownNumbers(this.text),
    };
  }

  /** Takes what an instrumented run has recorded. */
  note(run: InstrumentedRun | null): void {
    if (!run?.watched) return;
    this.tree.add(run.event, run.watched);
    if (!run.input.spliced) this.coverage.add(run.watched);
  }
}
