import { describe, expect, it } from "vitest";
import { actionNames, eventNames, eventRows, legalActions } from "../../src/catalogue/lookup.ts";
import { defaultLimits } from "@hookwarden/sandbox";
import {
  acceptHooks,
  checkHookManifest,
  checkPackManifest,
  completePack,
  canReturnStrongVerdict,
  type LoadedHook,
  type LoadedPack,
} from "../../src/pack/index.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { hookManifest } from "./packs.ts";

/** Puts a pack of one hook together without its script. */
function assemble(changes: object = {}, pack: object = {}, source = "export default 1"): LoadedPack {
  const manifest = checkPackManifest({ apiVersion: 1, hooks: ["guard"], ...pack });
  const hook = checkHookManifest(JSON.parse(JSON.stringify(hookManifest({ ...changes }))));
  const accepted = acceptHooks(manifest, [{ folder: "guard", manifest: hook }]);
  return completePack(manifest, accepted, [{ key: `sha256:${source}`, name: "guard", source }]);
}

function guard(changes: object = {}, pack: object = {}): LoadedHook {
  const [hook] = assemble(changes, pack).hooks;
  if (!hook) throw new Error("no hook");
  return hook;
}

function problem(changes: object = {}, pack: object = {}): HookwardenError {
  try {
    assemble(changes, pack);
  } catch (error) {
    if (error instanceof HookwardenError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

function outcome(changes: object): unknown {
  try {
    assemble(changes);
    return "accepted";
  } catch (error) {
    const { code, place } = error as HookwardenError;
    return { code, place };
  }
}

const on = (...events: string[]): object[] => events.map((event) => ({ event }));

describe("a hook gets what it asks for and is granted", () => {
  it("grants everything but `allow` by default", () => {
    const hook = guard({ actions: ["deny", "ask", "allow"] });
    expect([...hook.asked]).toEqual(["continue", "deny", "ask", "allow"]);
    expect([...hook.granted]).toEqual(["continue", "deny", "ask"]);
  });

  // Attack (man-022): an update asks for more than what was granted by name before.
  it("grants the intersection of manifest and grant", () => {
    const grants = { guard: { actions: ["deny", "allow"] } };
    expect([...guard({ actions: ["deny", "ask", "allow", "halt"] }, { grants }).granted]).toEqual([
      "continue",
      "deny",
      "allow",
    ]);
    expect([...guard({ actions: ["deny"] }, { grants }).granted]).toEqual(["continue", "deny"]);
    expect([...guard({ actions: ["deny"] }, { grants: { guard: { actions: [] } } }).granted]).toEqual([
      "continue",
    ]);
  });

  it.each<[string[], string[], string[]]>([
    [["tool_input.command"], ["tool_input"], ["tool_input.command"]],
    [["tool_input"], ["tool_input.command"], ["tool_input.command"]],
    [["tool_input", "cwd"], ["cwd", "tool_name"], ["cwd"]],
    [["*"], ["tool_input.command", "cwd"], ["tool_input.command", "cwd"]],
    [["tool_input.command", "x_extra"], ["*"], ["tool_input.command"]],
    [["x_extra.a"], ["x_extra"], ["x_extra.a"]],
    [["*"], ["x_extra"], []],
    [
      ["*", "x_extra"],
      ["*", "x_extra"],
      ["*", "x_extra"],
    ],
    [["tool_input.commander"], ["tool_input.command"], []],
    [["tool_input.command", "tool_input"], ["tool_input"], ["tool_input"]],
    [["tool_input.command"], [], []],
  ])("reading %j where %j is granted is reading %j", (asked, granted, reads) => {
    expect(guard({ reads: asked }, { grants: { guard: { reads: granted } } }).reads).toEqual(reads);
  });

  it("reads what it asks for where no grant speaks of it, without paths that others cover", () => {
    expect(guard({ reads: ["tool_input.command", "tool_input", "x_extra"] }).reads).toEqual([
      "tool_input",
      "x_extra",
    ]);
    expect(guard({ reads: ["*", "cwd", "x_extra"] }).reads).toEqual(["*", "x_extra"]);
  });

  it("roles of injected messages", () => {
    expect([...guard().roles]).toEqual(["user"]);
    expect([...guard({}, { grants: { guard: { roles: ["user", "system"] } } }).roles]).toEqual([
      "user",
      "system",
    ]);
    expect([...guard({}, { grants: { guard: { roles: [] } } }).roles]).toEqual([]);
  });

  it("limits: its own, else the pack's, else ours, never more than the grant", () => {
    expect(guard().limits).toEqual(defaultLimits);
    const pack = {
      defaults: { limits: { wallMs: 50, stackKb: 512 } },
      grants: { guard: { limits: { stackKb: 300, steps: 20_000 } } },
    };
    expect(guard({ limits: { wallMs: 200 } }, pack).limits).toEqual({
      ...defaultLimits,
      wallMs: 200,
      stackKb: 300,
      steps: 20_000,
    });
    expect(problem({ limits: { stackKb: 301 } }, pack)).toMatchObject({
      code: "policy-invalid",
      place: { file: "guard/hook.json", pointer: "/limits/stackKb" },
    });
    expect(guard({ limits: { stackKb: 300 } }, pack).limits.stackKb).toBe(300);
  });

  // A hook may be called like a member that every object has.
  it("what stands under its own name only", () => {
    const manifest = checkPackManifest({ apiVersion: 1, hooks: ["constructor"], grants: {}, config: {} });
    const hook = checkHookManifest(hookManifest({ name: "constructor", actions: ["deny", "allow"] }));
    const [accepted] = acceptHooks(manifest, [{ folder: "constructor", manifest: hook }]);
    expect([...(accepted?.hook.granted ?? [])]).toEqual(["continue", "deny"]);
    expect(accepted?.hook.configJson).toBe("{}");
  });
});

describe("a hook that may rewrite a field reads it whole", () => {
  // Attack: a rewrite built from `tool_input.command` alone drops the `timeout` that a person has approved.
  it.each<[string, string, string[], boolean]>([
    ["PreToolUse", "modify_input", ["tool_input"], true],
    ["PreToolUse", "modify_input", ["*"], true],
    ["PreToolUse", "modify_input", ["tool_input.command"], false],
    ["PreToolUse", "modify_input", [], false],
    ["PreToolUse", "modify_input", ["tool_inputs"], false],
    ["PostToolUse", "replace_result", ["tool_response"], true],
    ["PostToolUse", "replace_result", ["tool_response.text"], false],
    ["UserPromptSubmit", "transform", ["messages"], false],
    ["PreModelRequest", "replace_messages", ["messages"], true],
    ["PreModelRequest", "set_params", ["params.temperature"], false],
    // Legal nowhere that it listens: it can never rewrite.
    ["Stop", "modify_input", [], true],
  ])("%s with %s, reading %j: %j", (event, action, reads, accepted) => {
    const changes = { on: on(event), actions: [action], reads };
    const place = { file: "guard/hook.json", pointer: "/reads" };
    expect(outcome(changes)).toEqual(accepted ? "accepted" : { code: "reads-insufficient", place });
  });

  it("checks reads after the grant, not before it", () => {
    const changes = { actions: ["modify_input"], reads: ["tool_input"] };
    expect(problem(changes, { grants: { guard: { reads: ["tool_input.command"] } } }).code).toBe(
      "reads-insufficient",
    );
    // Without the action there is nothing to rewrite.
    guard(changes, { grants: { guard: { reads: ["tool_input.command"], actions: [] } } });
  });
});

describe("matchers stand where there is something to match", () => {
  it.each(eventNames.map((event) => [event] as const))("%s", (event) => {
    const place = { file: "guard/hook.json", pointer: "/on/0/matcher" };
    const expected =
      eventRows.get(event)?.matches === undefined ? { code: "matcher-invalid", place } : "accepted";
    for (const matcher of ["x.*", "x", "*"]) {
      expect(outcome({ on: [{ event, matcher }], actions: [], reads: [] })).toEqual(expected);
    }
  });
});

describe("what becomes of a fault", () => {
  const policies = (changes: object, pack: object = {}): object =>
    Object.fromEntries(guard(changes, pack).onFailure);

  it("is closed by default exactly where the event can be closed and the hook guards it", () => {
    for (const event of eventNames) {
      for (const action of actionNames) {
        const state = { scope: "session", maxBytes: 10 };
        const hook = guard(
          { on: on(event), actions: [action], reads: ["*"], state },
          { grants: { guard: { actions: [action] } } },
        );
        const row = eventRows.get(event);
        const can = legalActions(event).has(action) && !["continue", "allow"].includes(action);
        const additions = ["augment", "inject", "add_context", "notify", "set_state"].includes(action);
        const expected = row?.closedAs && can && !additions ? "closed" : "open";
        expect([event, action, hook.onFailure.get(event)]).toEqual([event, action, expected]);
        expect(canReturnStrongVerdict(event, hook.granted)).toBe(can && !additions);
      }
    }
  });

  it("counts what is granted, not what is asked for", () => {
    expect(policies({}, { grants: { guard: { actions: [] } } })).toEqual({ PreToolUse: "open" });
  });

  // Attack (man-020): a stranger's guard that opens its gate when it crashes, and an input that makes it crash.
  it("cannot be opened by the manifest alone", () => {
    const hook = guard({ onFailure: "open" });
    expect(Object.fromEntries(hook.onFailure)).toEqual({ PreToolUse: "closed" });
    expect(hook.notes).toEqual([
      "asks for `onFailure: open`, which the pack does not grant; the default counts",
    ]);
    const granted = guard({ onFailure: "open" }, { grants: { guard: { onFailure: "open" } } });
    expect(Object.fromEntries(granted.onFailure)).toEqual({ PreToolUse: "open" });
    expect(granted.notes).toEqual([]);
    // The grant alone opens nothing that does not ask for it.
    expect(policies({}, { grants: { guard: { onFailure: "open" } } })).toEqual({ PreToolUse: "closed" });
  });

  it("is what the pack says where the hook says nothing", () => {
    expect(policies({}, { defaults: { onFailure: "open" } })).toEqual({ PreToolUse: "open" });
    const both = { on: on("PreToolUse", "Stop"), actions: ["notify"] };
    expect(policies(both, { defaults: { onFailure: "closed" } })).toEqual({
      PreToolUse: "closed",
      Stop: "open",
    });
    expect(policies({ onFailure: "closed" }, { defaults: { onFailure: "open" } })).toEqual({
      PreToolUse: "closed",
    });
  });

  it("cannot fail closed at an event that has no fail-closed verdict", () => {
    const error = problem({ on: on("PreToolUse", "Stop"), actions: ["halt"], onFailure: "closed" });
    expect(error).toMatchObject({
      code: "policy-invalid",
      place: { file: "guard/hook.json", pointer: "/onFailure" },
    });
    expect(error.message).toContain("Stop");
    expect(policies({ on: on("PostToolUse"), actions: ["augment"], onFailure: "closed" })).toEqual({
      PostToolUse: "closed",
    });
  });
});

describe("rules between the parts of a manifest", () => {
  it.each(actionNames.map((action) => [action] as const))("a parallel hook with %s", (action) => {
    const changes = {
      mode: "parallel",
      on: on("PostToolUse"),
      actions: [action],
      reads: ["*"],
      state: { scope: "session", maxBytes: 10 },
    };
    const additions = ["continue", "augment", "inject", "add_context", "notify", "set_state"];
    const refused = { code: "policy-invalid", place: { file: "guard/hook.json", pointer: "/actions/0" } };
    expect(outcome(changes)).toEqual(additions.includes(action) ? "accepted" : refused);
    // In the chain, and watched without effect, it may ask for it.
    expect(outcome({ ...changes, mode: "monitor" })).toBe("accepted");
    expect(outcome({ ...changes, mode: "sequential" })).toBe("accepted");
  });

  it("`set_state` needs a state", () => {
    expect(problem({ actions: ["set_state"] })).toMatchObject({
      code: "policy-invalid",
      place: { pointer: "/actions" },
    });
    expect(guard({ actions: ["set_state"], state: { scope: "tenant", maxBytes: 10 } }).state).toEqual({
      scope: "tenant",
      maxBytes: 10,
    });
    expect(guard().state).toBeNull();
  });

  it("priorities and modes have defaults, and hooks keep the order of the pack", () => {
    expect(guard()).toMatchObject({ priority: 100, mode: "sequential", order: 0 });
    const manifest = checkPackManifest({ apiVersion: 1, hooks: ["b", "a"] });
    const parts = ["b", "a"].map((name) => ({
      folder: name,
      manifest: checkHookManifest(hookManifest({ name, priority: 5 })),
    }));
    expect(acceptHooks(manifest, parts).map(({ hook }) => [hook.name, hook.order])).toEqual([
      ["b", 0],
      ["a", 1],
    ]);
  });
});

describe("digests", () => {
  const digests = (changes: object = {}, pack: object = {}, source?: string): [string, string] => {
    const made = assemble(changes, pack, source);
    return [made.digest, made.hooks[0]?.digest ?? ""];
  };
  const [pack, hook] = digests();

  it("are the same for the same pack, whatever the order of keys", () => {
    const reversed = Object.fromEntries(Object.entries(hookManifest()).reverse());
    const manifest = checkPackManifest({ hooks: ["guard"], apiVersion: 1 });
    const accepted = acceptHooks(manifest, [{ folder: "guard", manifest: checkHookManifest(reversed) }]);
    const made = completePack(manifest, accepted, [
      { key: "sha256:export default 1", name: "guard", source: "export default 1" },
    ]);
    expect([made.digest, made.hooks[0]?.digest]).toEqual([pack, hook]);
    expect(pack).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("change with everything that can change a decision", () => {
    const variants: [object, object, string?][] = [
      [{}, {}, "export default 2"],
      [{ actions: ["deny", "ask"] }, {}],
      [{ reads: ["tool_input"] }, {}],
      [{ limits: { wallMs: 5 } }, {}],
      [{}, { grants: { guard: { actions: ["deny"] } } }],
      [{ config: {} }, { config: { guard: { a: 1 } } }],
    ];
    const seen = new Set([hook]);
    for (const [changes, packChanges, source] of variants) {
      const [ofPack, ofHook] = digests(changes, packChanges, source);
      expect(ofPack).not.toBe(pack);
      expect(seen.has(ofHook)).toBe(false);
      seen.add(ofHook);
    }
    for (const change of [
      { monitor: true },
      { budgets: { maxHooks: 3 } },
      { defaults: { onFailure: "open" } },
    ]) {
      expect(digests({}, change)[0]).not.toBe(pack);
    }
  });
});
