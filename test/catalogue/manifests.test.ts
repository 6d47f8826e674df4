import { describe, expect, it } from "vitest";
import { limitTable } from "@hookwarden/sandbox";
import { validateHookManifest, validatePackManifest } from "../../src/catalogue/generated/validators.js";
import { actionNames, eventNames } from "../../src/catalogue/index.ts";
import { budgetTable } from "../../src/pack/limits.ts";
import {
  hookManifestSchema,
  namePattern,
  packManifestSchema,
  pathPattern,
  readPattern,
  versionPattern,
} from "../../src/pack/schema.ts";
import type { HookManifest, PackManifest } from "../../src/pack/types.ts";

const hook: HookManifest = {
  apiVersion: 1,
  name: "deny-shell",
  version: "1.2.3-rc.1+build.5",
  entry: "hook.ts",
  on: [{ event: "PreToolUse", matcher: "Bash|Edit" }],
  reads: ["tool_input.command"],
  actions: ["deny"],
};
const fullHook: HookManifest = {
  ...hook,
  $schema: "../../hook.schema.json",
  description: "Refuses a shell.",
  priority: -1000,
  mode: "parallel",
  onFailure: "closed",
  limits: { steps: 10_000, wallMs: 10_000 },
  state: { scope: "session", maxBytes: 1024 },
  config: { type: "object", anything: ["a stranger", { says: "here" }] },
};
const pack: PackManifest = { apiVersion: 1, hooks: [] };
const fullPack: PackManifest = {
  ...pack,
  $schema: "x",
  name: "company",
  version: "1.0.0",
  hooks: ["deny-shell", "more/redact-secrets"],
  config: { "deny-shell": { list: [1, null] } },
  grants: {
    "deny-shell": {
      actions: ["deny", "allow"],
      reads: ["*"],
      limits: { memoryKb: 1024 },
      roles: ["user", "system"],
      onFailure: "open",
    },
  },
  defaults: { limits: { wallMs: 50 }, onFailure: "closed" },
  budgets: { decisionMs: 500, maxHooks: 10, injectionBytes: 0 },
  monitor: true,
};

const hookAt = (change: object): boolean =>
  validateHookManifest(JSON.parse(JSON.stringify({ ...fullHook, ...change })));
const packAt = (change: object): boolean =>
  validatePackManifest(JSON.parse(JSON.stringify({ ...fullPack, ...change })));

describe("hook.json", () => {
  it("takes the smallest and the full manifest", () => {
    expect(validateHookManifest(hook), JSON.stringify(validateHookManifest.errors)).toBe(true);
    expect(validateHookManifest(Object.assign(Object.create(null), fullHook))).toBe(true);
  });

  it("names a missing and an unknown key", () => {
    for (const key of Object.keys(hook)) {
      expect(hookAt({ [key]: undefined }), key).toBe(false);
      expect(validateHookManifest.errors?.[0]?.params).toEqual({ missingProperty: key });
    }
    expect(hookAt({ prioirty: 1 })).toBe(false);
    expect(validateHookManifest.errors?.[0]?.params).toEqual({ additionalProperty: "prioirty" });
    expect(validateHookManifest(JSON.parse(`${JSON.stringify(hook).slice(0, -1)},"__proto__":{}}`))).toBe(
      false,
    );
    for (const nested of [
      { limits: { steps: 10_000, step: 1 } },
      { state: { scope: "session", maxBytes: 1, ttl: 1 } },
      { on: [{ event: "Stop", match: "x" }] },
    ]) {
      expect(hookAt(nested), JSON.stringify(nested)).toBe(false);
    }
  });

  it("takes every event and action of the catalogue, and no other", () => {
    for (const event of eventNames) expect(hookAt({ on: [{ event }] }), event).toBe(true);
    for (const event of ["preToolUse", "constructor", "", "PreToolUse "])
      expect(hookAt({ on: [{ event }] })).toBe(false);
    expect(hookAt({ actions: actionNames })).toBe(true);
    for (const action of ["Deny", "toString", ""]) expect(hookAt({ actions: [action] })).toBe(false);
    expect(hookAt({ actions: ["deny", "deny"] })).toBe(false);
    expect(hookAt({ actions: [] })).toBe(true);
  });

  it("takes 1 to 64 subscriptions, and matchers of up to 512 characters", () => {
    const on = (count: number): object => ({ on: Array.from({ length: count }, () => ({ event: "Stop" })) });
    expect([0, 1, 64, 65].map((count) => hookAt(on(count)))).toEqual([false, true, true, false]);
    expect(
      [512, 513].map((length) => hookAt({ on: [{ event: "Stop", matcher: "x".repeat(length) }] })),
    ).toEqual([true, false]);
  });

  it("takes each limit from its minimum to its ceiling", () => {
    for (const [name, { minimum, ceiling }] of Object.entries(limitTable)) {
      const at = (value: unknown): boolean => hookAt({ limits: { [name]: value } });
      expect([minimum, ceiling].map(at), name).toEqual([true, true]);
      expect([minimum - 1, ceiling + 1, minimum + 0.5, String(minimum), null].map(at), name).toEqual(
        Array.from({ length: 5 }, () => false),
      );
    }
  });

  it("takes a config that is an object, whatever is in it, and nothing else", () => {
    expect(hookAt({ config: { type: "no such type", $ref: "http://example.com", pattern: "(" } })).toBe(true);
    for (const config of [true, [], "x", 1, null])
      expect(hookAt({ config }), JSON.stringify(config)).toBe(false);
  });

  it("takes values of closed lists and ranges only", () => {
    const wrong = [
      { apiVersion: 2 },
      { apiVersion: "1" },
      { priority: 1001 },
      { priority: -1001 },
      { priority: 1.5 },
      { mode: "async" },
      { onFailure: "ignore" },
      { state: { scope: "global", maxBytes: 1 } },
      { state: { scope: "session" } },
      { state: { scope: "session", maxBytes: 0 } },
      { state: { scope: "session", maxBytes: 1_048_577 } },
      { reads: Array.from({ length: 257 }, (_, index) => `f${index}`) },
      { reads: ["a", "a"] },
    ];
    for (const change of wrong) expect(hookAt(change), JSON.stringify(change).slice(0, 80)).toBe(false);
  });
});

describe("hookwarden.json", () => {
  it("takes the smallest and the full manifest", () => {
    expect(validatePackManifest(pack)).toBe(true);
    expect(validatePackManifest(fullPack), JSON.stringify(validatePackManifest.errors)).toBe(true);
  });

  it("names a missing and an unknown key", () => {
    expect(packAt({ hooks: undefined })).toBe(false);
    expect(packAt({ apiVersion: undefined })).toBe(false);
    for (const nested of [
      { extra: 1 },
      { grants: { "deny-shell": { action: ["deny"] } } },
      { defaults: { mode: "monitor" } },
      { budgets: { hooks: 1 } },
    ]) {
      expect(packAt(nested), JSON.stringify(nested)).toBe(false);
      expect(validatePackManifest.errors?.[0]?.keyword).toBe("additionalProperties");
    }
  });

  it("takes up to 1,000 different hooks, inside the pack", () => {
    const hooks = (count: number): object => ({
      hooks: Array.from({ length: count }, (_, index) => `h${index}`),
    });
    expect([0, 1000, 1001].map((count) => packAt(hooks(count)))).toEqual([true, true, false]);
    expect(packAt({ hooks: ["a", "a"] })).toBe(false);
    for (const path of ["../a", "/a", "a/../../b", "a\\b", ""])
      expect(packAt({ hooks: [path] }), path).toBe(false);
  });

  it("speaks of hooks by names that a hook can have", () => {
    for (const name of ["Deny", "a b", "", "-a", "__proto__"]) {
      const keyed = JSON.parse(`{${JSON.stringify(name)}: {}}`) as object;
      expect(validatePackManifest({ ...pack, grants: keyed }), name).toBe(false);
      expect(validatePackManifest({ ...pack, config: keyed }), name).toBe(false);
    }
    // A legal name that every object has: only own keys count, so it is a hook like any other.
    expect(validatePackManifest({ ...pack, grants: { constructor: {} } })).toBe(true);
  });

  it("grants only what can be granted", () => {
    const grant = (value: object): boolean => packAt({ grants: { a: value } });
    expect(grant({})).toBe(true);
    for (const wrong of [
      { onFailure: "closed" },
      { roles: ["assistant"] },
      { roles: ["user", "user"] },
      { actions: ["x"] },
    ]) {
      expect(grant(wrong), JSON.stringify(wrong)).toBe(false);
    }
  });

  it("takes each budget from its minimum to its ceiling", () => {
    for (const [name, { minimum, ceiling, default: usual }] of Object.entries(budgetTable)) {
      const at = (value: unknown): boolean => packAt({ budgets: { [name]: value } });
      expect([minimum, usual, ceiling].map(at), name).toEqual([true, true, true]);
      expect([minimum - 1, ceiling + 1, "1"].map(at), name).toEqual([false, false, false]);
    }
  });
});

describe("patterns", () => {
  const table: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    [
      "name",
      namePattern,
      ["a", "a-b", "0", "a".repeat(64)],
      ["", "A", "-a", "a-", "a_b", "a.b", "a\n", "ä", "a".repeat(65)],
    ],
    [
      "version",
      versionPattern,
      ["0.0.0", "1.2.3", "1.0.0-alpha.1", "1.0.0-0a", "1.0.0+001", "1.0.0-a-b+c.d"],
      ["1", "1.2", "01.2.3", "v1.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3 ", "1.2.3-a..b", "^1.2.3"],
    ],
    [
      "path",
      pathPattern,
      ["hook.ts", "./hook.ts", "src/hook.ts", ".hidden/x", "a..b", "..a", "a/...", "ü x/y"],
      [
        "",
        ".",
        "..",
        "./",
        "../a",
        "a/..",
        "a/../b",
        "a/./b",
        "/a",
        "a//b",
        "a/",
        "a\\b",
        "c:/a",
        "a\u0000b",
        "a\n",
        "././a",
      ],
    ],
    [
      "read",
      readPattern,
      ["*", "tool_input", "tool_input.command", "a.b.c", "file path", "größe"],
      ["", ".", "a.", ".a", "a..b", "a.*", "*.a", "**", "a\u0000", "a\nb"],
    ],
  ];

  it.each(table)("%s takes and refuses what it should", (_, pattern, right, wrong) => {
    const regex = new RegExp(pattern, "u");
    for (const text of right) expect(regex.test(text), text).toBe(true);
    for (const text of wrong) expect(regex.test(text), JSON.stringify(text)).toBe(false);
  });

  it("refuses reads that go to a prototype", () => {
    for (const path of ["__proto__", "a.__proto__.b", "constructor", "tool_input.prototype"]) {
      expect(hookAt({ reads: [path] }), path).toBe(false);
    }
    expect(hookAt({ reads: ["constructors", "a.my__proto__"] })).toBe(true);
  });

  it("takes time in proportion to the text, also for text made to go back and forth", () => {
    const patterns = new Set(
      [
        ...JSON.stringify([hookManifestSchema(), packManifestSchema()]).matchAll(
          /"pattern":("(?:[^"\\]|\\.)*")/g,
        ),
      ].map(([, text]) => JSON.parse(text!) as string),
    );
    expect(patterns.size).toBeGreaterThanOrEqual(5);
    const count = 400_000;
    const hostile = [
      "a",
      "a-",
      "1.",
      "0",
      "./",
      "../",
      "a/",
      "..a",
      "a.",
      "1.1.1-0a.",
      "1.1.1-00",
      "-",
      "__proto__",
    ].flatMap((unit) => [`${unit.repeat(count)}\n`, `1.0.0-${unit.repeat(count)}\n`]);
    const start = performance.now();
    for (const pattern of patterns) for (const text of hostile) new RegExp(pattern, "u").test(text);
    // A quadratic pattern would take minutes.
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
