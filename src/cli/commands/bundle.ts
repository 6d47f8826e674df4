import type { Command } from "commander";
import { buildBundle, type BuildOptions, digestOfList } from "../../bundle/index.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../decision-table.ts";
import { safeJson } from "../sanitize-text.ts";
import { readJsonFile } from "../json-file.ts";
import { addExample, addFormat, type FormatOption, required } from "../options.ts";
import { writeOut } from "../out-file.ts";
import { paragraph } from "../table.ts";

interface BundleCommandOptions extends FormatOption {
  readonly out?: string;
  readonly key?: string;
  readonly packName?: string;
  readonly packVersion?: string;
  readonly target?: string;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("<pack>", "folder of the pack")
    .option("--out <file>", "the bundle, a .tgz (required)")
    .option("--key <file>", "private key to sign with; without it no host accepts the bundle")
    .option("--pack-name <name>", "name, where the pack's manifest has none")
    .option("--pack-version <version>", "version, where the pack's manifest has none")
    .option("--target <target>", "where it is meant to run (default: `default`)")
    .action((pack: string, options: BundleCommandOptions) => run(pack, options, cli));
  addExample(addFormat(command), "bundle ./policies --out policies-1.2.0.tgz --key release.jwk");
}

async function run(pack: string, options: BundleCommandOptions, { terminal }: Cli): Promise<void> {
  const { key, packName: name, packVersion: version, target, format } = options;
  const out = required(options.out, "--out");
  terminal.progress("bundling");
  const build: BuildOptions = {
    ...(key === undefined ? {} : { key: await readJsonFile(key) }),
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(target === undefined ? {} : { target }),
  };
  const { bytes, list, signed } = await buildBundle(pack, build);
  await writeOut(out, bytes);
  const digest = digestOfList(list);
  if (format === "json") {
    await terminal.line(safeJson({ file: out, digest, bytes: bytes.length, signed, ...list }, 2));
    return;
  }
  const what = `${list.name} ${list.version} for ${list.target}: ${plural(list.files.length, "file")}, ${plural(bytes.length, "byte")}`;
  await terminal.line(paragraph(terminal, 0, `${what}, ${signed ? "signed" : "not signed"}`));
  await terminal.line(paragraph(terminal, 0, `bundle ${digest}`));
  await terminal.line(paragraph(terminal, 0, `pack   ${list.pack}`));
}
