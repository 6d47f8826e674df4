import type { Command } from "commander";
import {
  addExample,
  addFormat,
  type Cli,
  type FormatOption,
  paragraph,
  required,
  safeJson,
  writeOut,
} from "hookwarden/cli";
import { pullBundle } from "../pull.ts";

interface Options extends FormatOption {
  readonly out?: string;
  readonly trust?: string;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("<address>", "oci://HOST/REPOSITORY@sha256:DIGEST, or oci://HOST/REPOSITORY:TAG")
    .option("--trust <file>", "the keys that are trusted, as docs/bundles.md has them (required)")
    .option("--out <file>", "where to write the bundle, a .tgz (required)")
    .action((address: string, options: Options) => run(address, options, cli));
  addExample(addFormat(command), "pull oci://ghcr.io/team/p:1.2.0 --trust keys.json --out p.tgz");
}

async function run(address: string, options: Options, { terminal }: Cli): Promise<void> {
  const out = required(options.out, "--out");
  const trust = required(options.trust, "--trust");
  terminal.progress("pulling");
  const { bytes, reference, manifest, bundle } = await pullBundle(address, { trust });
  await writeOut(out, bytes);
  const { list, digest, key } = bundle;
  if (options.format === "json") {
    const report = { file: out, reference, manifest, digest, key, name: list.name, version: list.version };
    return terminal.line(safeJson(report, 2));
  }
  const text = `${list.name} ${list.version} for ${list.target}: signed by ${key}`;
  await terminal.line(paragraph(terminal, 0, { text, style: "green" }));
  await terminal.line(paragraph(terminal, 0, `pulled ${reference}`));
  await terminal.line(paragraph(terminal, 0, `bundle ${digest}`));
}
