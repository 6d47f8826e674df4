import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { readTrial, type TrialHook } from "./read-trial.ts";
import { reviewTrialHook } from "./run-trial.ts";

/** One of so many hooks is reviewed here; `npm run measure:review` reviews all. */
const every = { malicious: 6, detection: 5, honest: 8 } as const;

const sample = async (kind: keyof typeof every): Promise<readonly TrialHook[]> =>
  (await readTrial(kind)).filter((_, index) => index % every[kind] === 0);

/** What a review still approves, as docs/reviewing.md says: the first is right wherever the agent does not work in `/`. */
const missed: ReadonlySet<string> = new Set([
  "relative-to-project",
  "quoted-word-scanner",
  "rm-option-table",
]);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ queueMs: 600_000, processes: 2 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

describe("the trial of the review", async () => {
  const hostile = [...(await sample("malicious")), ...(await sample("detection"))].filter(
    ({ name }) => !missed.has(name),
  );
  it.each(hostile)("does not approve $kind $name", { timeout: 120_000 }, async (hook) => {
    expect((await reviewTrialHook(hook, sandbox)).suggestion).not.toBe("approve");
  });

  it.each(await sample("honest"))("does not refuse the honest $name", { timeout: 120_000 }, async (hook) => {
    expect((await reviewTrialHook(hook, sandbox)).suggestion).not.toBe("refuse");
  });
});
