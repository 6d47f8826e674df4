import { type Command, InvalidArgumentError, Option } from "commander";
import { stat } from "node:fs/promises";
import type { EngineName, Sandbox } from "@hookwarden/sandbox";
import {
  importPrivateKey,
  packedLimits,
  readTrust,
  openBundle,
  readWholeFile,
  sign,
} from "../../bundle/index.ts";
import {
  CertificateWriter,
  type ReplayTotals,
  type Difference,
  type Replayed,
  replayLog,
} from "../../replay/index.ts";
import { loadPack, type LoadedPack } from "../../pack/index.ts";
import { createSandbox } from "../../warden/index.ts";
import { HookwardenError } from "../../errors/index.ts";
import type { Cli } from "../cli.ts";
import { inFile } from "../in-file.ts";
import { excerpt, safeJson } from "../sanitize-text.ts";
import { readBytesOf } from "../input-stream.ts";
import { readJsonFile } from "../json-file.ts";
import { addExample, addFormat, type FormatOption, readTools } from "../options.ts";
import { writeOut } from "../out-file.ts";
import { paragraph } from "../table.ts";
import type { Terminal } from "../terminal.ts";

interface ReplayCommandOptions extends FormatOption {
  readonly pack?: readonly string[];
  readonly trust?: string;
  readonly engine?: EngineName;
  readonly isolation: "process" | "inline";
  readonly tools?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly gathered?: true;
  readonly all?: true;
}

/** Exit status where a decision comes out otherwise. */
const differs = 1;

export function define(command: Command, cli: Cli): void {
  command
    .argument("<log>", "the decision log; `-` is standard input")
    .option("--pack <pack>", "folder or bundle that decided; may be given again (required)", several)
    .option("--trust <file>", "the keys that are trusted, where a pack is a bundle")
    .option("--tools <file>", "input schemas of tools (default: as logged)")
    .addOption(new Option("--engine <engine>", "engine (default: as logged)").choices(["quickjs", "isolate"]))
    .addOption(
      new Option("--isolation <kind>", "sandboxes in child processes, or (quickjs only) in this one")
        .choices(["process", "inline"])
        .default("process"),
    )
    .option("--gathered", "the file holds several logs, one behind the other")
    .option("--all", "tell every difference, not the first one only")
    .option("--certificate <file>", "write what was replayed, for others to verify")
    .option("--key <file>", "private key to sign the certificate with")
    .action((log: string, options: ReplayCommandOptions) => inFile(log, run(log, options, cli)));
  addExample(
    addFormat(command),
    "replay decisions.jsonl --pack ./policies",
    "replay d.jsonl --pack ./policies --certificate cert.jsonl",
  );
}

function several(value: string, before: readonly string[] | undefined): readonly string[] {
  if (value === "") throw new InvalidArgumentError("A path is empty.");
  return [...(before ?? []), value];
}

async function run(log: string, options: ReplayCommandOptions, cli: Cli): Promise<void> {
  const { terminal } = cli;
  const paths = options.pack ?? [];
  if (paths.length === 0) throw new HookwardenError("usage", "the option `--pack` is missing");
  if (options.key !== undefined && options.certificate === undefined) {
    throw new HookwardenError("usage", "`--key` signs a certificate, and needs `--certificate`");
  }
  const signer = options.key === undefined ? null : await importPrivateKey(await readJsonFile(options.key));
  const tools = options.tools === undefined ? {} : { tools: await readTools(options.tools) };
  const packs: LoadedPack[] = [];
  for (const path of paths) packs.push(await packAt(path, options));
  const made: Sandbox[] = [];
  try {
    const sandbox = async (logged: EngineName): Promise<Sandbox> => {
      const engine = options.engine ?? logged;
      const isolation = engine === "isolate" ? "process" : options.isolation;
      const one = await createSandbox({ engine, isolation }, () => undefined);
      made.push(one);
      return one;
    };
    const replayed = replayLog(readBytesOf(log), {
      packs,
      sandbox,
      restarts: options.gathered ?? false,
      ...tools,
    });
    const writer = new CertificateWriter();
    const teller = new ReplayPrinter(options, terminal);
    const lines = [writer.begin()];
    for await (const decision of replayed) {
      if (terminal.signal.aborted) return;
      const line = writer.add(decision);
      if (options.certificate !== undefined) lines.push(line);
      await teller.tell(decision);
    }
    await teller.end(writer.totals);
    if (writer.totals.different > 0) cli.exitCode = differs;
    if (options.certificate === undefined) return;
    const signature = signer && (await sign(Buffer.from(writer.digest()), signer, "hookwarden-certificate"));
    await writeOut(
      options.certificate,
      `${[...lines, writer.end(signature && signature.toString("latin1"))].join("\n")}\n`,
    );
  } finally {
    for (const one of made) await one[Symbol.asyncDispose]();
  }
}

async function packAt(path: string, { trust }: ReplayCommandOptions): Promise<LoadedPack> {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) return loadPack(path);
  if (trust === undefined) throw new HookwardenError("usage", "a bundle needs `--trust`");
  const packed = await readWholeFile(path, packedLimits.packedBytes, "the bundle");
  return (await openBundle(packed, { trust: await readTrust(trust) })).pack;
}

/** Reports replayed decisions: all of them for programs, the first that differ for people. */
class ReplayPrinter {
  #done = 0;
  #otherPack = 0;
  #otherwise = 0;
  readonly #options: ReplayCommandOptions;
  readonly #terminal: Terminal;

  constructor(options: ReplayCommandOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
  }

  async tell(decision: Replayed): Promise<void> {
    this.#terminal.progress(`${++this.#done} decisions`);
    if (this.#options.format === "json") {
      const { proof, ...shown } = decision;
      void proof;
      return this.#terminal.line(safeJson(shown));
    }
    const { difference } = decision;
    if (!difference) return;
    // Of another pack every decision differs in its digest; which of them came out otherwise is what people ask.
    const before = difference.pointer === "/pack" ? this.#otherPack++ : this.#otherwise++;
    if (before === 0 || this.#options.all) await this.#explain(decision, difference);
  }

  async end(totals: ReplayTotals): Promise<void> {
    if (this.#options.format === "json") return this.#terminal.line(safeJson({ totals }));
    const { same, different, skipped } = totals;
    const only = this.#otherPack > 0 ? ` (${this.#otherPack} of them in the pack's digest only)` : "";
    const text = `${same} the same, ${different} different${only}, ${skipped} skipped`;
    await this.#terminal.line(paragraph(this.#terminal, 0, { text, style: different > 0 ? "red" : "green" }));
  }

  async #explain(decision: Replayed, { pointer, logged, replayed, cause }: Difference): Promise<void> {
    const { n, tenant, seq, decision_id, hook_event_name } = decision;
    const terminal = this.#terminal;
    const what = pointer === "/pack" ? "was made by another pack" : "comes out otherwise";
    const head = `record ${n} (${hook_event_name}, tenant ${tenant}, number ${seq}, decision ${decision_id}) ${what}`;
    await terminal.line(paragraph(terminal, 0, { text: head, style: "red" }));
    await terminal.line(paragraph(terminal, 2, `${pointer} was ${shown(logged)}, and is ${shown(replayed)}`));
    await terminal.line(paragraph(terminal, 2, cause));
  }
}

function shown(json: string | null): string {
  return json === null ? "absent" : excerpt(json, 200);
}
