import { createHash, type Hash } from "node:crypto";
import { HookwardenError } from "../errors/index.ts";
import { comparable } from "./difference.ts";
import {
  catalogueDigest,
  packageVersion,
  asciiJson,
  readLines,
  readRecord,
  type LogRecord,
  readChain,
  type ReadChainOptions,
} from "../log/index.ts";
import { readDecision, readStart } from "./parse-record.ts";
import { type Replayed, type ReplayProof, valueDigest } from "./replay.ts";

/** How many decisions came out how. */
export interface ReplayTotals {
  readonly same: number;
  readonly different: number;
  readonly skipped: number;
}

/**
 * Writes a certificate of a replay, as JSON Lines: what was replayed with what, a line for each decision with digests of
 * all that went in and came out, and a last line with the digest of those before it. It holds nothing of the machine and
 * no time, so that every replay of the same log with the same pack gives the same certificate, byte for byte.
 */
export class CertificateWriter {
  readonly #hash: Hash = createHash("sha256");
  readonly #counts = { same: 0, different: 0, skipped: 0 };

  get totals(): ReplayTotals {
    return this.#counts;
  }

  /** The first line. */
  begin(): string {
    return this.#line({
      kind: "certificate",
      format: 1,
      package: packageVersion,
      catalogue: catalogueDigest(),
    });
  }

  /** The line of one decision. */
  add({ n, tenant, seq, decision_id, record, result, why, difference, proof }: Replayed): string {
    this.#counts[result]++;
    const outcome = difference ? { difference: difference.pointer } : why === null ? {} : { why };
    return this.#line({
      kind: "decision",
      n,
      tenant,
      seq,
      decision_id,
      record,
      result,
      ...outcome,
      ...proof,
    });
  }

  /** The last line. It may be signed: `bytes` are what a signature is of. */
  end(signature: string | null = null): string {
    return asciiJson(
      JSON.stringify({
        kind: "end",
        ...this.#counts,
        digest: this.digest(),
        ...(signature === null ? {} : { signature }),
      }),
    );
  }

  /** `sha256:` of all lines so far. */
  digest(): string {
    return `sha256:${this.#hash.copy().digest("hex")}`;
  }

  #line(members: object): string {
    const line = asciiJson(JSON.stringify(members));
    this.#hash.update(`${line}\n`);
    return line;
  }
}

/** What a certificate says. */
export interface CertificateReport {
  readonly totals: ReplayTotals;
  /** `sha256:` of its lines but the last. What a signature is of. */
  readonly digest: string;
  readonly signature: string | null;
  /** Digests of the packs and engines that replayed. */
  readonly packs: readonly string[];
  readonly engines: readonly string[];
  readonly package: string;
}

/**
 * Checks a certificate: that it is whole, and, where the log is at hand, that it is of this log, of every decision in
 * it, and that the log says of each the same inputs, outputs, steps and decision. Runs nothing.
 *
 * @throws {HookwardenError} `certificate-invalid` with the line at which it does not hold; `log-broken` where the log does
 * not hold.
 */
export async function verifyCertificate(
  source: AsyncIterable<Uint8Array>,
  log: AsyncIterable<Uint8Array> | null = null,
  options: ReadChainOptions = {},
): Promise<CertificateReport> {
  const records = log && decisionsOf(log, options);
  const hash = createHash("sha256");
  const totals = { same: 0, different: 0, skipped: 0 };
  const packs = new Set<string>();
  const engines = new Set<string>();
  let version: string | null = null;
  let last: { readonly [member: string]: unknown } | null = null;
  let number = 0;
  for await (const { bytes, ended, tooLong } of readLines(source)) {
    number++;
    if (!ended || tooLong) throw broken("the certificate is cut off", number);
    if (last) throw broken("there are lines behind the end of the certificate", number);
    const text = bytes.toString("latin1");
    const line = readRecord(text, number, "certificate-invalid");
    if (line.kind === "end" && version !== null) {
      last = line;
      continue;
    }
    hash.update(bytes).update("\n");
    if (number === 1) {
      if (line.kind !== "certificate" || line.format !== 1)
        throw broken("it is no certificate of a replay", number);
      version = String(line.package);
      continue;
    }
    const { result, pack, engine } = line as unknown as Partial<ReplayProof> & Pick<Replayed, "result">;
    if (line.kind !== "decision" || !Object.hasOwn(totals, result))
      throw broken("it is no line of a certificate", number);
    totals[result]++;
    if (pack !== undefined) packs.add(pack);
    if (typeof engine === "object" && engine !== null) engines.add(engine.digest);
    if (records) await compareWithLog(records, line, number);
  }
  const digest = `sha256:${hash.digest("hex")}`;
  if (!last) throw broken("the certificate is cut off", number);
  if (last.digest !== digest)
    throw broken("the certificate was changed: its digest is not that of its lines", number);
  for (const [result, count] of Object.entries(totals)) {
    if (last[result] !== count)
      throw broken(`it counts ${String(last[result])} decisions as ${result}, and has ${count}`, number);
  }
  if (records && !(await records.next()).done)
    throw broken("the log has decisions that the certificate does not have", number);
  const signature = typeof last.signature === "string" ? last.signature : null;
  return { totals, digest, signature, packs: [...packs], engines: [...engines], package: version as string };
}

/** A decision of the log, and the engine that made it. */
interface Decided {
  readonly record: LogRecord;
  readonly engine: string;
}

async function* decisionsOf(
  log: AsyncIterable<Uint8Array>,
  options: ReadChainOptions,
): AsyncGenerator<Decided, undefined> {
  let engine = "";
  for await (const { record, problem } of readChain(log, options)) {
    if (problem) throw new HookwardenError("log-broken", problem.message, { line: problem.line });
    if (record.kind === "start") engine = readStart(record).engine.name;
    if (record.kind === "decision") yield { record, engine };
  }
}

/** Holds one line to the next record of the log. */
async function compareWithLog(
  records: AsyncGenerator<Decided, undefined>,
  line: { readonly [member: string]: unknown },
  number: number,
): Promise<void> {
  const { value: decided } = await records.next();
  if (!decided) throw broken("the log has no such decision", number);
  const { record, engine } = decided;
  if (record.hash !== line.record)
    throw broken(`it is of another record than number ${record.n} of the log`, number);
  if (line.result !== "same") return;
  const logged = readDecision(record);
  const proof = line as unknown as ReplayProof;
  const sameEngine = (proof.engine as { name?: unknown } | null | undefined)?.name === engine;
  if (proof.event !== valueDigest(logged.event)) throw broken("the event is another one in the log", number);
  if (proof.decision !== valueDigest(comparable(logged.decision, sameEngine)))
    throw broken("the decision is another one in the log", number);
  if (proof.pack !== logged.decision.pack) throw broken("the pack is another one in the log", number);
  const members = ["hook", "digest", "input", "output", ...(sameEngine ? ["steps"] : [])];
  const calls: readonly unknown[] = Array.isArray(proof.calls) ? proof.calls : [];
  const same =
    calls.length === logged.calls.length &&
    calls.every((call, index) => {
      const other = logged.calls[index] as unknown as { readonly [member: string]: unknown };
      const one = (call ?? {}) as { readonly [member: string]: unknown };
      return members.every((member) => one[member] === other[member]);
    });
  if (!same) throw broken("the calls of hooks are others in the log", number);
}

function broken(message: string, line: number): HookwardenError {
  return new HookwardenError("certificate-invalid", message, { line });
}
