import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { describeContainment, type ContainmentMode } from "@hookwarden/sandbox";
import { createServer } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-containment-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// An operator who relies on a wall must be able to see from outside that it is there.
it.each(["auto", "none"] as const)(
  "`%s`: /ready names the walls, and the log says why",
  async (containment) => {
    const lines: string[] = [];
    await using server = await createServer({
      data: join(folder, containment),
      port: 0,
      credentials: "none",
      containment,
      log: (line) => lines.push(line),
    });
    const { url } = await server.listen();
    const { walls } = await describeContainment(containment);
    const named = (inForce: boolean): string[] =>
      walls.filter((one) => one.inForce === inForce).map(({ wall }) => wall);
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({
      status: "ready",
      containment: { mode: containment, inForce: named(true), missing: named(false) },
      degraded: 0,
    });
    const line = lines
      .map((text) => JSON.parse(text) as { event: string })
      .find((one) => one.event === "containment");
    expect(line).toMatchObject({ mode: containment, walls });
  },
);

it("refuses a mode that there is not", async () => {
  const containment = "maybe" as ContainmentMode;
  const creation = createServer({ data: join(folder, "maybe"), port: 0, credentials: "none", containment });
  await expect(creation).rejects.toMatchObject({ code: "option-invalid" });
});
