import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildBundle, openBundle } from "../../src/bundle/index.ts";
import { bundlePathProblem } from "../../src/bundle/names.ts";
import { writeTar } from "../../src/bundle/tar.ts";
import { createWarden } from "../../src/warden/index.ts";
import { loadPack } from "../../src/pack/load.ts";
import {
  bundleOf,
  entriesOf,
  key,
  listIn,
  openWith,
  packFolder,
  rawTar,
  testFolder,
  trust,
} from "./support.ts";

const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {} };

test("the same pack and key make the same bytes, wherever it lies", async () => {
  const [one, other] = await Promise.all([bundleOf(), bundleOf()]);
  expect(one.equals(other)).toBe(true);
});

test("the bytes are pinned: another machine, or another version of a library, makes no others", async () => {
  // Without scripts: what the bundler makes of them is its own affair.
  const empty = await buildBundle(packFolder({}, {}));
  expect(createHash("sha256").update(empty.bytes).digest("hex")).toBe(
    "ed56e68eaceb119d075b4e1eabf8f94ccbf995fe830b201512295d86786e7272",
  );
});

test("a bundle holds the list, the signature, the manifests as they are, and one module for each script", async () => {
  const folder = packFolder(
    {},
    { guard: `import { reason } from "./words.js"; export default () => ({ action: "deny", reason });` },
    { "guard/words.js": `export const reason = "never";`, "guard/cases.json": "[]", "README.md": "x" },
  );
  const { bytes } = await buildBundle(folder, { key });
  const entries = await entriesOf(bytes);
  expect(entries.map(({ path }) => path)).toEqual([
    "bundle.json",
    "bundle.jws",
    "guard/hook.js",
    "guard/hook.js.map",
    "guard/hook.json",
    "hookwarden.json",
  ]);
  expect(String(entries[2]?.bytes)).not.toContain("import");
  expect(await listIn(bytes)).toMatchObject({ format: 1, name: "acme", version: "1.0.0", target: "default" });
});

test("a bundle loads as the pack that it was made of, to the digest", async () => {
  const folder = packFolder();
  const { bytes } = await buildBundle(folder, { key });
  const { pack, key: signer } = await openWith(bytes);
  const plain = await loadPack(folder);
  expect(pack.digest).toBe(plain.digest);
  expect(pack.hooks.map(({ digest }) => digest)).toEqual(plain.hooks.map(({ digest }) => digest));
  expect(pack.root).toBeUndefined();
  expect(signer).toBe("release-1");
});

test("npm packages and TypeScript go into the bundle, and nothing is resolved when it is loaded", async () => {
  const folder = packFolder({}, {});
  const files = {
    "hookwarden.json": JSON.stringify({ apiVersion: 1, name: "acme", version: "1.0.0", hooks: ["typed"] }),
    "typed/hook.json": JSON.stringify({
      apiVersion: 1,
      name: "typed",
      version: "1.0.0",
      entry: "hook.ts",
      on: [{ event: "PreToolUse" }],
      reads: ["*"],
      actions: ["deny"],
    }),
    "typed/hook.ts": `import { word } from "words";\nimport { deny } from "hookwarden/hook";\nexport default () => deny(word as string);\n`,
    "node_modules/words/package.json": JSON.stringify({
      name: "words",
      version: "1.0.0",
      type: "module",
      main: "index.js",
    }),
    "node_modules/words/index.js": `export const word = "from a package";`,
  };
  const { mkdirSync } = await import("node:fs");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { bytes } = await buildBundle(folder, { key });
  await using warden = await createWarden({ bundle: bytes, trust, isolation: "inline" });
  expect(await warden.dispatch(event)).toMatchObject({ verdict: "deny", reason: "from a package" });
});

test("the archive is byte for byte the one that an independent library makes", async () => {
  const name = fc.stringMatching(/^[a-z0-9_]{1,60}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("/"));
  const paths = path.filter((one) => bundlePathProblem(one) === null);
  const file = fc.record({
    path: paths,
    bytes: fc.uint8Array({ maxLength: 2_000 }).map((b) => Buffer.from(b)),
  });
  const files = fc.uniqueArray(file, { maxLength: 5, selector: (one) => one.path });
  await fc.assert(
    fc.asyncProperty(files, async (some) => {
      expect(writeTar(some)).toEqual(await rawTar(some));
    }),
    { seed: 20, numRuns: 100 },
  );
});

test("an ordinary tar reads it", { skip: process.platform === "win32" }, async () => {
  const folder = testFolder();
  writeFileSync(join(folder, "b.tgz"), await bundleOf());
  const listing = execFileSync("tar", ["tvzf", join(folder, "b.tgz")], { encoding: "utf8" });
  expect(
    listing
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/).at(-1)),
  ).toEqual([
    "bundle.json",
    "bundle.jws",
    "guard/hook.js",
    "guard/hook.js.map",
    "guard/hook.json",
    "hookwarden.json",
  ]);
  expect(listing).toMatch(/^-rw-r--r-- 0\/0 /);
});

describe("name, version and target", () => {
  test("come from the pack, or from the build command, and must agree", async () => {
    const folder = packFolder({ name: undefined, version: undefined });
    expect(
      (await buildBundle(folder, { name: "other", version: "2.0.0-rc.1", target: "staging" })).list,
    ).toMatchObject({ name: "other", version: "2.0.0-rc.1", target: "staging" });
    await expect(buildBundle(folder)).rejects.toMatchObject({
      code: "option-invalid",
      message: "a bundle needs a name: give `name` in `hookwarden.json`, or with the options",
    });
    await expect(buildBundle(packFolder(), { version: "9.0.0" })).rejects.toMatchObject({
      message: "the pack has the version `1.0.0`, and `9.0.0` was asked for",
    });
  });

  test("must be plain", async () => {
    const folder = packFolder({ name: undefined, version: undefined });
    for (const bad of [
      { name: "../x" },
      { name: "" },
      { version: "1.0" },
      { version: "v1.0.0" },
      { version: " 1.0.0" },
      { target: "a b" },
    ]) {
      await expect(buildBundle(folder, { name: "x", version: "1.0.0", ...bad })).rejects.toMatchObject({
        code: "option-invalid",
      });
    }
  });
});

test("paths that a bundle cannot have are refused when it is made", async () => {
  const folder = packFolder({}, { "größe/guard": "export default () => null;" });
  // The hook is called like the last part of its folder.
  const { readFileSync } = await import("node:fs");
  const file = join(folder, "größe/guard/hook.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"größe/guard"', '"guard"'));
  await expect(buildBundle(folder)).rejects.toMatchObject({
    code: "bundle-invalid",
    message: "the path `größe/guard/hook.json` has characters beside visible ASCII",
  });
});

test("a key that cannot sign is refused", async () => {
  const { d, ...half } = key;
  void d;
  for (const bad of [
    half,
    { ...key, x: "A".repeat(43) },
    { ...key, crv: "X25519" },
    { ...key, kid: "../x" },
    { kty: "oct", k: "x" },
    "key",
    null,
    { ...key, d: "short" },
  ]) {
    await expect(bundleOf({ key: bad })).rejects.toMatchObject({ code: "trust-invalid" });
  }
});

test("a bundle without a signature is no bundle that a host takes", async () => {
  const { bytes, signed } = await buildBundle(packFolder());
  expect(signed).toBe(false);
  await expect(openWith(bytes)).rejects.toMatchObject({
    code: "bundle-untrusted",
    message: "the bundle is not signed",
  });
  expect(await openBundle(bytes, { trust: null })).toMatchObject({ signed: false, key: null });
});
