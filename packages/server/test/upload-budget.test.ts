import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UploadBudget } from "../src/http/upload-budget.ts";
import { head, raw, startTestServer, statusOf } from "./support.ts";

const mb = 1_048_576;

describe("UploadBudget", () => {
  // Many tenants, each within its own limits, start to upload large packs and send them slowly.
  it("never holds more than its maximum, and is empty again at the end", () => {
    const step = fc.record({ tenant: fc.integer({ min: 0, max: 5 }), bytes: fc.nat(8 * mb), end: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new UploadBudget(20 * mb);
        const open: { release: () => void; bytes: number }[] = [];
        for (const { tenant, bytes, end } of steps) {
          const release = budget.reserve(String(tenant), bytes);
          if (release) open.push({ release, bytes: Math.max(mb, bytes) });
          expect(open.reduce((sum, one) => sum + one.bytes, 0)).toBeLessThanOrEqual(20 * mb);
          if (end % 3 === 0) open.splice(end % Math.max(1, open.length), 1)[0]?.release();
        }
        for (const { release } of open) release();
        expect(budget.reserve("new", 20 * mb)).not.toBeNull();
      }),
      { seed: 1 },
    );
  });

  it("keeps room for a tenant without uploads while another takes all that it can", () => {
    const budget = new UploadBudget(10 * mb);
    let taken = 0;
    while (budget.reserve("loud", mb)) taken++;
    expect(taken).toBe(5);
    expect(budget.reserve("quiet", 5 * mb)).not.toBeNull();
  });
});

describe("uploads in progress", () => {
  it("are refused before their body is read while others take all the room", async () => {
    await using test = await startTestServer({
      limits: { uploadBytes: 2 * mb, packBytes: 2 * mb },
      audit: "off",
    });
    const slow = await test.tenant("slow");
    const other = await test.tenant("other");
    const request = (key: string, bytes: number): string =>
      head("PUT", "/v1/tenants/" + (key === slow.key ? "slow" : "other") + "/packs", {
        authorization: `Bearer ${key}`,
        "content-type": "application/gzip",
        "content-length": String(bytes),
      });
    const held = raw(test.port, request(slow.key, 2 * mb), "x");
    await expect
      .poll(async () => statusOf(await raw(test.port, request(other.key, mb), "x")), { timeout: 5_000 })
      .toBe(429);
    await held;
  });
});
