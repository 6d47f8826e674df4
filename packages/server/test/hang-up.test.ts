import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isHangUp } from "../src/http/hang-up.ts";
import { head, startTestServer } from "./support.ts";

// A client that goes away is an everyday matter. Counted as failures of the server, and written to its log, thousands of
// aborted uploads would hide what has really failed, and anybody with a credential could raise the alarm at will.

describe("a client that hangs up in the body of its request", () => {
  it.each([
    ["resets the connection", (socket: ReturnType<typeof connect>) => socket.resetAndDestroy()],
    ["closes it", (socket: ReturnType<typeof connect>) => socket.destroy()],
    ["says that nothing more comes", (socket: ReturnType<typeof connect>) => socket.end()],
  ])("and %s is no failure of the server", async (_, hangUp) => {
    await using test = await startTestServer({ audit: "off" });
    const { key } = await test.tenant("acme");
    const before = test.lines.length;
    const asks = [
      ["POST", "/v1/decisions", "application/json"],
      ["POST", "/v1/tenants/acme/try", "application/json"],
      ["PUT", "/v1/tenants/acme/packs", "application/gzip"],
    ] as const;
    for (const [method, path, type] of asks) {
      for (const framing of [{ "content-length": "50000" }, { "transfer-encoding": "chunked" }]) {
        const socket = connect(test.port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(
          head(method, path, { authorization: `Bearer ${key}`, "content-type": type, ...framing } as never),
        );
        socket.write("content-length" in framing ? "{" : "1\r\n{\r\n");
        await sleep(30);
        hangUp(socket);
        await sleep(30);
        socket.destroy();
      }
    }
    const metrics = async (): Promise<string> =>
      (
        await fetch(`${test.url}/metrics`, { headers: { authorization: `Bearer ${test.operatorKey}` } })
      ).text();
    await expect.poll(metrics, { timeout: 5_000 }).toMatch(/responses_total\{status="(499|400)"\}/);
    expect(await metrics()).not.toContain('status="500"');
    expect(test.lines.slice(before)).toEqual([]);
  });

  it("is distinguished from a connection of the server's own that was reset", () => {
    const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    expect(isHangUp(error, { complete: false } as never)).toBe(true);
    expect(isHangUp(error, { complete: true } as never)).toBe(false);
    expect(isHangUp(new Error("x"), { complete: false } as never)).toBe(false);
  });
});
