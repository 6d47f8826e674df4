import { describe, expect, it } from "vitest";
import { type Call, defaultLimits, type Limits, type Outcome, type Sandbox } from "@hookwarden/sandbox";

/** What a test may change of a call. */
export interface CallOptions {
  readonly args?: readonly string[];
  readonly handler?: string;
  readonly tenant?: string;
  readonly time?: number;
  readonly seed?: Call["seed"];
  readonly limits?: Partial<Limits>;
  readonly budgetMs?: number;
  readonly keep?: string;
}

/** The sandbox under test, with the calls that tests need. */
export interface Harness {
  readonly sandbox: Sandbox;
  call(source: string, options?: CallOptions): Promise<Outcome>;
  /** The answer as a value. Fails the test where the call ended with a fault. */
  value(source: string, options?: CallOptions): Promise<unknown>;
  /** The code of the fault. Fails the test where there was an answer. */
  fault(source: string, options?: CallOptions): Promise<string>;
}

export type Create = (options?: { readonly pristine?: boolean }) => Promise<Sandbox>;

export interface OwnOptions {
  readonly pristine?: boolean;
  /** The host's time zone when the sandbox is created. */
  readonly zone?: string;
}

/** Declares the tests of one part of the contract. */
export interface Part {
  /** Runs on the sandbox that all tests of the suite share, so each also shows that the ones before did no harm. */
  test(name: string, body: (harness: Harness) => Promise<void>): void;
  /** Runs on a sandbox of its own, which is disposed afterwards. */
  own(name: string, options: OwnOptions, body: (harness: Harness) => Promise<void>): void;
}

export interface SuiteOptions {
  /** Tests that do not hold for this engine, and why. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Which tests to declare: those that wait for limits of time and memory, or the others. Default: `quick`. */
  readonly speed?: "quick" | "slow";
}

export function harnessOf(sandbox: Sandbox): Harness {
  const call = async (source: string, options: CallOptions = {}): Promise<Outcome> =>
    sandbox.call({
      program: { key: source, name: "hook.js", source },
      tenant: options.tenant ?? "tenant",
      handler: options.handler ?? "PreToolUse",
      args: options.args ?? ['{"tool_name":"Bash"}', "{}"],
      time: options.time ?? 1_700_000_000_000,
      seed: options.seed ?? [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef],
      // Time is tested on its own; elsewhere a busy machine must not make a difference.
      limits: { ...defaultLimits, wallMs: 5_000, ...options.limits },
      ...(options.budgetMs === undefined ? undefined : { budgetMs: options.budgetMs }),
      ...(options.keep === undefined ? undefined : { keep: options.keep }),
    });
  return {
    sandbox,
    call,
    async value(source, options) {
      const outcome = await call(source, options);
      if (!outcome.ok) throw new Error(`${outcome.fault.code}: ${outcome.fault.message}\n${source}`);
      return outcome.output === null ? undefined : JSON.parse(outcome.output);
    },
    async fault(source, options) {
      const outcome = await call(source, options);
      expect(outcome.ok, `answered ${outcome.ok ? outcome.output?.slice(0, 200) : ""}\n${source}`).toBe(
        false,
      );
      return outcome.ok ? "" : outcome.fault.code;
    },
  };
}

/** Runs parts of the contract against one engine. A name in `skip` or `slow` that no test has fails. */
export function runParts(
  name: string,
  create: Create,
  parts: Readonly<Record<string, (part: Part) => void>>,
  { skip = {}, slow = [], speed = "quick" }: SuiteOptions & { readonly slow?: readonly string[] },
): void {
  describe(name, () => {
    const seen = new Set<string>();
    let shared: Promise<Sandbox> | undefined;
    for (const [title, declare] of Object.entries(parts)) {
      const chosen: { readonly test: string; readonly body: () => Promise<void> }[] = [];
      const add = (test: string, body: () => Promise<void>): void => {
        seen.add(test);
        if (slow.includes(test) === (speed === "slow")) chosen.push({ test, body });
      };
      declare({
        test: (test, body) =>
          add(test, async () => {
            shared ??= create();
            await body(harnessOf(await shared));
          }),
        own: (test, { zone, ...options }, body) =>
          add(test, async () => {
            process.env["TZ"] = zone ?? "UTC";
            try {
              await using sandbox = await create(options);
              await body(harnessOf(sandbox));
            } finally {
              process.env["TZ"] = "UTC";
            }
          }),
      });
      if (chosen.length === 0) continue;
      describe(title, () => {
        for (const { test, body } of chosen) {
          const reason = skip[test];
          it.skipIf(reason !== undefined)(reason === undefined ? test : `${test} (${reason})`, body);
        }
      });
    }
    it("skips only tests that there are", async () => {
      expect([...Object.keys(skip), ...slow].filter((test) => !seen.has(test))).toEqual([]);
      await (await shared)?.[Symbol.asyncDispose]();
    });
  });
}
