import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CircuitBreaker, type CircuitBreakerOptions } from "../../src/resilience/index.ts";

function breakerOf(options: Partial<CircuitBreakerOptions> = {}): {
  readonly breaker: CircuitBreaker<string>;
  wait(ms: number): void;
} {
  let now = 1_000_000;
  const breaker = new CircuitBreaker<string>({
    failures: 3,
    openMs: 100,
    maxOpenMs: 1_000,
    maxCircuits: 10,
    now: () => now,
    ...options,
  });
  return { breaker, wait: (ms) => (now += ms) };
}

describe("CircuitBreaker", () => {
  it("opens after consecutive failures, admits a probe after the period, and closes with its success", () => {
    const { breaker, wait } = breakerOf();
    for (let at = 0; at < 2; at++) expect(breaker.failure("k", "why")).toBe(false);
    expect([breaker.state("k"), breaker.admit("k")]).toEqual(["closed", true]);
    expect(breaker.failure("k", "why")).toBe(true);
    expect([breaker.state("k"), breaker.admit("k"), breaker.get("k")?.cause]).toEqual(["open", false, "why"]);
    expect(breaker.remainingMs("k")).toBe(100);
    wait(100);
    expect(breaker.state("k")).toBe("half-open");
    expect([breaker.admit("k"), breaker.admit("k")]).toEqual([true, false]);
    expect(breaker.success("k")).toBe(true);
    expect([breaker.state("k"), breaker.size]).toEqual(["closed", 0]);
  });

  it("reopens with the failure of a probe, each time for twice as long, up to a maximum", () => {
    const { breaker, wait } = breakerOf();
    for (let at = 0; at < 3; at++) breaker.failure("k");
    for (const period of [100, 200, 400, 800, 1_000, 1_000]) {
      wait(period - 1);
      expect(breaker.state("k")).toBe("open");
      wait(1);
      expect(breaker.admit("k")).toBe(true);
      expect(breaker.failure("k")).toBe(true);
    }
  });

  it("admits another probe after one that said nothing", () => {
    const { breaker, wait } = breakerOf({ failures: 1 });
    breaker.failure("k");
    wait(100);
    expect([breaker.admit("k"), breaker.admit("k")]).toEqual([true, false]);
    breaker.release("k");
    expect(breaker.admit("k")).toBe(true);
  });

  // Attack: calls that were under way when it opened fail or succeed late, and would keep it open, or close it.
  it("ignores calls that end while it is open", () => {
    const { breaker, wait } = breakerOf({ failures: 1 });
    breaker.failure("k");
    wait(50);
    expect([breaker.failure("k"), breaker.success("k")]).toEqual([false, false]);
    expect(breaker.remainingMs("k")).toBe(50);
  });

  it("counts a share of the calls in a window, if configured to", () => {
    const { breaker, wait } = breakerOf({
      failureShare: 0.5,
      windowMs: 1_000,
      successes: 2,
      maxProbes: Infinity,
    });
    // 3 of 7 calls: not half of them. Calls before the first failure are not counted.
    breaker.failure("k");
    for (let at = 0; at < 4; at++) breaker.success("k");
    for (let at = 0; at < 2; at++) expect(breaker.failure("k")).toBe(false);
    expect(breaker.failure("k")).toBe(true);
    wait(100);
    expect([breaker.admit("k"), breaker.admit("k")]).toEqual([true, true]);
    expect([breaker.success("k"), breaker.success("k")]).toEqual([false, true]);
    for (let at = 0; at < 2; at++) breaker.failure("k");
    wait(1_001);
    expect(breaker.failure("k")).toBe(false);
  });

  // Attack: a hook earns its way out with good calls again and again, so that each failure costs the shortest period only.
  it("remembers its openings for a while after it has closed, if configured to", () => {
    for (const failureShare of [1, 0.5]) {
      const { breaker, wait } = breakerOf({ failures: 1, failureShare, successes: 2, rememberMs: 5_000 });
      for (const period of [100, 200, 400]) {
        expect(breaker.failure("k")).toBe(true);
        expect(breaker.remainingMs("k")).toBe(period);
        wait(period);
        expect([breaker.success("k"), breaker.success("k")]).toEqual([false, true]);
        expect([breaker.state("k"), breaker.get("k")?.openings]).toEqual(["closed", 0]);
        // Further successes do not shorten the memory.
        for (let at = 0; at < 3; at++) expect(breaker.success("k")).toBe(false);
      }
      wait(5_000);
      breaker.failure("k");
      expect([breaker.remainingMs("k"), breaker.get("k")?.openings]).toEqual([100, 1]);
    }
  });

  it("restores what was stored, never for longer than its own maximum", () => {
    const { breaker, wait } = breakerOf();
    breaker.restore("k", { failures: 2, openings: 0, until: 0, cause: undefined });
    expect(breaker.failure("k")).toBe(true);
    breaker.restore("far", { failures: 3, openings: 1, until: 1e15, cause: "x" });
    expect(breaker.remainingMs("far")).toBe(1_000);
    wait(1_000);
    expect(breaker.state("far")).toBe("half-open");
  });

  // Attack: a tenant makes many hooks fail once each, to have its own suspended one forgotten.
  it("forgets closed circuits before open ones, and remembers a bounded number", () => {
    const { breaker } = breakerOf();
    for (let at = 0; at < 3; at++) breaker.failure("open");
    for (let at = 0; at < 100; at++) breaker.failure(`k${at}`);
    expect(breaker.state("open")).toBe("open");
    expect(breaker.size).toBe(10);
    for (let at = 0; at < 1_000; at++) for (let times = 0; times < 3; times++) breaker.failure(`o${at}`);
    expect(breaker.size).toBeLessThanOrEqual(20);
  });

  it("is never open without enough failures, and never half-open for a call that it refuses", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("success", "failure", "wait"), { maxLength: 60 }), (steps) => {
        const { breaker, wait } = breakerOf();
        let row = 0;
        for (const step of steps) {
          if (step === "wait") {
            wait(60);
            continue;
          }
          const state = breaker.state("k");
          if (state === "closed") expect(row).toBeLessThan(3);
          const admitted = breaker.admit("k");
          expect(admitted).toBe(state !== "open");
          if (!admitted) continue;
          if (step === "success") breaker.success("k");
          else breaker.failure("k");
          row = step === "success" ? 0 : row + 1;
          expect(breaker.state("k")).toBe(row >= 3 ? "open" : "closed");
        }
      }),
    );
  });
});
