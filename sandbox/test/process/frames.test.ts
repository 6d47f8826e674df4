import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogLine, Outcome } from "../../src/contract.ts";
import { defaultLimits } from "../../src/limits.ts";
import { printable } from "../../src/printable.ts";
import { ReplyReader } from "../../src/process/read-reply.ts";
import {
  encodeCall,
  encodeForget,
  encodeWake,
  encodeInspect,
  encodeLoad,
  type Request,
  RequestReader,
} from "../../src/process/request.ts";
import { StdinSource } from "../../src/process/stdin-source.ts";
import { writeInspection, writeOutcome } from "../../src/process/write-reply.ts";
import { callOf, limitsWith, programOf } from "./support.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

/** A `readSync` that gives a text in pieces of the given sizes, again and again. */
function reading(bytes: Buffer, sizes: readonly number[]): never {
  let at = 0;
  let turn = 0;
  const read = (_: number, into: Buffer, offset: number, length: number): number => {
    const size = Math.min(sizes[turn++ % sizes.length]!, length, bytes.length - at);
    bytes.copy(into, offset, at, at + size);
    at += size;
    return size;
  };
  return read as never;
}

/** The same, where the descriptor does not block: a size of 0 stands for nothing there yet. */
function polling(bytes: Buffer, sizes: readonly number[]): never {
  const read = reading(bytes, sizes) as unknown as (...args: unknown[]) => number;
  let at = 0;
  return ((...args: unknown[]) => {
    const count = read(...args);
    at += count;
    if (count === 0 && at < bytes.length) throw Object.assign(new Error("nothing yet"), { code: "EAGAIN" });
    return count;
  }) as never;
}

/** Reads as a child does that stays awake: `feed` is what the event loop has read while it slept. */
function requestsAwake(text: string, sizes: readonly number[]): Request[] {
  const read = polling(Buffer.from(text), sizes);
  const source = new StdinSource(read);
  const reader = new RequestReader(source);
  const piece = Buffer.alloc(7);
  const all: Request[] = [];
  for (;;) {
    while (!source.poll(0)) {
      try {
        const count = (read as (...args: unknown[]) => number)(0, piece, 0, piece.length);
        if (count === 0) source.end();
        else source.feed(piece.subarray(0, count));
      } catch {
        // Still nothing.
      }
    }
    const request = reader.next();
    if (!request) return all;
    all.push(request);
  }
}

function requestsOf(text: string, sizes: readonly number[]): Request[] {
  const reader = new RequestReader(new StdinSource(reading(Buffer.from(text), sizes)));
  const all: Request[] = [];
  for (let request = reader.next(); request; request = reader.next()) all.push(request);
  return all;
}

/** Any text that UTF-8 can say. */
const text = fc.string({ unit: "binary", maxLength: 60 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

describe("requests", () => {
  it("arrive as they were sent, however the pipe cuts them", () => {
    const calls = fc.array(
      fc.record({
        tenant: text,
        handler: text,
        args: fc.array(text, { maxLength: 3 }),
        keep: fc.option(text, { nil: undefined }),
        budgetMs: fc.option(fc.integer({ min: 1 }), { nil: undefined }),
        time: fc.oneof(fc.integer(), fc.double({ noNaN: true })),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(calls, sizes, text, (wanted, cuts, source) => {
        const program = programOf(source);
        const sent = wanted.map(({ keep, budgetMs, handler, args, ...rest }) =>
          callOf(handler, args, {
            ...rest,
            program,
            ...(keep === undefined ? {} : { keep }),
            ...(budgetMs === undefined ? {} : { budgetMs }),
          }),
        );
        const frames = sent.map((call, at) => encodeWake() + encodeCall(at + 1, 1, call)).join("");
        const all = requestsOf(encodeLoad(1, program) + frames + encodeForget(1), cuts);
        const got = all.filter(({ kind }) => kind !== "wake");
        expect(all).toHaveLength(2 * sent.length + 2);
        expect(got[0]).toEqual({ kind: "load", index: 1, program });
        expect(got.slice(1, -1)).toEqual(
          sent.map((call, at) => ({
            kind: "call",
            id: at + 1,
            group: null,
            call: { ...call, time: call.time + 0 },
          })),
        );
        expect(got.at(-1)).toEqual({ kind: "forget", index: 1, program });
      }),
    );
  });

  it("arrive the same where the descriptor does not block, and others read from it in between", () => {
    const some = fc.array(fc.tuple(text, text), { maxLength: 8 });
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(some, gaps, (wanted, cuts) => {
        fc.pre(cuts.some((size) => size > 0));
        const program = programOf();
        const frames = wanted.map(([tenant, arg], at) =>
          encodeCall(at + 1, 1, callOf("h", [arg], { program, tenant })),
        );
        const all = encodeLoad(1, program) + frames.join("");
        expect(requestsAwake(all, cuts)).toEqual(requestsOf(all, [65_536]));
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it("keep newlines and bars in texts from being read as the end of something", () => {
    const program = programOf("export default 1\n|\nC 1 1\n", "a|b\nc");
    const call = callOf("h|\n", ["[1,\n2]", "\n\n|"], { program, tenant: "|\n" });
    const got = requestsOf(
      encodeLoad(9, program) + encodeCall(1, 9, call) + encodeInspect(2, 9, "t\n", call.limits),
      [7],
    );
    expect(got[1]).toEqual({ kind: "call", id: 1, call, group: null });
    expect(got[2]).toEqual({ kind: "inspect", id: 2, program, tenant: "t\n", limits: call.limits });
  });

  it("carry texts that are larger than the buffer, and small ones after them", () => {
    const program = programOf("x".repeat(300_000));
    const large = callOf("h", ["y".repeat(3_000_000), "é".repeat(100_000)], { program });
    const small = callOf("h", ["1"], { program });
    const frames = [large, small, large, small].map((call, at) => encodeCall(at, 1, call)).join("");
    const got = requestsOf(encodeLoad(1, program) + frames, [65_536, 1, 4_095]);
    expect(got.slice(1).map((request) => request.kind === "call" && request.call.args)).toEqual([
      large.args,
      small.args,
      large.args,
      small.args,
    ]);
  });

  it("give equal limits as one object, so that an engine can cache by it", () => {
    const program = programOf();
    const frames = [1, 2].map((id) => encodeCall(id, 1, callOf("h", [], { program }))).join("");
    const [, one, two] = requestsOf(encodeLoad(1, program) + frames, [99]);
    expect(one?.kind === "call" && two?.kind === "call" && one.call.limits === two.call.limits).toBe(true);
  });
});

describe("replies", () => {
  const limits = defaultLimits;

  it("arrive as they were sent, however the pipe cuts them", () => {
    const usage = {
      steps: fc.option(fc.nat()),
      durationUs: fc.nat(),
      memoryBytes: fc.nat(),
      logs: fc.array(
        fc.record({
          level: fc.constantFrom<LogLine["level"]>("debug", "log", "info", "warn", "error"),
          text,
        }),
        { maxLength: 4 },
      ),
    };
    const safeText = text.map(printable);
    const outcome: fc.Arbitrary<Outcome> = fc.oneof(
      fc.record({ ok: fc.constant(true as const), output: fc.option(text), ...usage }),
      fc.record({
        ok: fc.constant(false as const),
        fault: fc.record({ code: fc.constant("threw" as const), message: safeText }),
        ...usage,
      }),
    );
    fc.assert(
      fc.property(
        fc.array(outcome, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 8, max: 200 }),
        (wanted, size) => {
          const bytes = Buffer.from(wanted.map((one, at) => writeOutcome(at + 1, one, limits)).join(""));
          const reader = new ReplyReader();
          const got: unknown[] = [];
          for (let at = 0; at < bytes.length; at += size) {
            reader.push(bytes.subarray(at, at + size));
            for (;;) {
              const expected =
                got.length < wanted.length ? ({ id: got.length + 1, kind: "call", limits } as const) : null;
              const reply = reader.next(expected);
              if (!reply) break;
              got.push(reply.outcome);
            }
          }
          expect(got).toEqual(wanted);
        },
      ),
    );
  });

  it("are cut by the child where an engine exceeds what the parent accepts", () => {
    const logs: LogLine[] = Array.from({ length: 100_000 }, () => ({ level: "log", text: "é€😀" }));
    const outcome: Outcome = { ok: true, output: "1", steps: null, durationUs: NaN, memoryBytes: -1, logs };
    const small = limitsWith({ logBytes: 100 });
    const reader = new ReplyReader();
    reader.push(Buffer.from(writeOutcome(1, outcome, small)));
    const reply = reader.next({ id: 1, kind: "call", limits: small });
    expect(reply?.outcome).toMatchObject({ ok: true, steps: null, durationUs: 0, memoryBytes: 0 });
    const lines = reply!.outcome!.logs;
    expect(lines.length).toBeGreaterThan(10);
    expect(Buffer.byteLength(lines.map((line) => line.text).join(""))).toBeLessThanOrEqual(100 + 256);
    expect(lines.every((line) => "é€😀".startsWith(line.text))).toBe(true);
  });

  it("say `load-failed` for a default export with too many names", () => {
    const reader = new ReplyReader();
    const handlers = Array.from({ length: 5_000 }, (_, at) => `handler${at}`);
    reader.push(Buffer.from(writeInspection(1, { ok: true, handlers })));
    expect(reader.next({ id: 1, kind: "inspect", limits })?.inspection).toMatchObject({
      ok: false,
      fault: { code: "load-failed" },
    });
  });
});
