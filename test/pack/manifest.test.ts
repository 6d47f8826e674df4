import { describe, expect, it } from "vitest";
import {
  loadPackFromFiles,
  manifestTextLimits,
  readHookManifest,
  readPackManifest,
} from "../../src/pack/index.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { denyScript, errorOf, hookManifest, loadGuard, packFiles } from "./packs.ts";

function hookError(bytes: string | Uint8Array): HookwardenError {
  try {
    readHookManifest(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  } catch (error) {
    if (error instanceof HookwardenError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

const text = (changes: object = {}): string => JSON.stringify(hookManifest(changes));

describe("manifests are strict JSON", () => {
  // Attack (man-003): the stack of a reader that recurses overflows, and with it the host.
  it("nested 100,000 deep", () => {
    expect(hookError("[".repeat(100_000))).toMatchObject({ code: "pack-not-json" });
    expect(hookError(text().replace('"guard"', `${"[".repeat(100_000)}`))).toMatchObject({
      code: "pack-not-json",
    });
    const deep = '{"x":'.repeat(40) + "1" + "}".repeat(40);
    expect(hookError(text({ config: JSON.parse(deep) as object }))).toMatchObject({ code: "pack-not-json" });
  });

  // Attack (man-005): a key that reaches the prototype of every object where manifests are merged.
  it.each([
    '"constructor":{"prototype":{"allow":true}}',
    '"__proto__":{"actions":["allow"]}',
    '"prototype":{}',
    '"\\u005f_proto__":{}',
  ])("with the member %s", (member) => {
    const error = hookError(text().replace("{", `{${member},`));
    expect(error).toMatchObject({ code: "pack-not-json", place: { file: "hook.json", line: 1, column: 2 } });
    expect(({} as { allow?: unknown }).allow).toBeUndefined();
  });

  // Attack (man-007): the reviewer's tool shows the first value, the loader takes the last.
  it("with a key twice", async () => {
    expect(hookError(text().replace("{", '{"actions":[],'))).toMatchObject({
      code: "pack-not-json",
      place: { pointer: "/actions" },
    });
    const files = packFiles({ guard: hookManifest() });
    files.set("hookwarden.json", Buffer.from('{"apiVersion":1,"hooks":[],"hooks":["guard"]}'));
    const error = await errorOf(loadPackFromFiles(files));
    expect(error).toMatchObject({
      code: "pack-not-json",
      place: { file: "hookwarden.json", line: 1, pointer: "/hooks" },
    });
    expect(error.message).toBe("the file has a key `hooks` that occurs twice");
  });

  // Attack (man-023): bytes that two readers decode to different texts.
  it("in another encoding than UTF-8", () => {
    const utf16 = Buffer.from(text(), "utf16le");
    const invalid = Buffer.from(text({ description: "x" }).replace('"x"', '"\u00ff"'), "latin1");
    const overlong = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]);
    for (const bytes of [utf16, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), invalid, overlong]) {
      expect(hookError(bytes)).toMatchObject({ code: "pack-not-json" });
    }
    // Editors write one; it does not change what the text means.
    expect(readHookManifest(Buffer.from(`\ufeff${text()}`)).name).toBe("guard");
  });

  it("with comments, trailing commas, numbers beyond a double", () => {
    for (const bad of [
      `// x\n${text()}`,
      text().replace("}", ",}"),
      text().replace(":1,", ":1e999,"),
      `${text()}x`,
      "",
    ]) {
      expect(hookError(bad)).toMatchObject({ code: "pack-not-json" });
    }
  });

  it("larger than their limit", async () => {
    const large = text({ description: "x" }).replace("{", `{${" ".repeat(manifestTextLimits.maxBytes)}`);
    const error = await errorOf(loadPackFromFiles(packFiles({ guard: large })));
    expect(error).toMatchObject({ code: "file-unreadable", place: { file: "guard/hook.json" } });
  });
});

describe("manifests have the form of their schema", () => {
  // Attack (man-009): a slip of a key that makes a restriction vanish.
  it.each<[object, string, string]>([
    [{ acitons: [] }, "/acitons", "the key `acitons` is unknown; did you mean `actions`?"],
    [{ Reads: [] }, "/Reads", "the key `Reads` is unknown; did you mean `reads`?"],
    [
      { "x-internal-trusted": true },
      "/x-internal-trusted",
      "the key `x-internal-trusted` is unknown; possible here are `$schema`",
    ],
    [
      { on: [{ event: "Stop", mather: "x" }] },
      "/on/0/mather",
      "the key `mather` is unknown; did you mean `matcher`?",
    ],
    [{ limits: { wallms: 1 } }, "/limits/wallms", "the key `wallms` is unknown; did you mean `wallMs`?"],
    [
      { state: { scope: "session", maxBytes: 1, x: 1 } },
      "/state/x",
      "the key `x` is unknown; possible here are `scope`, `maxBytes`",
    ],
  ])("the unknown key in %j", async (changes, pointer, message) => {
    expect(await errorOf(loadGuard(changes))).toMatchObject({
      code: "pack-invalid",
      message: expect.stringContaining(message) as string,
      place: { file: "guard/hook.json", pointer },
    });
  });

  it("with all mistakes at once, of all manifests", async () => {
    const bad = { versoin: "1", on: [{ event: "PreTooluse" }], actions: ["denny"] };
    const files = packFiles({ guard: hookManifest(bad), other: hookManifest({ name: "other", prority: 1 }) });
    const error = await errorOf(loadPackFromFiles(files));
    expect([error, ...error.also].map(({ place: { file, pointer } }) => `${file} ${pointer}`)).toEqual([
      "guard/hook.json /versoin",
      "guard/hook.json /on/0/event",
      "guard/hook.json /actions/0",
      "other/hook.json /prority",
    ]);
  });

  // Attack (man-019): a hook that never runs because its event is misspelt, without an error.
  it.each<[unknown, string, string]>([
    ["PreToolUSe", "/on/0/event", "the name `PreToolUSe` is unknown; did you mean `PreToolUse`?"],
    ["pretooluse", "/on/0/event", "the name `pretooluse` is unknown; did you mean `PreToolUse`?"],
    ["PreToolUse\0", "/on/0/event", "the name `PreToolUse\\u{0}` is unknown; did you mean `PreToolUse`?"],
    ["constructor", "/on/0/event", ""],
    ["__proto__", "/on/0/event", ""],
    ["PreQuantumUse2027", "/on/0/event", ""],
    [["Stop", "__proto__"], "/on/0/event", ""],
    [null, "/on/0/event", ""],
  ])("the event %j", async (event, pointer, message) => {
    const error = await errorOf(loadGuard({ on: [{ event }] }));
    expect(error).toMatchObject({ code: "pack-invalid", place: { file: "guard/hook.json", pointer } });
    expect(error.message).toContain(message);
  });

  it("the unknown action, and a key of the wrong type", async () => {
    expect((await errorOf(loadGuard({ actions: ["dney"] }))).message).toBe(
      "the name `dney` is unknown; did you mean `deny`?",
    );
    expect((await errorOf(loadGuard({ reads: "x" }))).message).toBe(
      "`reads` must be an array, and is a string",
    );
    expect((await errorOf(loadGuard({ entry: undefined }))).message).toBe(
      "the manifest lacks the key `entry`",
    );
    expect((await errorOf(loadGuard({ apiVersion: 2 }))).message).toBe(
      "`apiVersion` must be `1`, and is `2`",
    );
    expect((await errorOf(loadGuard({ version: "1" }))).code).toBe("pack-invalid");
    expect((await errorOf(loadGuard({ name: "__proto__" }))).code).toBe("pack-invalid");
  });

  // Attack (man-010): a limit that is none, or that turns a timer around.
  it.each([
    { wallMs: -1 },
    { wallMs: 0 },
    { wallMs: 2_147_483_648 },
    { wallMs: 10_001 },
    { wallMs: 1.5 },
    { wallMs: "100" },
    { wallMs: null },
    { memoryKb: 1e9 },
    { memoryKb: 131_073 },
    { steps: 500_000_001 },
    { steps: -0.1 },
    { outputDepth: 129 },
    { stackKb: 1_025 },
    { inputBytes: 8_388_609 },
    { outputBytes: 4_194_305 },
    { logBytes: 65_537 },
    { logBytes: -1 },
  ])("the limit %j", async (limits) => {
    const name = Object.keys(limits)[0];
    expect(await errorOf(loadGuard({ limits }))).toMatchObject({
      code: "pack-invalid",
      place: { pointer: `/limits/${name}` },
    });
    const file = "hookwarden.json";
    for (const pack of [{ grants: { guard: { limits } } }, { defaults: { limits } }]) {
      expect(await errorOf(loadGuard({}, pack))).toMatchObject({ code: "pack-invalid", place: { file } });
    }
  });

  // Attack (man-021): an order that depends on overflow.
  it.each([-2_147_483_648, 1e308, -1_001, 1_001, 0.5, "1"])("the priority %j", async (priority) => {
    expect(await errorOf(loadGuard({ priority }))).toMatchObject({
      code: "pack-invalid",
      place: { pointer: "/priority" },
    });
  });

  // Attack (man-022): more than the catalogue has, dressed up.
  it.each([["*"], ["ALLOW"], ["allow "], ["аllow"], ["toString"]])("the action %j", async (action) => {
    expect(await errorOf(loadGuard({ actions: [action] }))).toMatchObject({ code: "pack-invalid" });
  });

  it.each([
    "__proto__",
    "tool_input.__proto__",
    "constructor.name",
    "a.prototype",
    "tool_input.",
    ".a",
    "a..b",
    "tool_input.*",
    "",
    "a\0b",
  ])("the read path %j", async (path) =>
    expect(await errorOf(loadGuard({ reads: [path] }))).toMatchObject({ code: "pack-invalid" }),
  );

  it("says the folder's path, never one of the machine", async () => {
    for (const changes of [{ entry: "missing.js" }, { entry: "../x" }, { x: 1 }, { actions: ["x"] }]) {
      const error = await errorOf(loadGuard(changes));
      expect(error.toLine()).not.toContain(process.cwd());
      expect(error.toLine()).toContain("guard/");
    }
  });
});

describe("the pack's manifest", () => {
  it("a missing manifest is an error", async () => {
    expect(await errorOf(loadPackFromFiles(new Map()))).toMatchObject({ code: "pack-not-found" });
    expect(await errorOf(loadPackFromFiles(new Map([["hook.js", Buffer.from(denyScript)]])))).toMatchObject({
      code: "pack-not-found",
    });
  });

  it("every listed hook must exist and be listed once", async () => {
    const files = packFiles({ guard: hookManifest() }, { hooks: ["guard", "missing"] });
    expect(await errorOf(loadPackFromFiles(files))).toMatchObject({
      code: "file-unreadable",
      place: { file: "hookwarden.json", pointer: "/hooks/1" },
    });
    for (const hooks of [
      ["guard", "guard"],
      ["guard", "./guard"],
      ["guard", "Guard"],
    ]) {
      const error = await errorOf(loadPackFromFiles(packFiles({ guard: hookManifest() }, { hooks })));
      expect(error).toMatchObject({ code: "pack-invalid", place: { file: "hookwarden.json" } });
    }
  });

  it("has no two hooks of one name, and none in a folder of another name", async () => {
    const twice = packFiles({ "a/guard": hookManifest(), "b/guard": hookManifest() });
    expect(await errorOf(loadPackFromFiles(twice))).toMatchObject({
      code: "pack-invalid",
      place: { file: "b/guard/hook.json", pointer: "/name" },
    });
    const other = packFiles({ innocent: hookManifest() });
    expect(await errorOf(loadPackFromFiles(other))).toMatchObject({
      code: "pack-invalid",
      place: { file: "innocent/hook.json", pointer: "/name" },
    });
  });

  // Attack: a grant for a hook that is not there now is one that the next hook of that name gets unseen.
  it("grants and configures only hooks that it has", async () => {
    for (const part of ["grants", "config"]) {
      const error = await errorOf(loadGuard({}, { [part]: { gaurd: {} } }));
      expect(error).toMatchObject({
        code: "policy-invalid",
        place: { file: "hookwarden.json", pointer: `/${part}/gaurd` },
      });
      expect(error.message).toBe("there is no hook `gaurd` in this pack; did you mean `guard`?");
    }
  });

  it("a manifest is validated against its schema", async () => {
    expect((await errorOf(loadGuard({}, { grants: { guard: { action: [] } } }))).message).toContain(
      "did you mean `actions`?",
    );
    expect((await errorOf(loadGuard({}, { budgets: { maxHooks: 0 } }))).code).toBe("pack-invalid");
    expect((await errorOf(loadGuard({}, { hooks: "guard" }))).code).toBe("pack-invalid");
    expect(() => readPackManifest(Buffer.from("[]"))).toThrow(
      "the manifest must be an object, and is an array",
    );
  });

  // Attack (man-016): a pack of so many matchers that every event pays for them.
  it("has no more matchers than the events can bear", async () => {
    const hooks = Object.fromEntries(
      Array.from({ length: 200 }, (_, hook) => [
        `h${hook}`,
        hookManifest({
          name: `h${hook}`,
          on: Array.from({ length: 50 }, (_unused, index) => ({
            event: "PreToolUse",
            matcher: `t.${hook}_${index}`,
          })),
        }),
      ]),
    );
    expect(await errorOf(loadPackFromFiles(packFiles(hooks)))).toMatchObject({ code: "matcher-invalid" });
    const large = Object.fromEntries(
      Array.from({ length: 120 }, (_, hook) => [
        `h${hook}`,
        hookManifest({
          name: `h${hook}`,
          on: [{ event: "PreToolUse", matcher: `.*${"a.".repeat(240)}${hook}` }],
        }),
      ]),
    );
    expect(await errorOf(loadPackFromFiles(packFiles(large)))).toMatchObject({ code: "matcher-invalid" });
  });
});
