import type { Command } from "commander";
import {
  verifySignature,
  packedLimits,
  readTrust,
  openBundle,
  type OpenedBundle,
  readWholeFile,
  isVersion,
  type CheckedTrust,
} from "../../bundle/index.ts";
import { HookwardenError } from "../../errors/index.ts";
import { type CertificateReport, verifyCertificate } from "../../replay/index.ts";
import { loadPack } from "../../pack/index.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../decision-table.ts";
import { safeJson } from "../sanitize-text.ts";
import { readBytesOf } from "../input-stream.ts";
import { addExample, addFormat, type FormatOption } from "../options.ts";
import { inFile } from "../in-file.ts";
import { reportError } from "../report-error.ts";
import { paragraph } from "../table.ts";

interface VerifyOptions extends FormatOption {
  readonly trust?: string;
  readonly floor?: string;
  readonly packName?: string;
  readonly target?: string;
  readonly unsigned?: true;
  readonly certificate?: string;
  readonly log?: string;
  readonly pack?: string;
}

/** Exit status where what was checked does not hold. */
const doesNotHold = 1;
const verdicts: ReadonlySet<string> = new Set([
  "bundle-invalid",
  "bundle-untrusted",
  "bundle-rollback",
  "log-broken",
  "certificate-invalid",
]);

export function define(command: Command, cli: Cli): void {
  command
    .argument("[bundle]", "the bundle, a .tgz")
    .option("--trust <file>", "the keys that are trusted, as docs/bundles.md has them")
    .option("--floor <version>", "lowest version that is accepted")
    .option("--pack-name <name>", "name that the bundle must have")
    .option("--target <target>", "target that it must be made for (default: as trusted)")
    .option("--unsigned", "check the format only, without verifying a signature")
    .option("--certificate <file>", "check the certificate of a replay instead")
    .option("--log <file>", "with --certificate: the log that was replayed")
    .option("--pack <folder>", "with --certificate: the pack it was replayed with")
    .action(async (bundle: string | undefined, options: VerifyOptions) => {
      try {
        await run(bundle, options, cli);
      } catch (error) {
        if (!(error instanceof HookwardenError) || !verdicts.has(error.code)) throw error;
        reportError(cli.terminal, error, options.format === "json");
        cli.exitCode = doesNotHold;
      }
    });
  addExample(
    addFormat(command),
    "verify policies-1.2.0.tgz --trust keys.json --floor 1.2.0",
    "verify --certificate cert.jsonl --log d.jsonl --pack ./policies",
  );
}

async function run(bundle: string | undefined, options: VerifyOptions, cli: Cli): Promise<void> {
  if ((bundle === undefined) === (options.certificate === undefined)) {
    throw new HookwardenError("usage", "give either a bundle or `--certificate`");
  }
  const given = options.trust === undefined ? null : await readTrust(options.trust);
  if (options.certificate !== undefined) return certificate(options.certificate, given, options, cli);
  if ((given === null) !== (options.unsigned === true)) {
    throw new HookwardenError("usage", "give `--trust`, or `--unsigned` to check the form only");
  }
  if (!given && (options.floor ?? options.packName ?? options.target) !== undefined) {
    throw new HookwardenError("usage", "`--floor`, `--pack-name` and `--target` need `--trust`");
  }
  const packed = await readWholeFile(bundle as string, packedLimits.packedBytes, "the bundle");
  const opened = await openBundle(packed, { trust: given && narrowed(given, options) });
  await printBundle(opened, options, cli);
}

/** The trust file, with what the options ask for on top. */
function narrowed(trust: CheckedTrust, { floor, packName, target }: VerifyOptions): CheckedTrust {
  if (floor !== undefined && !isVersion(floor))
    throw new HookwardenError("usage", "`--floor` must be a semantic version");
  return {
    ...trust,
    ...(packName === undefined ? {} : { name: packName }),
    ...(target === undefined ? {} : { target }),
    // A person's word on this command counts more than what was approved once.
    ...(floor === undefined ? {} : { floor, approved: new Set<string>() }),
  };
}

async function printBundle(
  { list, digest, key, signed, pack }: OpenedBundle,
  options: VerifyOptions,
  { terminal }: Cli,
): Promise<void> {
  const hooks = pack.hooks.map(({ name, version }) => ({ name, version }));
  if (options.format === "json") {
    await terminal.line(safeJson({ digest, signed, key, hooks, ...list }, 2));
    return;
  }
  const by = key === null ? (signed ? "the signature was not looked at" : "not signed") : `signed by ${key}`;
  const text = `${list.name} ${list.version} for ${list.target}: ${by}`;
  await terminal.line(paragraph(terminal, 0, { text, style: key === null ? "yellow" : "green" }));
  await terminal.line(
    paragraph(
      terminal,
      0,
      `${plural(list.files.length, "file")}, ${plural(hooks.length, "hook")}: ${hooks.map(({ name, version }) => `${name} ${version}`).join(", ")}`,
    ),
  );
  await terminal.line(paragraph(terminal, 0, `bundle ${digest}`));
  await terminal.line(paragraph(terminal, 0, `pack   ${list.pack}`));
}

async function certificate(
  path: string,
  trust: CheckedTrust | null,
  options: VerifyOptions,
  { terminal }: Cli,
): Promise<void> {
  const log = options.log === undefined ? null : readBytesOf(options.log);
  const report = await inFile(path, verifyCertificate(readBytesOf(path), log));
  const key = trust && (await signerOf(report, trust));
  const pack = options.pack === undefined ? null : (await loadPack(options.pack)).digest;
  const other = pack === null ? undefined : report.packs.find((digest) => digest !== pack);
  if (other !== undefined)
    throw new HookwardenError(
      "certificate-invalid",
      `the certificate is of another pack: \`${other}\`, and this one is \`${pack}\``,
    );
  if (options.format === "json") {
    await terminal.line(safeJson({ ...report, key, log: options.log !== undefined, pack }, 2));
    return;
  }
  const { same, different, skipped } = report.totals;
  const by = key === null ? "" : `; signed by ${key}`;
  const held = [options.log === undefined ? null : "the log", pack === null ? null : "the pack"].filter(
    (one) => one !== null,
  );
  const against = held.length === 0 ? "is whole" : `holds against ${held.join(" and ")}`;
  await terminal.line(paragraph(terminal, 0, { text: `the certificate ${against}${by}`, style: "green" }));
  await terminal.line(paragraph(terminal, 0, `${same} the same, ${different} different, ${skipped} skipped`));
}

async function signerOf({ digest, signature }: CertificateReport, trust: CheckedTrust): Promise<string> {
  if (signature === null) throw new HookwardenError("bundle-untrusted", "the certificate is not signed");
  const signed = { bytes: Buffer.from(digest), type: "hookwarden-certificate", bundle: null } as const;
  return verifySignature(signed, Buffer.from(signature), trust, Date.now());
}
