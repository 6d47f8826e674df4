/**
 * Frames from the parent to the child. One ASCII header line, then the strings that it gives the sizes of, each
 * followed by a newline. JSON texts of guests travel as they are: nothing is encoded twice, and a text with newlines
 * in it is no special case.
 *
 *     L index key name source                                   remember a program under a number
 *     F index                                                   forget it
 *     G group options                                   calls of this group follow; options: JSON, see `CallGroup`
 *     C id index time s0 s1 s2 s3 budget group tenant handler keep arg…|limits   call
 *     I id index tenant|limits                                  inspect
 *     W                                                         wake up: a call is about to follow
 *
 * `key`, `tenant`, `arg` and so on stand for sizes in bytes; `keep` is `-` where the call is pristine,
 * `budget` if the caller sets no limit of its own, and `group` if the call is in none.
 */
import type { Call, CallGroup, Program } from "../contract.ts";
import { type Limits, limitNames } from "../limits.ts";

/** Version of both frame formats; a child that speaks another one is refused. */
export const protocolVersion = 4;

const limitsTexts = new WeakMap<Limits, string>();

/** Limits are few objects used for many calls, so their text is made once for each. */
function limitsText(limits: Limits): string {
  let text = limitsTexts.get(limits);
  if (text === undefined) {
    text = limitNames.map((name) => limits[name]).join(" ");
    limitsTexts.set(limits, text);
  }
  return text;
}

const bytes = Buffer.byteLength;

export function encodeLoad(index: number, { key, name, source }: Program): string {
  return `L ${index} ${bytes(key)} ${bytes(name)} ${bytes(source)}\n${key}\n${name}\n${source}\n`;
}

export function encodeForget(index: number): string {
  return `F ${index}\n`;
}

export function encodeGroup(group: number, options: CallGroup): string {
  const text = JSON.stringify(options);
  return `G ${group} ${bytes(text)}\n${text}\n`;
}

/** @param group number of the group, as sent by `encodeGroup`; absent if the call is in none. */
export function encodeCall(id: number, index: number, call: Call, group?: number): string {
  const { tenant, handler, keep, args, seed } = call;
  let header = `C ${id} ${index} ${call.time} ${seed[0]} ${seed[1]} ${seed[2]} ${seed[3]} ${call.budgetMs ?? "-"} ${group ?? "-"} ${bytes(tenant)} ${bytes(handler)} `;
  let body = `${tenant}\n${handler}\n`;
  if (keep === undefined) header += "-";
  else {
    header += bytes(keep);
    body += `${keep}\n`;
  }
  for (const arg of args) {
    header += ` ${bytes(arg)}`;
    body += `${arg}\n`;
  }
  return `${header}|${limitsText(call.limits)}\n${body}`;
}

export function encodeInspect(id: number, index: number, tenant: string, limits: Limits): string {
  return `I ${id} ${index} ${bytes(tenant)}|${limitsText(limits)}\n${tenant}\n`;
}

export function encodeWake(): string {
  return "W\n";
}

export type Request =
  | { readonly kind: "wake" }
  | { readonly kind: "load"; readonly index: number; readonly program: Program }
  | { readonly kind: "forget"; readonly index: number; readonly program: Program }
  | { readonly kind: "group"; readonly group: number; readonly options: CallGroup }
  | { readonly kind: "call"; readonly id: number; readonly call: Call; readonly group: number | null }
  | {
      readonly kind: "inspect";
      readonly id: number;
      readonly program: Program;
      readonly tenant: string;
      readonly limits: Limits;
    };

/** Where the child takes bytes from: each call gives a text of exactly so many bytes, or the next header line. */
export interface ByteSource {
  /** The next line without its newline, or `null` at the end of the stream. */
  line(): string | null;
  /** The next `size` bytes, which a newline must follow. */
  text(size: number): string;
}

/** Reads requests. The parent is trusted, so a broken frame is a defect and throws. */
export class RequestReader {
  readonly #source: ByteSource;
  readonly #programs = new Map<number, Program>();
  readonly #limits = new Map<string, Limits>();

  constructor(source: ByteSource) {
    this.#source = source;
  }

  next(): Request | null {
    const line = this.#source.line();
    if (line === null) return null;
    const bar = line.indexOf("|");
    const fields = (bar < 0 ? line : line.slice(0, bar)).split(" ");
    switch (fields[0]) {
      case "C":
        return this.#call(fields, line.slice(bar + 1));
      case "L": {
        const index = Number(fields[1]);
        const program = {
          key: this.#text(fields[2]),
          name: this.#text(fields[3]),
          source: this.#text(fields[4]),
        };
        this.#programs.set(index, program);
        return { kind: "load", index, program };
      }
      case "G":
        return {
          kind: "group",
          group: Number(fields[1]),
          options: JSON.parse(this.#text(fields[2])) as CallGroup,
        };
      case "W":
        return { kind: "wake" };
      case "F": {
        const index = Number(fields[1]);
        const program = this.#program(index);
        this.#programs.delete(index);
        return { kind: "forget", index, program };
      }
      case "I":
        return {
          kind: "inspect",
          id: Number(fields[1]),
          program: this.#program(Number(fields[2])),
          tenant: this.#text(fields[3]),
          limits: this.#readLimits(line.slice(bar + 1)),
        };
      default:
        throw new Error("unknown frame");
    }
  }

  #call(fields: string[], limits: string): Request {
    const program = this.#program(Number(fields[2]));
    const budgetMs = fields[8] === "-" ? undefined : Number(fields[8]);
    const group = fields[9] === "-" ? null : Number(fields[9]);
    const tenant = this.#text(fields[10]);
    const handler = this.#text(fields[11]);
    const keep = fields[12] === "-" ? undefined : this.#text(fields[12]);
    const args: string[] = [];
    for (let at = 13; at < fields.length; at++) args.push(this.#text(fields[at]));
    const call: Call = {
      program,
      tenant,
      handler,
      args,
      time: Number(fields[3]),
      seed: [Number(fields[4]), Number(fields[5]), Number(fields[6]), Number(fields[7])],
      limits: this.#readLimits(limits),
      ...(budgetMs === undefined ? undefined : { budgetMs }),
      ...(keep === undefined ? undefined : { keep }),
    };
    return { kind: "call", id: Number(fields[1]), call, group };
  }

  #text(size: string | undefined): string {
    const bytes = Number(size);
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Error("broken frame");
    return this.#source.text(bytes);
  }

  #program(index: number): Program {
    const program = this.#programs.get(index);
    if (!program) throw new Error("unknown program");
    return program;
  }

  /** The same text gives the same object, so that an engine can cache by identity. */
  #readLimits(text: string): Limits {
    let limits = this.#limits.get(text);
    if (!limits) {
      const values = text.split(" ").map(Number);
      limits = Object.freeze(Object.fromEntries(limitNames.map((name, at) => [name, values[at]]))) as Limits;
      if (this.#limits.size >= 256) this.#limits.clear();
      this.#limits.set(text, limits);
    }
    return limits;
  }
}
