import { expect, it } from "vitest";
import { guard, startTestServer } from "./support.ts";

// Attack: a tenant sends many packs to be checked, each of which takes a bundler for a while, so that the checks of
// all other tenants wait behind them. `npm run measure:uploads` has the times with 40 packs.
it("answers another tenant's check before those that one tenant has waiting", async () => {
  await using test = await startTestServer({ audit: "off" });
  const { client: loud } = await test.tenant("loud");
  const { client: quiet } = await test.tenant("quiet");
  const answered: string[] = [];
  const check = async (client: typeof loud, name: string): Promise<void> => {
    const { ok } = await client.checkPack(name, { files: guard });
    expect(ok).toBe(true);
    answered.push(name);
  };
  const sent = Array.from({ length: 8 }, () => check(loud, "loud"));
  await Promise.race(sent);
  const before = answered.length;
  await check(quiet, "quiet");
  // One tenant has one of the two bundlers: the other one is free. In one queue for all, seven would come before.
  expect(answered.length - before).toBeLessThanOrEqual(5);
  await Promise.all(sent);
});
