import { createHash } from "node:crypto";
import { defaultLimits, type Limits } from "@hookwarden/sandbox";
import type { ActionName } from "../../src/catalogue/actions.ts";
import type { EventName } from "../../src/catalogue/events.ts";
import { actionNames } from "../../src/catalogue/lookup.ts";
import { failurePolicies } from "../../src/pack/failure-policy.ts";
import type {
  Budgets,
  FailurePolicy,
  HookMode,
  InjectRole,
  LoadedHook,
  LoadedPack,
  StateDeclaration,
} from "../../src/pack/types.ts";
import { type FakeProgram, FakeSandbox } from "./fake-sandbox.ts";

/** One hook of a pack made for a test. Everything has a default but its name and what it does. */
export interface FakeHook {
  readonly name: string;
  readonly run: FakeProgram;
  readonly on?: readonly (EventName | { readonly event: EventName; readonly matcher: RegExp })[];
  readonly reads?: readonly string[];
  readonly asked?: readonly ActionName[];
  /** Default: what is asked. */
  readonly granted?: readonly ActionName[];
  readonly roles?: readonly InjectRole[];
  readonly priority?: number;
  readonly mode?: HookMode;
  /** Default: as the catalogue would have it. */
  readonly onFailure?: FailurePolicy;
  readonly limits?: Partial<Limits>;
  readonly state?: StateDeclaration;
  readonly config?: unknown;
}

export interface FakePackOptions {
  readonly budgets?: Partial<Budgets>;
  readonly monitor?: boolean;
}

let made = 0;

/** A loaded pack, without files: its programs are functions that `sandbox` runs. */
export function fakePack(
  sandbox: FakeSandbox,
  hooks: readonly FakeHook[],
  options: FakePackOptions = {},
): LoadedPack {
  const loaded = hooks.map((hook, order) => load(sandbox, hook, order));
  return {
    manifest: { apiVersion: 1, hooks: hooks.map(({ name }) => name) },
    digest: `sha256:${createHash("sha256")
      .update(JSON.stringify([++made, hooks]))
      .digest("hex")}`,
    hooks: loaded,
    budgets: { decisionMs: 10_000, maxHooks: 100, injectionBytes: 65_536, ...options.budgets },
    monitor: options.monitor ?? false,
  };
}

function load(sandbox: FakeSandbox, hook: FakeHook, order: number): LoadedHook {
  const subscriptions = (hook.on ?? ["PreToolUse"]).map((on) =>
    typeof on === "string" ? { event: on } : on,
  );
  const asked = hook.asked ?? actionNames;
  const granted = new Set<ActionName>(["continue", ...(hook.granted ?? asked)]);
  const key = `fake:${++made}`;
  sandbox.define(key, hook.run);
  return {
    manifest: {
      apiVersion: 1,
      name: hook.name,
      version: "1.0.0",
      entry: "hook.js",
      on: subscriptions.map(({ event }) => ({ event })),
      reads: [...(hook.reads ?? ["*"])],
      actions: [...asked],
      ...(hook.onFailure === undefined ? {} : { onFailure: hook.onFailure }),
    },
    name: hook.name,
    version: "1.0.0",
    digest: key,
    order,
    priority: hook.priority ?? 100,
    mode: hook.mode ?? "sequential",
    on: subscriptions.map((on) => ({
      event: on.event,
      matcher:
        "matcher" in on ? { source: on.matcher.source, test: (name: string) => on.matcher.test(name) } : null,
      when: null,
    })),
    reads: hook.reads ?? ["*"],
    asked: new Set<ActionName>(["continue", ...asked]),
    granted,
    roles: new Set(hook.roles ?? ["user"]),
    onFailure: failurePolicies(
      subscriptions.map(({ event }) => event),
      granted,
      hook.onFailure,
      undefined,
    ),
    limits: { ...defaultLimits, ...hook.limits },
    state: hook.state ?? null,
    configJson: JSON.stringify(hook.config ?? {}),
    program: { key, name: hook.name, source: "" },
    notes: [],
  };
}
