import { readRecord } from "./read-record.ts";
import { type LogProblem, readChain, type ReadChainOptions } from "./read-chain.ts";

export interface VerifyOptions extends ReadChainOptions {
  /** Hash of a record that must be there, such as the head that was noted down when the log was last looked at. */
  readonly expect?: string;
}

/** A place at which a run ended without its last record. */
export interface Interruption {
  /** Number of the first record behind it. */
  readonly record: number;
  /** Bytes behind the last whole record, which were moved away. */
  readonly tornBytes: number;
  /** Name of the file that they were moved to. */
  readonly tornFile: string | null;
}

/** What a check of a log has found. */
export interface LogReport {
  /** `null`: every record is as it was written, none is missing between the first and the last, and all are in order. */
  readonly problem: LogProblem | { readonly kind: "missing-head"; readonly message: string } | null;
  readonly records: number;
  readonly decisions: number;
  readonly tenants: number;
  /** Whether the last run ended in order. Otherwise what it had not flushed is missing. */
  readonly closed: boolean;
  /** Hash of the last good record; `null` for an empty log. */
  readonly head: string | null;
  readonly interruptions: readonly Interruption[];
}

/**
 * Checks a decision log, and names the first record that was changed, dropped or reordered.
 *
 * A chain of hashes cannot show that records are missing at the end, nor that somebody wrote the whole log anew. Both
 * show against a head that was noted down elsewhere: see `expect`.
 */
export async function verifyLog(
  source: AsyncIterable<Uint8Array>,
  options: VerifyOptions = {},
): Promise<LogReport> {
  let problem: LogReport["problem"] = null;
  let records = 0;
  let decisions = 0;
  let closed = false;
  let head: string | null = null;
  let found = options.expect === undefined;
  const tenants = new Set<string>();
  const interruptions: Interruption[] = [];
  for await (const next of readChain(source, options)) {
    if (next.problem) {
      ({ problem } = next);
      break;
    }
    const { record } = next;
    records++;
    head = record.hash;
    found ||= head === options.expect;
    closed = record.kind === "end";
    if (record.kind === "decision") decisions++;
    if (record.tenant !== undefined) tenants.add(record.tenant);
    if (record.kind === "start") {
      const { recovery } = readRecord(record.text, record.line);
      const interrupted = recovery as {
        closed: boolean;
        torn: { bytes: number; file: string } | null;
      } | null;
      if (interrupted && !interrupted.closed) {
        const { bytes = 0, file = null } = interrupted.torn ?? {};
        interruptions.push({ record: record.n, tornBytes: bytes, tornFile: file });
      }
    }
  }
  if (!problem && !found) {
    problem = {
      kind: "missing-head",
      message:
        "the record with the expected hash is not in the log: its end was cut off, or it was written anew",
    };
  }
  return {
    problem,
    records,
    decisions,
    tenants: tenants.size,
    closed: closed && !problem,
    head,
    interruptions,
  };
}
