import type { DecidingWarden } from "@hookwarden/mediator";
import { fakeWarden } from "../../support/fake-warden.ts";
import type { FakeHook } from "../../support/fake-pack.ts";

/** A call that the model asks for. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly id: string;
}

/** What the model answers to a request: a text, or calls of tools with a text before them. */
export type Reply = string | { readonly says?: string; readonly calls: readonly Call[] };

/** A tool whose only parameter is a path. */
export interface Tool {
  readonly name: string;
  execute(input: { readonly path: string }): string;
}

/** What a run is made of. Its prompt is `my prompt`. */
export interface Setup {
  readonly warden: DecidingWarden;
  readonly replies: readonly Reply[];
  readonly tools: readonly Tool[];
  readonly system?: string;
  /** Options that all adapters have. */
  readonly options?: {
    readonly hold?: number;
    readonly timeoutMs?: number;
    readonly onNotice?: (notice: { readonly text: string }) => void;
  };
}

/** What came of a run. */
export interface Outcome {
  readonly text: string;
  /** Everything that anybody who watched was shown, as JSON, without ids of the framework. */
  readonly shown: string;
  readonly error: unknown;
  /** How many requests the model had. */
  readonly requests: number;
  /** What the model was sent in a request, as JSON. */
  asked(index: number): string;
  /** Goes on with a run that waits for a person, who says yes or no. */
  answer(approves: boolean): Promise<{ readonly text: string }>;
  /** Goes on with the conversation as a host does that keeps it. */
  next(prompt: string): Promise<void>;
}

/** An adapter under the contract: how its framework makes a run, and where frameworks differ. */
export interface Adapter {
  /** The ways to run an agent: each shows what happens in a way of its own. */
  readonly modes: readonly string[];
  /** Those in which hosts see texts in pieces. A text of the model comes in pieces of five characters. */
  readonly streaming: readonly string[];
  /** The session of every run. */
  readonly sessionId: string;
  /** Parameters of a request that hooks may not set. */
  readonly forbiddenParams: readonly string[];
  /** Whether an error that a tool throws ends the run. */
  readonly endsAtErrors: boolean;
  /** The text that is left of `good zzz.. end` where a hook drops the chunk in the middle. */
  readonly textAfterDrop: string;
  /** The error of a model whose script has no replies. */
  readonly noReply: string;
  run(mode: string, setup: Setup): Promise<Outcome>;
}

/** The hook of a test. */
export const hook = (on: FakeHook["on"], run: FakeHook["run"]): FakeHook => ({
  name: "guard",
  ...(on ? { on } : {}),
  run,
});

/** Runs an agent under hooks. */
export async function runWith(
  adapter: Adapter,
  mode: string,
  hooks: readonly FakeHook[],
  setup: Partial<Omit<Setup, "warden">>,
): Promise<Outcome> {
  const { warden } = await fakeWarden(hooks);
  return adapter.run(mode, { replies: [], tools: [], ...setup, warden });
}
