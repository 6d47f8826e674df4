import { describe, expect, it } from "vitest";
import { createProcessSandbox } from "../../src/process/index.ts";
import { limitsWith, callOf, patient, programOf, said } from "./support.ts";

const quick = programOf("export default () => ({ answer: 1 });", "quick.js");
const loop = programOf("export default () => { for (;;); };", "loop.js");

// Attack: one tenant keeps 40 calls in flight that each run until their deadline, so that the calls of others find no
// process in time. Its own calls may be refused; theirs must not be.
describe.each(["quickjs", "isolate"] as const)("40 looping calls of one tenant on %s", (engine) => {
  it.each([1, 2])("leave the calls of two others answered, with %d processes", async (processes) => {
    await using sandbox = await createProcessSandbox({ ...patient, engine, processes, queueMs: 20_000 });
    const over = new AbortController();
    let looped = 0;
    const short = limitsWith({ wallMs: 250, steps: 500_000_000 });
    const attacker = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await sandbox.call(callOf("run", ["{}"], { program: loop, tenant: "attacker", limits: short }));
        looped++;
      }
    };
    const attackers = Array.from({ length: 40 }, attacker);
    const answers: unknown[] = [];
    const benign = async (tenant: string): Promise<void> => {
      for (let at = 0; at < 6; at++) {
        const call = callOf("run", ["{}"], {
          program: quick,
          tenant,
          limits: limitsWith({ wallMs: 10_000 }),
        });
        answers.push(said(await sandbox.call(call)));
      }
    };
    await Promise.all([benign("b"), benign("c")]);
    over.abort();
    expect(answers).toEqual(answers.map(() => ({ answer: 1 })));
    await Promise.all(attackers);
    expect(looped).toBeGreaterThanOrEqual(40);
  });
});

describe("a full queue", () => {
  // Attack: a tenant fills the queue, and the call of another one is refused for it.
  it("costs the tenant that has filled it", async () => {
    await using sandbox = await createProcessSandbox({
      ...patient,
      engine: "quickjs",
      processes: 1,
      spares: 0,
      pipeline: 1,
      queueLimit: 10,
    });
    const long = limitsWith({ wallMs: 500, steps: 500_000_000 });
    const loops = Array.from({ length: 10 }, () =>
      sandbox.call(callOf("run", ["{}"], { program: loop, tenant: "attacker", limits: long })),
    );
    const other = await sandbox.call(callOf("run", ["{}"], { program: quick, tenant: "b" }));
    expect(said(other)).toEqual({ answer: 1 });
    const ends = (await Promise.all(loops)).map(said);
    expect(ends.filter((end) => end === "overloaded").length).toBeGreaterThanOrEqual(1);
  });
});
