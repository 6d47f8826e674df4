import { afterAll, beforeAll, expect, test } from "vitest";
import type { CallGroup, Outcome, Sandbox } from "../../src/contract.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { callOf, fakeEngine, liar, limitsWith, patient, programOf, said } from "./support.ts";

const limits = limitsWith({ wallMs: 10_000 });
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createProcessSandbox({ ...patient, engineModule: fakeEngine, processes: 2 });
});

afterAll(() => sandbox[Symbol.asyncDispose]());

function callTogether(
  handlers: readonly (readonly [handler: string, argument: string])[],
  group: CallGroup = { endings: ['"stop"'] },
): Promise<Outcome[]> {
  return Promise.all(
    handlers.map(([handler, argument]) => {
      const program = handler === "exit" ? programOf() : undefined;
      return sandbox.call(callOf(handler, [argument], { limits, group, ...(program && { program }) }));
    }),
  );
}

const isSkipped = (outcome: Outcome): boolean => !outcome.ok && outcome.skipped === true;

test("the calls of a group run in one child, in their order", async () => {
  const pids = (await callTogether([1, 2, 3, 4].map(() => ["pid", ""] as const))).map(said);
  expect(new Set(pids).size).toBe(1);
});

test("an answer with one of its endings ends a group: what follows is skipped, and other groups are not", async () => {
  const [first, other] = await Promise.all([
    callTogether([
      ["echo", "1"],
      ["echo", '"stop"'],
      ["echo", "2"],
      ["echo", "3"],
    ]),
    callTogether([
      ["echo", "4"],
      ["echo", "5"],
    ]),
  ]);
  expect(first.slice(0, 2).map(said)).toEqual([1, "stop"]);
  expect(first.map(isSkipped)).toEqual([false, false, true, true]);
  expect(other.map(said)).toEqual([4, 5]);
});

// Attack: a hook ends its process, so that the calls behind it in the group are made where they must not be.
test("a process that ends in the middle of a group costs the call that ended it; those behind it are skipped", async () => {
  const outcomes = await callTogether([
    ["echo", "1"],
    ["exit", ""],
    ["echo", "2"],
  ]);
  expect(said(outcomes[0]!)).toBe(1);
  expect(said(outcomes[1]!)).toBe("crashed");
  expect(isSkipped(outcomes[2]!)).toBe(true);
  expect(said(await sandbox.call(callOf("echo", ["1"], { limits })))).toBe(1);
});

// Attack: a child that has been taken over skips every call, so that the caller makes it again for ever.
test("a child may not skip the first call of a group, nor one that is in none", async () => {
  await using lying = await createProcessSandbox({ ...patient, childModule: liar, processes: 1 });
  for (const group of [undefined, { endings: [] }]) {
    const call = callOf("a skipped call", [], { limits, program: programOf(), ...(group && { group }) });
    expect(said(await lying.call(call))).toBe("crashed");
  }
});
