import { constants } from "node:os";
import { open } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { fileError, listenError, systemReason } from "../../src/errors/index.ts";

describe("errors of the operating system", () => {
  const common = [
    "EACCES",
    "EADDRINUSE",
    "EISDIR",
    "EMFILE",
    "ENFILE",
    "ENOENT",
    "ENOSPC",
    "ENOTDIR",
    "EPERM",
    "EROFS",
  ];

  it.each(common)("%s has a reason in words, and a remedy", (code) => {
    expect(code in constants.errno).toBe(true);
    const { reason, fix } = systemReason(Object.assign(new Error("x"), { code }));
    expect(reason).toMatch(new RegExp(`^[a-z].+ \\(${code}\\)$`));
    expect(fix).toMatch(/^[A-Z].+\.$/);
  });

  it("an unknown code is named, without a remedy that could be wrong", () => {
    expect(systemReason(Object.assign(new Error("x"), { code: "EWHATEVER" }))).toEqual({
      reason: "EWHATEVER",
    });
    expect(systemReason("text")).toEqual({ reason: "text" });
    expect(systemReason(null)).toEqual({ reason: "null" });
  });

  it("of a file say what cannot be done with it", async () => {
    const thrown: unknown = await open("/dev/null/x").catch((error: unknown) => error);
    expect(fileError("/dev/null/x", thrown).toLine()).toBe(
      "file-unreadable: /dev/null/x: `/dev/null/x` cannot be read: part of the path is a file, not a folder (ENOTDIR). Correct the path.",
    );
    expect(fileError("x", thrown, "write")).toMatchObject({ code: "file-unwritable", place: { file: "x" } });
  });

  it("of a port that is taken name the address", async () => {
    const first = createServer().listen(0, "127.0.0.1");
    await once(first, "listening");
    const { port } = first.address() as AddressInfo;
    const second = createServer().listen(port, "127.0.0.1");
    const [error] = (await once(second, "error")) as [Error];
    first.close();
    expect(listenError(error, "127.0.0.1", port)).toMatchObject({
      code: "listen-failed",
      message: `cannot listen at \`127.0.0.1:${port}\`: another program listens there (EADDRINUSE)`,
    });
    expect(listenError(error, "::1", 1).message).toContain("`[::1]:1`");
  });
});
