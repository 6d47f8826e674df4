import type { Command } from "commander";
import { generateKey, type PublicKeyJwk, readTrust, toPublicKey } from "../../bundle/index.ts";
import { HookwardenError } from "../../errors/index.ts";
import type { Cli } from "../cli.ts";
import { appendToList, exists, writeNew } from "../init/write.ts";
import { safeJson, visible } from "../sanitize-text.ts";
import { addExample, addFormat, type FormatOption, required } from "../options.ts";
import { writeSecret } from "../out-file.ts";

interface KeygenOptions extends FormatOption {
  readonly out?: string;
  readonly kid?: string;
  readonly trust?: string;
}

export function define(command: Command, cli: Cli): void {
  command
    .option("--out <file>", "where the private key goes; never overwritten (required)")
    .option("--kid <name>", "name of the key (default: made from the key)")
    .option("--trust <file>", "add the public key to this trust file, new or there already")
    .action((options: KeygenOptions) => run(options, cli));
  addExample(
    addFormat(command),
    "keygen --out release.jwk --kid release-2026 --trust trust.json",
    "keygen --out release.jwk --format json > release.pub.jwk",
  );
}

async function run({ out, kid, trust, format }: KeygenOptions, { terminal }: Cli): Promise<void> {
  const path = required(out, "--out");
  const key = await generateKey(kid);
  if (trust !== undefined) await checkFree(trust, key.kid);
  await writeSecret(path, `${JSON.stringify(key, null, 2)}\n`);
  const publicKey = toPublicKey(key);
  if (trust !== undefined) await addKey(trust, publicKey);
  if (format === "json") return terminal.line(safeJson(publicKey));
  if (trust !== undefined) {
    const [name, file, list] = [key.kid, path, trust].map(visible);
    return terminal.line(
      `the key \`${name}\` was written to \`${file}\`, and its public key added to \`${list}\``,
    );
  }
  await terminal.line("the public key, for `keys` of trust files:");
  await terminal.line(safeJson(publicKey, 2));
}

/** Before anything is written: a trust file that there is must be valid, and must not have a key of that name. */
async function checkFree(trust: string, kid: string): Promise<void> {
  if (!(await exists(trust)) || !(await readTrust(trust)).keys.has(kid)) return;
  const place = { file: trust };
  const fix = "Choose another name with `--kid`.";
  throw new HookwardenError("trust-invalid", `the file has a key \`${visible(kid)}\` already`, place, {
    fix,
  });
}

async function addKey(trust: string, key: PublicKeyJwk): Promise<void> {
  if (await exists(trust)) return appendToList(trust, "keys", key);
  return writeNew(new Map([[trust, `${safeJson({ keys: [key] }, 2)}\n`]]));
}
