import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EngineName, Sandbox } from "@hookwarden/sandbox";
import { createProcessSandbox } from "@hookwarden/sandbox/process";
import type { Decision, TraceEntry } from "../../src/broker/decision.ts";
import { type ActionName, actionNames, actionRows } from "../../src/catalogue/index.ts";
import type { EventName } from "../../src/catalogue/events.ts";
import { createDialect } from "../../src/dialects/index.ts";
import type { Translator } from "../../src/dialects/translator.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { acceptHooks, completePack } from "../../src/pack/index.ts";
import { sha256 } from "../../src/files/index.ts";
import type { HookManifest, LoadedPack, PackManifest } from "../../src/pack/types.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";

/** A hook of a system's rule, with as little said as can be. */
export interface RuleHook {
  readonly name: string;
  readonly on: EventName | readonly EventName[];
  readonly matcher?: string;
  /** What it returns, whatever comes. */
  readonly returns?: unknown;
  /** What it does, as the text of a function or of an object of functions. */
  readonly does?: string;
  /** Default: everything that its mode allows, granted too; `set_state` with `state` only. */
  readonly actions?: readonly ActionName[];
  readonly reads?: readonly string[];
  readonly priority?: number;
  readonly mode?: HookManifest["mode"];
  readonly state?: HookManifest["state"];
  readonly onFailure?: HookManifest["onFailure"];
}

/** A pack of such hooks, in the order given, through all rules of manifests; only the bundler is left out. */
export function packOf(hooks: readonly RuleHook[], more: Partial<PackManifest> = {}): LoadedPack {
  const manifests = hooks.map((hook): HookManifest => {
    const {
      name,
      on,
      matcher,
      mode,
      state,
      priority,
      onFailure,
      reads = ["*"],
      actions = actionsOf(hook),
    } = hook;
    const events = typeof on === "string" ? [on] : on;
    return {
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: events.map((event) => ({ event, ...(matcher === undefined ? {} : { matcher }) })),
      reads,
      actions,
      // A loaded machine must not decide what a rule says.
      limits: { wallMs: 5_000 },
      ...(mode === undefined ? {} : { mode }),
      ...(state === undefined ? {} : { state }),
      ...(priority === undefined ? {} : { priority }),
      ...(onFailure === undefined ? {} : { onFailure }),
    };
  });
  const manifest: PackManifest = {
    apiVersion: 1,
    hooks: hooks.map(({ name }) => name),
    grants: Object.fromEntries(
      manifests.map(({ name, actions }) => [name, { actions, roles: ["user", "system"] }]),
    ),
    ...more,
    budgets: { decisionMs: 10_000, ...more.budgets },
  };
  const accepted = acceptHooks(
    manifest,
    manifests.map((one) => ({ folder: one.name, manifest: one })),
  );
  const programs = hooks.map(({ name, returns, does }) => {
    const source = `export default ${does ?? `() => (${JSON.stringify(returns ?? null)})`};\n`;
    return { key: sha256(source), name, source };
  });
  return completePack(manifest, accepted, programs);
}

function actionsOf({ mode, state }: RuleHook): readonly ActionName[] {
  return actionNames.filter((name) => {
    if (name === "continue" || (name === "set_state" && !state)) return false;
    return mode !== "parallel" || actionRows.get(name)?.kind === "addition";
  });
}

/** A host of the system under test, with the hooks of one rule registered. */
export interface Host {
  readonly warden: Warden;
  readonly translator: Translator;
  /** Hands over one message as JSON text, and gives the answer as a host would parse it. */
  say(message: unknown): Promise<any>;
  /** What was decided last, for what an answer does not tell. */
  readonly last: Decision;
  /** The hooks that ran for the last message, with what became of them; second runs of guards are left out. */
  readonly ran: readonly string[];
}

export interface RuleBook {
  /**
   * One documented rule.
   *
   * @param title its place in the documentation, and what it says, in our words.
   */
  rule(
    title: string,
    hooks: readonly RuleHook[],
    check: (host: Host) => Promise<void>,
    pack?: Partial<PackManifest>,
  ): void;
}

/** Runs the rules of one system on both engines, in child processes, as hosts would. */
export function conformance(dialect: string, define: (book: RuleBook) => void): void {
  for (const engine of ["quickjs", "isolate"] as const satisfies readonly EngineName[]) {
    describe(`${dialect} on ${engine}`, () => {
      let sandbox: Sandbox | undefined;
      beforeAll(async () => void (sandbox = await createProcessSandbox({ engine, pristine: true })));
      afterAll(async () => sandbox?.[Symbol.asyncDispose]());
      define({
        rule: (title, hooks, check, pack) =>
          test(title, async () => {
            await using warden = await createWarden({
              pack: packOf(hooks, pack),
              sandbox: sandbox as Sandbox,
            });
            await check(hostOf(warden, dialect));
          }),
      });
    });
  }
}

export function hostOf(warden: Warden, dialect: string): Host {
  const translator = createDialect(warden, dialect);
  let last: Decision | null = null;
  return {
    warden,
    translator,
    async say(message) {
      const reply = await translator.reply(JSON.stringify(message));
      last = reply.decision;
      return JSON.parse(JSON.stringify(reply.answer));
    },
    get last() {
      if (!last) throw new Error("nothing was decided");
      return last;
    },
    get ran() {
      return this.last.trace.filter(didRun).map(({ hook, outcome }) => `${hook} ${outcome}`);
    },
  };
}

function didRun({ outcome, recheck }: TraceEntry): boolean {
  return !recheck && outcome !== "not-run" && outcome !== "not-matched";
}

/** The error of a host's message, or of a decision that cannot be said. */
export async function errorOf(answer: Promise<unknown>): Promise<HookwardenError> {
  const error = await answer.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HookwardenError);
  return error as HookwardenError;
}
