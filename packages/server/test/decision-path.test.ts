import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { serverHelpers, ways } from "../../../scripts/generate/architecture.ts";

const program = fileURLToPath(new URL("./decision-trace.ts", import.meta.url));

test("one decision over HTTP runs the files that ARCHITECTURE.md lists, and no others", () => {
  const output = execFileSync(
    process.execPath,
    ["--no-warnings", "--conditions=hookwarden-source", "--no-node-snapshot", program],
    { encoding: "utf8", timeout: 60_000 },
  );
  const ran = JSON.parse(output) as string[];
  const path = ways["From the server, before the library"] as readonly string[];
  expect(path.length).toBeLessThanOrEqual(12);
  // The list of stages is data: no function of it runs.
  for (const file of path) if (!file.endsWith("/pipeline/index.ts")) expect(ran).toContain(file);
  const helpers = Object.values(serverHelpers).flat();
  expect(new Set(helpers).size).toBe(helpers.length);
  // Approvals expire by a timer, which may fire meanwhile on a busy machine.
  const timed = "packages/server/src/approvals/approvals.ts";
  expect(ran.filter((file) => !path.includes(file) && file !== timed)).toEqual([...helpers].sort());
});
