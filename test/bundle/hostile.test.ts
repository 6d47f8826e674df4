import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync, writeFileSync } from "node:fs";
import { crc32, deflateRawSync, gunzipSync, gzipSync, type ZlibOptions } from "node:zlib";
import { join } from "node:path";
import fc from "fast-check";
import { FlattenedSign, importJWK, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { generateKey, packedLimits, toPublicKey, type Trust } from "../../src/bundle/index.ts";
import { createWarden } from "../../src/warden/index.ts";
import { writeList } from "../../src/bundle/list.ts";
import {
  bundleOf,
  entriesOf,
  goodBundle,
  key,
  listIn,
  openWith,
  type RawEntry,
  rawTar,
  resigned,
  testFolder,
  trust,
} from "./support.ts";
import { compress, decompress } from "../../src/bundle/gzip.ts";
import { propertyRuns } from "../support/property-runs.ts";

let good: Buffer;
/** Of the good bundle: list, signature, script, hook's manifest, pack's manifest. */
let entries: RawEntry[];
let files: RawEntry[];

beforeAll(async () => {
  good = await goodBundle();
  entries = await entriesOf(good);
  files = entries.slice(2);
});

const invalid = { code: "bundle-invalid" };
const untrusted = { code: "bundle-untrusted" };

async function refuse(packed: Uint8Array | Promise<Uint8Array>, as: object): Promise<void> {
  await expect(openWith(await packed)).rejects.toMatchObject(as);
}

test("the good bundle opens: whatever is refused below is refused for its own reason", async () => {
  expect((await openWith(good)).list.name).toBe("acme");
  expect((await openWith(await resigned(files))).key).toBe("release-1");
});

describe("bun-001 names that leave the folder", () => {
  // A file name of the archive is joined to a folder by careless code; here nothing is ever joined.
  const names = [
    "../../x",
    "/abs",
    "..\\x",
    "C:x",
    "a/../../x",
    "a/./x",
    "./x",
    "a//x",
    "guard/",
    "-",
    "x\u0001",
    "nul\u0000.js",
    "x:stream",
    "é.js",
    "a".repeat(300),
  ];
  test.each(names)("%j", async (name) => {
    await refuse(resigned([{ path: name, bytes: "x" }, ...files]), invalid);
  });

  test("a name with 5,000 parts", async () => {
    await refuse(resigned([{ path: `${"a/".repeat(5_000)}x`, bytes: "x" }, ...files]), invalid);
  });

  test("bytes behind the end of a name, where some readers go on", async () => {
    const archive = await decompress(await resigned(files));
    // The first header's name field: the name ends at a zero, more stands behind it.
    archive.write("/../../evil", "bundle.json".length + 1, "latin1");
    let sum = 8 * 32;
    for (let at = 0; at < 512; at++) if (at < 148 || at >= 156) sum += archive[at] as number;
    archive.write(`${sum.toString(8).padStart(6, "0")} `, 148, "latin1");
    await refuse(compress(archive), {
      ...invalid,
      message: "the archive in the bundle is not in the one form that its files make",
    });
  });
});

describe("entries that are no regular files", () => {
  const kinds = [
    "symlink",
    "link",
    "directory",
    "fifo",
    "character-device",
    "block-device",
    "contiguous-file",
  ] as const;
  test.each(kinds)("%s", async (type) => {
    await refuse(
      resigned([...files, { path: "zz", header: { type, linkname: "../../etc/passwd" } }]),
      invalid,
    );
  });

  test("a regular file that carries the target of a link", async () => {
    await refuse(resigned([...files, { path: "zz", header: { linkname: "/etc/passwd" } }]), invalid);
  });

  test("an extended header that renames the file behind it", async () => {
    await refuse(resigned([...files, { path: "zz", header: { pax: { path: "../../evil" } } }]), invalid);
    await refuse(resigned([...files, { path: "zz", header: { pax: { comment: "hello" } } }]), invalid);
  });

  test("owners, times and modes of their own", async () => {
    const owned = (header: object): Promise<Buffer> =>
      resignedWith(files.map((file, index) => (index === 0 ? { ...file, header } : file)));
    for (const header of [{ uid: 1 }, { mode: 0o4755 }, { mtime: new Date(5_000) }, { uname: "root" }])
      await refuse(owned(header), invalid);
  });
});

/** As `resigned`, but every entry is in the list, whatever its header says. */
async function resignedWith(raw: readonly RawEntry[]): Promise<Buffer> {
  const signed = await entriesOf(await resigned(raw.map(({ path, bytes = "" }) => ({ path, bytes }))));
  return compress(await rawTar([...signed.slice(0, 2), ...raw]));
}

describe("bun-003 bombs", () => {
  test("a gigabyte of zeros in a megabyte", { timeout: 60_000 }, async () => {
    const zeros = deflateRawSync(Buffer.alloc(1_048_576 * 64), { level: 9 });
    const head = good.subarray(0, 10);
    const begun = process.memoryUsage().rss;
    await refuse(Buffer.concat([head, zeros, Buffer.alloc(8)]), {
      ...invalid,
      message: "the bundle unpacks to more than 100 times its size",
    });
    expect(process.memoryUsage().rss - begun).toBeLessThan(64 * 1_048_576);
  });

  test("more than may come out, however well it is packed", { timeout: 60_000 }, async () => {
    const noise = Buffer.alloc(3_000_000);
    for (let at = 0; at < noise.length; at++) noise[at] = (at * 2_654_435_761) >>> 13;
    const packed = deflateRawSync(Buffer.concat(Array.from({ length: 50 }, () => noise)), { level: 1 });
    await refuse(Buffer.concat([good.subarray(0, 10), packed, Buffer.alloc(8)]), {
      code: "bundle-invalid",
      message: /unpacks to more than/,
    });
  });

  test("a file that is too large to be read at all", async () => {
    await refuse(Buffer.alloc(packedLimits.packedBytes + 1), {
      ...invalid,
      message: "the bundle is larger than 33554432 bytes",
    });
  });

  test("two members of gzip, of which some readers see both and some the first", async () => {
    await refuse(Buffer.concat([good, good]), {
      ...invalid,
      message: "there are bytes behind the end of the bundle",
    });
    await refuse(Buffer.concat([good, gzipSync("")]), invalid);
  });

  test("an archive in the archive is not looked into", async () => {
    await refuse(resigned([...files, { path: "inner.tgz", bytes: good }]), {
      ...invalid,
      message: "the file `inner.tgz` belongs to no hook",
    });
  });
});

describe("the frame", () => {
  test("bytes behind the end", async () => {
    await refuse(Buffer.concat([good, Buffer.from("x")]), invalid);
    await refuse(Buffer.concat([good, Buffer.alloc(512)]), invalid);
  });

  test("bytes behind the end of the archive inside", async () => {
    await refuse(compress(Buffer.concat([await decompress(good), Buffer.alloc(1_024)])), invalid);
    await refuse(
      compress(Buffer.concat([await decompress(good), await rawTar([{ path: "x", bytes: "y" }])])),
      invalid,
    );
  });

  test("bytes between the end of a file and the next header", async () => {
    const archive = await decompress(good);
    const end = 512 + String(entries[0]?.bytes).length;
    expect(archive[end]).toBe(0);
    archive[end] = 0x41;
    await refuse(compress(archive), invalid);
  });

  test("another header of gzip: a name, a comment, a time, extra fields", async () => {
    for (const [at, value] of [
      [3, 8],
      [3, 16],
      [3, 4],
      [4, 1],
      [8, 0],
      [9, 3],
    ] as const) {
      const changed = Buffer.from(good);
      changed[at] = value;
      await refuse(changed, {
        ...invalid,
        message: "the bundle does not begin with the header that every bundle has",
      });
    }
  });

  test("a wrong checksum, a wrong length, a cut", async () => {
    for (const at of [good.length - 8, good.length - 1]) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] as number) ^ 1;
      await refuse(changed, { ...invalid, message: "the checksum of the bundle is wrong" });
    }
    for (const length of [0, 5, 18, 40, good.length - 1, good.length - 9])
      await refuse(good.subarray(0, length), invalid);
  });

  const sameContent = (changed: Buffer): boolean => {
    try {
      return gunzipSync(changed).equals(gunzipSync(good));
    } catch {
      return false;
    }
  };

  test("no single flipped bit is let through", { timeout: 60_000 }, async () => {
    for (let at = 0; at < good.length; at += 1 + Math.floor(good.length / 300)) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      // Compression can say the same thing in more than one way; what counts is what the archive holds.
      if (sameContent(changed)) continue;
      await expect(openWith(changed)).rejects.toMatchObject({
        code: expect.stringMatching(/^bundle-/) as string,
      });
    }
  });

  test("what is no bundle at all", async () => {
    for (const bytes of [
      "",
      "PK\u0003\u0004",
      "hello",
      gzipSync("hello"),
      compress(Buffer.from("hello")),
      compress(Buffer.alloc(0)),
      compress(Buffer.alloc(1_024)),
    ]) {
      await refuse(Buffer.from(bytes as string), invalid);
    }
  });
});

describe("bun-004 names that some file system takes for one", () => {
  test.each([
    ["guard/Hook.js", "guard/hook.js"],
    ["GUARD/other.js", "guard/hook.js"],
    ["guard", "guard/hook.js"],
  ])("%s beside %s", async (name) => {
    await refuse(
      resigned([{ path: name, bytes: "x" }, ...files].sort((a, b) => (a.path < b.path ? -1 : 1))),
      invalid,
    );
  });

  test("the same name twice", async () => {
    await refuse(resigned([...files, files[0] as RawEntry]), invalid);
    const [list, signature] = entries as [RawEntry, RawEntry];
    await refuse(rawTar([list, signature, list, ...files]).then(compress), invalid);
  });

  test("é in two spellings: no name holds any such letter", async () => {
    await refuse(
      resigned([...files, { path: "guard/\u00e9.js", bytes: "a" }, { path: "guard/e\u0301.js", bytes: "b" }]),
      invalid,
    );
  });
});

describe("bun-005 too many", () => {
  test("files", { timeout: 60_000 }, async () => {
    const many = Array.from({ length: packedLimits.entries }, (_, index) => ({
      path: `x/${String(index).padStart(6, "0")}`,
    }));
    await refuse(rawTar([...(entries.slice(0, 2) as RawEntry[]), ...many]).then(compress), {
      ...invalid,
      message: "the bundle has more than 4096 files",
    });
  });
});

describe("bun-006 without a signature", () => {
  test("where it was taken out", async () => {
    await refuse(rawTar(entries.toSpliced(1, 1)).then(compress), {
      ...untrusted,
      message: "the bundle is not signed",
    });
  });

  test("where it stands at another place", async () => {
    const [list, signature, ...rest] = entries as [RawEntry, RawEntry, ...RawEntry[]];
    await refuse(rawTar([list, ...rest, signature]).then(compress), invalid);
    await refuse(rawTar([signature, list, ...rest]).then(compress), invalid);
  });

  test("no trust given is a mistake of the host, not trust in everything", async () => {
    await expect(createWarden({ bundle: good })).rejects.toMatchObject({ code: "option-invalid" });
    await expect(openWith(good, { keys: [] })).rejects.toMatchObject({
      ...untrusted,
      message: "the key `release-1` is not in the trust file",
    });
  });
});

describe("bun-007 a signature for something else", () => {
  test("a file beside those that were signed", async () => {
    await refuse(rawTar([...entries, { path: "zz.js", bytes: "evil" }]).then(compress), {
      ...invalid,
      message: "the file `zz.js` is not in the list",
    });
  });

  test("a file that is missing", async () => {
    await refuse(rawTar(entries.filter(({ path }) => path !== "guard/hook.json")).then(compress), {
      ...invalid,
      message: "the file `guard/hook.json` is missing",
    });
  });

  test("files in another order", async () => {
    await refuse(
      rawTar(entries.with(2, entries[3] as RawEntry).with(3, entries[2] as RawEntry)).then(compress),
      invalid,
    );
  });

  test("another script, another manifest", async () => {
    for (const at of [2, 3, 4]) {
      const changed = entries.with(at, {
        ...(entries[at] as RawEntry),
        bytes: `${String(entries[at]?.bytes)} `,
      });
      await refuse(rawTar(changed).then(compress), {
        ...invalid,
        message: `the file \`${entries[at]?.path}\` is not the one that was listed`,
      });
    }
  });

  test("another script in the list too, under the old signature", async () => {
    const forged = await entriesOf(
      await resigned(files.with(0, { path: "guard/hook.js", bytes: "export default () => {}" })),
    );
    await refuse(rawTar([forged[0] as RawEntry, entries[1] as RawEntry, ...forged.slice(2)]).then(compress), {
      ...untrusted,
      message: "the signature by `release-1` does not belong to what it stands at",
    });
  });

  test("a signature of another version of the same pack", async () => {
    const other = await entriesOf(await bundleOf({ manifest: { version: "1.0.1" } }));
    await refuse(rawTar(entries.with(1, other[1] as RawEntry)).then(compress), untrusted);
  });

  test("a list that says another name, version or target than its pack or its host", async () => {
    await refuse(resigned(files, { name: "other" }), {
      ...invalid,
      message: "the pack in the bundle is called `acme`",
    });
    await refuse(resigned(files, { version: "9.9.9" }), {
      ...invalid,
      message: "the pack in the bundle has version `1.0.0`",
    });
    await refuse(resigned(files, { target: "staging" }), {
      ...untrusted,
      message: "the bundle is made for the target `staging`, and this is `default`",
    });
    await refuse(resigned(files, { pack: `sha256:${"0".repeat(64)}` }), {
      ...invalid,
      message: "the pack in the bundle has another digest than the list says",
    });
    await expect(openWith(good, { ...trust, name: "other" })).rejects.toMatchObject(untrusted);
  });

  test("a list in another spelling, with other members, or with a key twice", async () => {
    const list = await listIn(good);
    const spellings = [
      JSON.stringify(list),
      JSON.stringify({ ...list, extra: 1 }, null, 2),
      String(writeList(list)).replace('"name"', '"name": "evil",\n  "name"'),
      String(writeList(list)).replace('"format": 1', '"format": 2'),
      `\ufeff${String(writeList(list))}`,
    ];
    for (const bytes of spellings)
      await refuse(rawTar(entries.with(0, { path: "bundle.json", bytes })).then(compress), invalid);
  });

  test("a file that no hook uses, though it is signed", async () => {
    await refuse(resigned([...files, { path: "payload.bin", bytes: "x" }]), {
      ...invalid,
      message: "the file `payload.bin` belongs to no hook",
    });
  });
});

describe("bun-008 algorithms and keys", () => {
  const payload = (): Buffer => entries[0]?.bytes as Buffer;

  async function with_(signature: string): Promise<Buffer> {
    return compress(await rawTar(entries.with(1, { path: "bundle.jws", bytes: signature })));
  }

  function encode(header: object | string): string {
    return Buffer.from(typeof header === "string" ? header : JSON.stringify(header)).toString("base64url");
  }

  test("`none`, and a signature of nothing", async () => {
    for (const alg of ["none", "None", "nOnE", ""]) {
      await refuse(
        with_(`${encode({ alg, kid: "release-1", typ: "hookwarden-bundle" })}..${"A".repeat(86)}`),
        untrusted,
      );
    }
    await refuse(
      with_(`${encode({ alg: "none", kid: "release-1", typ: "hookwarden-bundle" })}..`),
      untrusted,
    );
    await refuse(with_(""), untrusted);
  });

  test("HMAC with the public key as its secret", async () => {
    const secret = Buffer.from(key.x, "base64url");
    for (const alg of ["HS256", "HS512"]) {
      const { protected: head, signature } = await new FlattenedSign(payload())
        .setProtectedHeader({ alg, kid: "release-1", typ: "hookwarden-bundle" })
        .sign(secret);
      await refuse(with_(`${head}..${signature}`), untrusted);
    }
  });

  test("ECDSA, and other names for Ed25519", async () => {
    for (const alg of ["ES256", "Ed25519", "Ed448", "eddsa", "EdDSA "]) {
      const header = encode({ alg, kid: "release-1", typ: "hookwarden-bundle" });
      await refuse(with_(`${header}..${"A".repeat(86)}`), {
        ...untrusted,
        message: `the signature's algorithm is \`${alg}\`, and only \`EdDSA\` is accepted`,
      });
    }
  });

  test("a header that brings its own key, or its own rules", async () => {
    const mine = await generateKey("release-1");
    const signer = await importJWK({ ...mine }, "EdDSA");
    for (const more of [
      { jwk: toPublicKey(mine) },
      { jku: "https://evil.invalid/keys" },
      { x5u: "https://evil.invalid" },
      { crit: ["b64"], b64: false },
      { zip: "DEF" },
    ]) {
      const header = { alg: "EdDSA", kid: "release-1", typ: "hookwarden-bundle", ...more };
      const head = encode(header);
      const { signature } = await new FlattenedSign(payload())
        .setProtectedHeader({ alg: "EdDSA" })
        .sign(signer);
      await refuse(with_(`${head}..${signature}`), {
        ...untrusted,
        message: "the signature's header has members that it may not have",
      });
    }
  });

  test("a key of the same name that is another one", async () => {
    const mine = await generateKey("release-1");
    const forged = await bundleOf({ key: mine });
    await refuse(forged, {
      ...untrusted,
      message: "the signature by `release-1` does not belong to what it stands at",
    });
  });

  test("a token signed for another purpose by the right key", async () => {
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: "EdDSA", kid: "release-1", typ: "JWT" })
      .sign(await importJWK({ ...key }, "EdDSA"));
    const [head, , signature] = jwt.split(".");
    await refuse(with_(`${head}..${signature}`), {
      ...untrusted,
      message: "the signature was not made for a bundle",
    });
  });

  test("names of keys that lead elsewhere", async () => {
    for (const kid of [
      "../../release-1",
      "/etc/keys",
      "__proto__",
      "constructor",
      "toString",
      "release-1\u0000",
      "",
      5,
      null,
      ["release-1"],
    ]) {
      await refuse(
        with_(`${encode({ alg: "EdDSA", kid, typ: "hookwarden-bundle" })}..${"A".repeat(86)}`),
        untrusted,
      );
    }
  });

  test("a header with a key twice, of which some readers see the first and some the last", async () => {
    const head = encode('{"alg":"none","alg":"EdDSA","kid":"release-1","typ":"hookwarden-bundle"}');
    await refuse(with_(`${head}..${"A".repeat(86)}`), untrusted);
    for (const header of ["null", "[]", "5", '"x"', "{", "\u00ff"])
      await refuse(with_(`${encode(header)}..${"A".repeat(86)}`), untrusted);
  });

  test("the same signature in another spelling", async () => {
    const text = String(entries[1]?.bytes);
    // The last letter of 86 carries four bits that decode to nothing.
    const last = text.at(-1) as string;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const twin = alphabet[alphabet.indexOf(last) ^ 1] as string;
    await refuse(with_(text.slice(0, -1) + twin), {
      ...untrusted,
      message: "the signature is not in its one spelling",
    });
    await refuse(with_(`${text}\n`), untrusted);
    await refuse(with_(text.replace("..", `.${payload().toString("base64url")}.`)), untrusted);
  });

  test("a signature with S above the order of the group", async () => {
    const text = String(entries[1]?.bytes);
    const [head, mark] = text.split("..") as [string, string];
    const bytes = Buffer.from(mark, "base64url");
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let s = 0n;
    for (let at = 63; at >= 32; at--) s = (s << 8n) | BigInt(bytes[at] as number);
    s += order;
    for (let at = 32; at < 64; at++) {
      bytes[at] = Number(s & 0xffn);
      s >>= 8n;
    }
    await refuse(with_(`${head}..${bytes.toString("base64url")}`), untrusted);
  });

  test("a revoked key, an expired key, a key for other bundles", async () => {
    const half = toPublicKey(key);
    await expect(openWith(good, { keys: [{ ...half, revoked: true }] })).rejects.toMatchObject({
      ...untrusted,
      message: "the key `release-1` is revoked",
    });
    await expect(
      openWith(good, { keys: [{ ...half, expires: "2020-01-01T00:00:00Z" }] }),
    ).rejects.toMatchObject({ message: "the key `release-1` has expired on 2020-01-01T00:00:00Z" });
    const later = { keys: [{ ...half, expires: "2030-01-01T00:00:00Z" }] };
    await openWith(good, later, { now: Date.parse("2029-12-31T23:59:59Z") });
    await expect(openWith(good, later, { now: Date.parse("2030-01-01T00:00:00Z") })).rejects.toMatchObject(
      untrusted,
    );
    await expect(openWith(good, { keys: [{ ...half, bundles: ["other"] }] })).rejects.toMatchObject({
      message: "the key `release-1` may not sign a bundle `acme`",
    });
    await openWith(good, { keys: [{ ...half, bundles: ["acme"] }] });
  });
});

describe("trust files that do not say what they seem to say", () => {
  const half = toPublicKey(key);
  test.each([
    ["a slip in the name of a member", { keys: [{ ...half, expire: "2020-01-01T00:00:00Z" }] }],
    ["a private key", { keys: [key] }],
    ["two keys of one name", { keys: [half, half] }],
    ["no list of keys", { keys: { 0: half } }],
    ["a floor that is no version", { keys: [half], floor: "1.2" }],
    ["a time that is none", { keys: [{ ...half, expires: "soon" }] }],
    ["`revoked` that is no truth value", { keys: [{ ...half, revoked: "false" }] }],
    ["a key of another kind", { keys: [{ ...half, crv: "P-256" }] }],
    ["a key for encryption", { keys: [{ ...half, use: "enc" }] }],
    ["a key that is too short", { keys: [{ ...half, x: "AAAA" }] }],
    [
      "a key with stray bits",
      { keys: [{ ...half, x: `${half.x.slice(0, -1)}${half.x.endsWith("B") ? "C" : "B"}` }] },
    ],
    ["nothing at all", null],
  ])("%s", async (_, bad) => {
    await expect(openWith(good, (bad as never) ?? (5 as never))).rejects.toMatchObject({
      code: "trust-invalid",
    });
  });
});

describe("bun-010 rollback", () => {
  test("below the floor of the trust file", async () => {
    await expect(openWith(good, { ...trust, floor: "1.0.1" })).rejects.toMatchObject({
      code: "bundle-rollback",
      message: "version 1.0.0 is older than 1.0.1, which is the least",
    });
    await openWith(good, { ...trust, floor: "1.0.0" });
    // A candidate comes before its release.
    await openWith(good, { ...trust, floor: "1.0.0-rc.1" });
  });

  test("below what serves, unless this very file was approved", async () => {
    const floors = [{ version: "1.1.0" }];
    await expect(openWith(good, trust, { floors })).rejects.toMatchObject({ code: "bundle-rollback" });
    const { digest } = await openWith(good);
    await openWith(good, { ...trust, approved: [digest] }, { floors });
  });

  test("other content under a version that is known", async () => {
    const floors = [{ version: "1.0.0", digest: `sha256:${"0".repeat(64)}` }];
    await expect(openWith(good, trust, { floors })).rejects.toMatchObject({
      message: "version 1.0.0 was accepted with other content before",
    });
    const build = await bundleOf({ manifest: { version: "1.0.0+build.2" } });
    await expect(openWith(build, trust, { floors })).rejects.toMatchObject({ code: "bundle-rollback" });
  });
});

describe("bun-013 size of sources", () => {
  test("a script of 6 MB on one line is refused by its header", async () => {
    await refuse(
      resigned(
        files.with(0, { path: "guard/hook.js", bytes: `//${randomBytes(3_000_000).toString("hex")}` }),
      ),
      { ...invalid, message: "the file `guard/hook.js` is larger than 5242880 bytes" },
    );
  });

  test("a manifest of 1 MB", async () => {
    await refuse(resigned(files.with(1, { path: "guard/hook.json", bytes: " ".repeat(1_000_000) })), invalid);
  });

  test("a script that is no UTF-8", async () => {
    await refuse(
      resigned(files.with(0, { path: "guard/hook.js", bytes: Buffer.from([0x2f, 0x2f, 0xc3, 0x28]) })),
      { ...invalid, message: "the script `guard/hook.js` is not UTF-8" },
    );
  });
});

/** A bundle whose script is not what the bundler makes; the list says the digest that its pack has. */
async function withScript(script: string): Promise<Buffer> {
  const changed = files.with(0, { path: "guard/hook.js", bytes: script });
  const { completePack, readManifests } = await import("../../src/pack/index.ts");
  const { memorySource, sha256 } = await import("../../src/files/index.ts");
  const source = memorySource(
    new Map(changed.map(({ path, bytes }) => [path, Buffer.from(bytes as string)])),
  );
  const { manifest, hooks } = await readManifests(source);
  const pack = completePack(manifest, hooks, [{ key: sha256(script), name: "guard", source: script }]);
  return resigned(changed, { pack: pack.digest });
}

const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {} };

test("bun-015 addresses in comments are never fetched", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  try {
    const address = `http://127.0.0.1:${port}/map`;
    const script = `export default () => { throw new Error("boom"); };\n//# sourceURL=${address}\n//# sourceMappingURL=${address}\n`;
    await using warden = await createWarden({ bundle: await withScript(script), trust });
    const decision = await warden.dispatch(event);
    expect(decision).toMatchObject({ verdict: "deny", trace: [{ fault: { code: "threw" } }] });
    expect(asked).toBe(0);
  } finally {
    server.close();
  }
});

test("a script with imports, which no bundler left there, does not load", async () => {
  for (const script of [
    `import fs from "node:fs"; export default () => null;`,
    `import "./other.js"; export default () => null;`,
    `export * from "https://evil.invalid/x.js"; export default () => null;`,
  ]) {
    await using warden = await createWarden({ bundle: await withScript(script), trust });
    expect(await warden.dispatch(event)).toMatchObject({
      verdict: "deny",
      trace: [{ fault: { code: "load-failed" } }],
    });
  }
});

test("nothing is written, whatever is refused", async () => {
  const folder = testFolder();
  const before = process.cwd();
  process.chdir(folder);
  try {
    const file = join(folder, "evil.tgz");
    writeFileSync(file, await resigned([{ path: "../../x", bytes: "x" }, ...files]));
    const keepBundle = join(folder, "kept");
    await expect(createWarden({ bundle: file, trust, keepBundle })).rejects.toMatchObject(invalid);
    expect(readdirSync(folder)).toEqual(["evil.tgz"]);
  } finally {
    process.chdir(before);
  }
});

test("no message of a refusal says where the host keeps its files", async () => {
  const file = join(testFolder(), "evil.tgz");
  writeFileSync(file, good.subarray(0, 50));
  const error = await createWarden({ bundle: file, trust }).catch((thrown: Error) => thrown);
  expect(String((error as Error).message)).not.toContain(file);
});

// A mirror can compress a bundle again. Were it known by its file, the version that serves would be refused as
// another one (`bundle-rollback`), an approval would not be found, and two reports would name one bundle by two names.
describe("a bundle that somebody has compressed anew", () => {
  const header = (packed: Buffer): Buffer => packed.subarray(0, 10);
  const anew = async (packed: Buffer, options: ZlibOptions): Promise<Buffer> => {
    const tar = await decompress(packed);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(tar), 0);
    trailer.writeUInt32LE(tar.length, 4);
    return Buffer.concat([header(packed), deflateRawSync(tar, options), trailer]);
  };
  const encoding = fc.record({
    level: fc.integer({ min: 0, max: 9 }),
    memLevel: fc.integer({ min: 1, max: 9 }),
    strategy: fc.integer({ min: 0, max: 4 }),
  });

  test("is the same bundle: its digest, floors, approvals", async () => {
    const { digest } = await openWith(good);
    const files = new Set<string>();
    await fc.assert(
      fc.asyncProperty(encoding, async (options) => {
        const packed = await anew(good, options);
        files.add(packed.toString("base64"));
        const floors = [{ version: "1.0.0", digest }];
        expect((await openWith(packed, trust, { floors })).digest).toBe(digest);
        const approving: Trust = { ...trust, floor: "9.0.0", approved: [digest] };
        expect((await openWith(packed, approving)).digest).toBe(digest);
      }),
      { numRuns: propertyRuns(20), seed: 12 },
    );
    expect(files.size).toBeGreaterThan(10);
  });

  test("and so is one that another key has signed, or none; other content is another one", async () => {
    const { digest } = await openWith(good);
    const unsigned = await compress(await rawTar([entries[0] as RawEntry, ...files]));
    expect((await openWith(unsigned, null)).digest).toBe(digest);
    const other = await bundleOf({ manifest: { version: "1.0.1" } });
    expect((await openWith(other)).digest).not.toBe(digest);
  });
});
