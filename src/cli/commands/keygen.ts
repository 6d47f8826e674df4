import type { Command } from "commander";
import { generateKey, toPublicKey } from "../../bundle/index.ts";
import type { Cli } from "../cli.ts";
import { safeJson } from "../sanitize-text.ts";
import { addExample, addFormat, type FormatOption, required } from "../options.ts";
import { writeSecret } from "../out-file.ts";

interface KeygenOptions extends FormatOption {
  readonly out?: string;
  readonly kid?: string;
}

export function define(command: Command, cli: Cli): void {
  command
    .option("--out <file>", "where the private key goes; never overwritten (required)")
    .option("--kid <name>", "name of the key (default: made from the key)")
    .action((options: KeygenOptions) => run(options, cli));
  addExample(
    addFormat(command),
    "keygen --out release.jwk --kid release-2026",
    "keygen --out release.jwk --format json > release.pub.jwk",
  );
}

async function run({ out, kid, format }: KeygenOptions, { terminal }: Cli): Promise<void> {
  const path = required(out, "--out");
  const key = await generateKey(kid);
  await writeSecret(path, `${JSON.stringify(key, null, 2)}\n`);
  const half = toPublicKey(key);
  if (format === "json") {
    await terminal.line(safeJson(half));
    return;
  }
  await terminal.line("the public half, for `keys` of trust files:");
  await terminal.line(safeJson(half, 2));
}
