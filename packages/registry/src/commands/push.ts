import type { Command } from "commander";
import { packedLimits, readWholeFile } from "hookwarden/bundle";
import { addExample, addFormat, type Cli, type FormatOption, paragraph, safeJson } from "hookwarden/cli";
import { pushBundle } from "../push.ts";

interface Options extends FormatOption {
  readonly unsigned?: true;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("<bundle>", "the bundle, a .tgz")
    .argument("<address>", "oci://HOST/REPOSITORY[:TAG]; the tag is the bundle's version by default")
    .option("--unsigned", "push a bundle without a signature, which no host accepts")
    .action((bundle: string, address: string, options: Options) => run(bundle, address, options, cli));
  addExample(addFormat(command), "push policies-1.2.0.tgz oci://registry.example/team/policies");
}

async function run(path: string, address: string, options: Options, { terminal }: Cli): Promise<void> {
  const bytes = await readWholeFile(path, packedLimits.packedBytes, "the bundle");
  terminal.progress("pushing");
  const pushed = await pushBundle(bytes, address, { unsigned: options.unsigned === true });
  if (options.format === "json") return terminal.line(safeJson(pushed, 2));
  await terminal.line(paragraph(terminal, 0, { text: `pushed ${pushed.reference}`, style: "green" }));
  await terminal.line(paragraph(terminal, 0, `bundle ${pushed.digest}`));
}
