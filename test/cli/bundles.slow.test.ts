import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, cliProcess, folder, lines, pack, write } from "./cli.ts";

const named = { ...pack, "hookwarden.json": { ...pack["hookwarden.json"], name: "acme", version: "1.2.0" } };

async function setUp() {
  const made = await folder({ ...named, "events.jsonl": lines(bash("ls"), bash("rm -rf /"), bash("pwd")) });
  const at = (...args: readonly string[]) => cliProcess(args, { cwd: made.path });
  return { ...made, at };
}

describe("bundle, verify, keygen", () => {
  it("make, sign and check a bundle", async () => {
    await using world = await setUp();
    const { at, path } = world;
    const key = await at("keygen", "--out", "release.jwk", "--kid", "release-1", "--format", "json");
    expect(key).toMatchObject({ code: 0, err: "" });
    const half = JSON.parse(key.out) as object;
    expect(Object.keys(half)).toEqual(["kty", "crv", "x", "kid"]);
    await write(path, { "keys.json": { keys: [half] } });

    const made = await at("bundle", ".", "--out", "b.tgz", "--key", "release.jwk");
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out.replace(/sha256:[0-9a-f]{64}/g, "sha256:D").replace(/\d+ bytes/, "N bytes"))
      .toMatchInlineSnapshot(`
      "acme 1.2.0 for default: 7 files, N bytes, signed
      bundle sha256:D
      pack sha256:D
      "
    `);
    const held = await at("verify", "b.tgz", "--trust", "keys.json", "--floor", "1.2.0");
    expect(held).toMatchObject({ code: 0, err: "" });
    expect(held.out.replace(/sha256:[0-9a-f]{64}/g, "sha256:D")).toMatchInlineSnapshot(`
      "acme 1.2.0 for default: signed by release-1
      7 files, 2 hooks: no-rm 1.0.0, mark 2.1.0
      bundle sha256:D
      pack sha256:D
      "
    `);

    const floor = await at("verify", "b.tgz", "--trust", "keys.json", "--floor", "1.3.0");
    expect(floor).toMatchObject({ code: 1, out: "" });
    expect(floor.err).toMatchInlineSnapshot(`
      "bundle-rollback: version 1.2.0 is older than 1.3.0, which is the least. Build it with a higher version, or lower the floor if the older version is intended.
      "
    `);
    await writeFile(join(path, "b.tgz"), (await readFile(join(path, "b.tgz"))).subarray(0, 200));
    const cut = await at("verify", "b.tgz", "--trust", "keys.json", "--format", "json");
    expect(cut).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(cut.err)).toMatchObject({
      error: { code: "bundle-invalid", message: "the bundle is cut off" },
    });
  });

  it.skipIf(process.platform === "win32")("keep a private key to its owner", async () => {
    await using world = await setUp();
    await world.at("keygen", "--out", "k.jwk");
    expect((await stat(join(world.path, "k.jwk"))).mode & 0o777).toBe(0o600);
  });

  it("never overwrite a private key", async () => {
    await using world = await setUp();
    await writeFile(join(world.path, "k.jwk"), "precious");
    expect(await world.at("keygen", "--out", "k.jwk")).toMatchObject({ code: 65, out: "" });
    expect(await readFile(join(world.path, "k.jwk"), "utf8")).toBe("precious");
  });

  it.each([
    [["verify"], 64, "give either a bundle or `--certificate`"],
    [["verify", "b.tgz"], 64, "give `--trust`, or `--unsigned` to check the form only"],
    [["verify", "b.tgz", "--unsigned", "--floor", "1.0.0"], 64, "need `--trust`"],
    [["verify", "gone.tgz", "--unsigned"], 65, "`gone.tgz` cannot be read: it does not exist (ENOENT)"],
    [["verify", ".", "--unsigned"], 65, "is not a regular file"],
    [["bundle", "."], 64, "the option `--out` is missing"],
    [["bundle", ".", "--out", "no/such/folder.tgz"], 69, "(ENOENT)"],
    [["keygen"], 64, "the option `--out` is missing"],
    [["keygen", "--out", "x.jwk", "--kid", "../x"], 64, "a key's name is"],
    [["log", "verify", "gone.jsonl"], 65, "it does not exist (ENOENT)"],
    [["log", "mend", "d.jsonl"], 64, "mend"],
    [["replay", "d.jsonl"], 64, "the option `--pack` is missing"],
    [["replay", "events.jsonl", "--pack", "."], 65, "the first line is not a record of a decision log"],
  ])("%j exits %i with one sentence", async (args, code, sentence) => {
    await using world = await setUp();
    const ran = await world.at(...args);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.err).toContain(sentence);
    expect(ran.err.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("run --log, log verify, replay", () => {
  it("log decisions, check the log, make the decisions again, and certify it", async () => {
    await using world = await setUp();
    const { at, path } = world;
    expect((await at("run", ".", "--events", "events.jsonl", "--log", "d.jsonl")).code).toBe(0);
    const verified = await at("log", "verify", "d.jsonl");
    expect(verified.code).toBe(0);
    expect(verified.out).toMatch(
      /^6 records, 3 decisions of 1 tenant; closed in order\nhead sha256:[0-9a-f]{64}\n$/,
    );
    const head = verified.out.trim().split(" ").at(-1) as string;
    expect((await at("log", "verify", "d.jsonl", "--expect", head)).code).toBe(0);
    expect((await at("log", "verify", "d.jsonl", "--expect", `sha256:${"0".repeat(64)}`)).code).toBe(1);

    const replayed = await at("replay", "d.jsonl", "--pack", ".", "--certificate", "c.jsonl");
    expect(replayed).toEqual({ code: 0, out: "3 the same, 0 different, 0 skipped\n", err: "" });
    await at("replay", "d.jsonl", "--pack", ".", "--isolation", "inline", "--certificate", "again.jsonl");
    expect(await readFile(join(path, "c.jsonl"), "utf8")).toBe(
      await readFile(join(path, "again.jsonl"), "utf8"),
    );
    expect(await at("verify", "--certificate", "c.jsonl", "--log", "d.jsonl", "--pack", ".")).toEqual({
      code: 0,
      out: "the certificate holds against the log and the pack\n3 the same, 0 different, 0 skipped\n",
      err: "",
    });
    const forged = (await readFile(join(path, "c.jsonl"), "utf8")).replace('"same":3', '"same":2');
    await writeFile(join(path, "c.jsonl"), forged);
    const refused = await at("verify", "--certificate", "c.jsonl");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(
      "certificate-invalid: c.jsonl:5: it counts 2 decisions as same, and has 3.",
    );
  });

  it("a changed hook is named, with the first decision that it changed", async () => {
    await using world = await setUp();
    const { at, path } = world;
    await at("run", ".", "--events", "events.jsonl", "--log", "d.jsonl");
    await write(path, { "no-rm/hook.js": pack["no-rm/hook.js"].replace('"rm"', '"pwd"') });
    const { code, out } = await at("replay", "d.jsonl", "--pack", ".");
    expect(code).toBe(1);
    const still = out.replace(/sha256:[0-9a-f]+/g, "sha256:D").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
    expect(still).toMatchInlineSnapshot(`
      "record 3 (PreToolUse, tenant default, number 1, decision
      ID) was made by another pack
        /pack was
        "sha256:D", and
        is "sha256:D"
        hook \`no-rm\` is another one: \`sha256:D\` in the log,
        \`sha256:D\` in the pack
      record 4 (PreToolUse, tenant default, number 2, decision
      ID) comes out otherwise
        /verdict was "deny", and is "continue"
        hook \`no-rm\` is another one: \`sha256:D\` in the log,
        \`sha256:D\` in the pack; hook \`no-rm\` answered otherwise to the same
        input
      0 the same, 3 different (1 of them in the pack's digest only), 0 skipped
      "
    `);
  });

  it("a flipped byte of the log is named", async () => {
    await using world = await setUp();
    const { at, path } = world;
    await at("run", ".", "--events", "events.jsonl", "--log", "d.jsonl");
    const log = await readFile(join(path, "d.jsonl"), "utf8");
    await writeFile(join(path, "d.jsonl"), log.replace('"command":"pwd"', '"command":"pwe"'));
    expect(await at("log", "verify", "d.jsonl")).toMatchObject({
      code: 1,
      out: "changed: record 5 (line 5) is not what was written\nbefore it: 4 records, 2 decisions of 1 tenant\n",
    });
    const replayed = await at("replay", "d.jsonl", "--pack", ".");
    expect(replayed.code).toBe(65);
    expect(replayed.err).toContain("log-broken: d.jsonl:5: record 5 (line 5) is not what was written.");
  });

  it("masked values are in no line of the log", async () => {
    await using world = await setUp();
    const { at, path } = world;
    await at("run", ".", "--events", "events.jsonl", "--log", "d.jsonl", "--mask", "/tool_input/command");
    expect(await readFile(join(path, "d.jsonl"), "utf8")).not.toContain("rm -rf");
    expect((await at("replay", "d.jsonl", "--pack", ".")).out).toBe("0 the same, 0 different, 3 skipped\n");
  });
});
