import { quote } from "@hookwarden/sandbox/json";
import { genesis, recordHash, unseal } from "./line.ts";
import { type Line, readLines } from "./lines.ts";
import type { ChainState } from "./writer.ts";

const kinds = ["start", "pack", "rules", "decision", "approval", "degraded", "end"] as const;
export type RecordKind = (typeof kinds)[number];

/** A record that is what it was when it was written, and follows the one before it. */
export interface LogRecord {
  readonly kind: RecordKind;
  /** The whole line, as JSON text. */
  readonly text: string;
  readonly n: number;
  /** Decisions only. */
  readonly tenant: string | undefined;
  /** Decisions only: the number among its tenant's. */
  readonly seq: number | undefined;
  readonly hash: string;
  /** From 1. */
  readonly line: number;
  /** Where the next line begins, in bytes. */
  readonly end: number;
}

/** What can be wrong with a log. */
export type LogProblemKind = "not-a-log" | "changed" | "dropped" | "reordered" | "torn" | "restarted";

/** The first place at which a log is not what was written. */
export interface LogProblem {
  readonly kind: LogProblemKind;
  /** From 1. */
  readonly line: number;
  /** Number of the record in the log; of the first one where several are missing. */
  readonly record: number;
  readonly message: string;
  /** Whether whole records stand behind it. */
  readonly followed: boolean;
}

export interface ReadChainOptions {
  /** Whether another log may begin behind the end of one, as where the output of several runs was gathered. */
  readonly restarts?: boolean;
}

/** An empty chain. */
export function newChain(): ChainState {
  return { head: { records: 0, hash: genesis }, sequences: new Map() };
}

/** Reads a log record by record, up to its end or its first problem, which comes last. */
export async function* readChain(
  source: AsyncIterable<Uint8Array>,
  options: ReadChainOptions = {},
): AsyncGenerator<
  | { readonly record: LogRecord; readonly problem: null }
  | { readonly record: null; readonly problem: LogProblem }
> {
  const lines = readLines(source);
  const walker = new ChainReader(options.restarts ?? false);
  let number = 0;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const result = walker.take(next.value, ++number);
    if (!("suspect" in result)) {
      yield { record: result, problem: null };
      continue;
    }
    yield { record: null, problem: await explain(result, lines, number) };
    return;
  }
}

/** A problem before it is known what stands behind it. */
interface UnexplainedProblem extends Omit<LogProblem, "followed"> {
  readonly suspect: true;
  /** Where records are missing here: what the first of them is chained to. */
  readonly missing?: { readonly prev: string; readonly upTo: number };
}

interface Sealed {
  readonly record: string;
  readonly hash: string;
  readonly n: number;
  readonly prev: string;
  readonly tenant: string | undefined;
  readonly seq: number | undefined;
}

class ChainReader {
  #chain = newChain();
  readonly #restarts: boolean;

  constructor(restarts: boolean) {
    this.#restarts = restarts;
  }

  take(line: Line, number: number): LogRecord | UnexplainedProblem {
    const expected = this.#chain.head.records + 1;
    const suspect = (kind: LogProblemKind, message: string, record = expected): UnexplainedProblem => ({
      suspect: true,
      kind,
      line: number,
      record,
      message,
    });
    if (!line.ended) {
      return suspect("torn", `the log is cut off in the middle of record ${expected} (line ${number})`);
    }
    const text = line.tooLong ? "" : line.bytes.toString("latin1");
    const sealed = open(text);
    if (!sealed && expected === 1 && !/"hash":"[^"]*"\}$/.test(text)) {
      return suspect("not-a-log", "the first line is not a record of a decision log");
    }
    if (!sealed) return suspect("changed", `record ${expected} (line ${number}) is not what was written`);
    let { head } = this.#chain;
    if (sealed.n === 1 && sealed.prev === genesis && expected > 1) {
      const message = `another log begins at line ${number}, where record ${expected} should stand`;
      if (!this.#restarts) return suspect("restarted", message);
      this.#chain = newChain();
      ({ head } = this.#chain);
    } else if (sealed.n > expected) {
      return { ...suspect("dropped", ""), missing: { prev: head.hash, upTo: sealed.n - 1 } };
    } else if (sealed.n < expected) {
      const message = `record ${sealed.n} stands at line ${number}, behind record ${expected - 1}`;
      return suspect("reordered", message, sealed.n);
    } else if (sealed.prev !== head.hash) {
      const message =
        expected === 1
          ? `record 1 (line ${number}) is not the first one of a log`
          : `record ${expected - 1} (line ${number - 1}) is not the one that record ${expected} was written behind`;
      return suspect("changed", message, Math.max(1, expected - 1));
    }
    const record = `${sealed.record},"hash":"${sealed.hash}"}`;
    const kind = kindOf(record);
    if (!kind)
      return suspect("changed", `record ${expected} (line ${number}) is no record of a decision log`);
    const { tenant, seq } = sealed;
    if (tenant !== undefined) {
      const due = (this.#chain.sequences.get(tenant) ?? 0) + 1;
      if (seq !== due) {
        const message = `tenant ${quote(tenant)} has number ${seq} in record ${sealed.n} (line ${number}), and ${due} is due`;
        return suspect("dropped", message);
      }
      this.#chain.sequences.set(tenant, due);
    }
    (this.#chain as { head: ChainState["head"] }).head = { records: sealed.n, hash: sealed.hash };
    const end = line.offset + line.bytes.length + 1;
    return { kind, text: record, n: sealed.n, tenant, seq, hash: sealed.hash, line: number, end };
  }
}

async function explain(
  suspicion: UnexplainedProblem,
  rest: AsyncGenerator<Line>,
  number: number,
): Promise<LogProblem> {
  const { kind, line, record, message, missing } = suspicion;
  let followed = missing !== undefined || kind === "restarted" || kind === "reordered";
  let at = number;
  for await (const next of rest) {
    at++;
    const sealed = next.ended && !next.tooLong ? open(next.bytes.toString("latin1")) : null;
    if (!sealed) continue;
    followed = true;
    if (missing === undefined) break;
    if (sealed.n === record && sealed.prev === missing.prev) {
      const message = `record ${record} stands at line ${at}, behind record ${missing.upTo + 1} at line ${line}`;
      return { kind: "reordered", line, record, message, followed };
    }
  }
  if (!missing) return { kind, line, record, message, followed };
  const { upTo } = missing;
  const which = upTo === record ? `record ${record} is` : `records ${record} to ${upTo} are`;
  return { kind, line, record, message: `${which} missing before line ${line}`, followed };
}

/** A line whose own hash is right; `null` for any other. */
function open(line: string): Sealed | null {
  const parts = unseal(line);
  if (!parts) return null;
  const { record, hash } = parts;
  // Values hold no bare quotes, so that the last member of a name is the record's own.
  const atN = record.lastIndexOf(',"n":');
  const place = /^,"n":([1-9]\d{0,15}),"prev":"(sha256:[0-9a-f]{64})"$/.exec(record.slice(atN));
  if (atN < 0 || !place) return null;
  const prev = place[2] as string;
  if (recordHash(prev, record) !== hash) return null;
  const n = Number(place[1]);
  if (!record.startsWith('{"kind":"decision"'))
    return { record, hash, n, prev, tenant: undefined, seq: undefined };
  const atTenant = record.lastIndexOf(',"tenant":', atN);
  const whose = /^,"tenant":("(?:[^"\\]|\\.)*"),"seq":([1-9]\d{0,15})$/.exec(record.slice(atTenant, atN));
  if (atTenant < 0 || !whose) return null;
  try {
    return { record, hash, n, prev, tenant: JSON.parse(whose[1] as string) as string, seq: Number(whose[2]) };
  } catch {
    return null;
  }
}

function kindOf(text: string): RecordKind | null {
  try {
    const { kind } = JSON.parse(text) as { kind?: unknown };
    return kinds.find((one) => one === kind) ?? null;
  } catch {
    return null;
  }
}
