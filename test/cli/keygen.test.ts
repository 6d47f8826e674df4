import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folder } from "./cli.ts";
import { cli } from "./in-process.ts";

it("adds the public key to a trust file, and leaves all else in it as it was", async () => {
  await using dir = await folder();
  const keygen = (...args: readonly string[]) =>
    cli(["keygen", ...args, "--trust", "trust.json"], { cwd: dir.path });
  const trust = async () =>
    JSON.parse(await readFile(join(dir.path, "trust.json"), "utf8")) as {
      keys: { kid: string; d?: string }[];
    };
  expect(await keygen("--out", "a.jwk", "--kid", "a")).toEqual({
    code: 0,
    out: "the key `a` was written to `a.jwk`, and its public key added to `trust.json`\n",
    err: "",
  });
  const made = await keygen("--out", "b.jwk", "--kid", "b", "--format", "json");
  const { keys } = await trust();
  expect(keys.map(({ kid, d }) => [kid, d])).toEqual([
    ["a", undefined],
    ["b", undefined],
  ]);
  expect(keys[1]).toEqual(JSON.parse(made.out));
});

it("writes no key where the trust file is invalid or has the name already", async () => {
  await using dir = await folder({ "trust.json": { keys: [], flor: "1.0.0" } });
  const keygen = (out: string, trust: string) =>
    cli(["keygen", "--out", out, "--kid", "a", "--trust", trust], { cwd: dir.path });
  expect(await keygen("a.jwk", "trust.json")).toMatchObject({
    code: 65,
    err: expect.stringMatching(/^trust-invalid: /),
  });
  expect(await keygen("a.jwk", "new.json")).toMatchObject({ code: 0 });
  expect(await keygen("b.jwk", "new.json")).toMatchObject({
    code: 65,
    err: "trust-invalid: new.json: the file has a key `a` already. Choose another name with `--kid`.\n",
  });
  await expect(readFile(join(dir.path, "b.jwk"))).rejects.toMatchObject({ code: "ENOENT" });
});
