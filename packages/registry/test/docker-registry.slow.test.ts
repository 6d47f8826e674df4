import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBundle } from "hookwarden/bundle";
import { sha256 } from "hookwarden/files";
import { key, packFolder, testFolder, trust } from "../../../test/bundle/support.ts";
import { cliProcess } from "../../../test/cli/cli.ts";

const program = "docker-registry";
const isInstalled = spawnSync(program, ["--version"]).status === 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

// Needs the Debian package `docker-registry`; skips without it.
describe.runIf(isInstalled)("a registry of the Docker distribution", () => {
  const folder = testFolder();
  const storage = join(folder, "storage");
  let child: ReturnType<typeof spawn>;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    address = `oci://127.0.0.1:${port}/team/policies`;
    const config = join(folder, "config.yml");
    writeFileSync(
      config,
      `version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: ${storage}\nhttp:\n  addr: 127.0.0.1:${port}\n`,
    );
    child = spawn(program, ["serve", config], { stdio: "ignore" });
    for (let attempt = 0; attempt < 100; attempt++) {
      if (
        await fetch(`http://127.0.0.1:${port}/v2/`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error("the registry does not start");
  });

  afterAll(() => {
    child.kill();
  });

  it("hands a bundle from one node to another, and cannot change it", async () => {
    const { bytes } = await buildBundle(packFolder({ name: "policies", version: "1.2.0" }), { key });
    const file = join(folder, "policies.tgz");
    const trustFile = join(folder, "trust.json");
    const out = join(folder, "pulled.tgz");
    writeFileSync(file, bytes);
    writeFileSync(trustFile, JSON.stringify(trust));

    const pushed = await cliProcess(["push", file, address, "--format", "json"]);
    expect(pushed.code, pushed.err).toBe(0);
    const { reference } = JSON.parse(pushed.out) as { readonly reference: string };
    const pull = ["pull", reference, "--trust", trustFile, "--out", out];
    const pulled = await cliProcess(pull);
    expect(pulled.code, pulled.err).toBe(0);
    expect(pulled.out).toMatch(/^policies 1\.2\.0 for default: signed by release-1\n/);
    expect(readFileSync(out).equals(bytes)).toBe(true);

    const [stored] = globSync(`${storage}/**/${sha256(bytes).slice("sha256:".length)}/data`);
    const changed = Buffer.from(bytes);
    changed[changed.length - 9]! ^= 1;
    writeFileSync(stored!, changed);
    const refused = await cliProcess(pull);
    expect(refused.code).toBe(65);
    expect(refused.err).toMatch(/registry-failed: the registry sent another bundle/);
    // The file of the last good pull is untouched.
    expect(readFileSync(out).equals(bytes)).toBe(true);
  });
});

it.skipIf(isInstalled)(
  "is not tested against a real registry, because docker-registry is not installed",
  () => {
    expect(isInstalled).toBe(false);
  },
);
