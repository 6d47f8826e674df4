import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = (folder: string, ...args: string[]) =>
  spawnSync(process.execPath, ["scripts/generate.ts", ...args], { cwd: folder, encoding: "utf8" });

it("generated files are called stale by name when a row, or a file, has changed; and are written anew", () => {
  const copy = mkdtempSync(join(tmpdir(), "generate-"));
  try {
    for (const part of [
      "scripts/generate.ts",
      "scripts/generate",
      "scripts/journeys/page-steps.ts",
      "src",
      "sandbox",
      "packages",
      "scripts/structure.ts",
      "docs",
      "schemas",
      "policies",
      "package.json",
      ".prettierrc.json",
    ]) {
      cpSync(join(root, part), join(copy, part), {
        recursive: true,
        filter: (path) => !/[/](?:dist|test|node_modules)(?:$|[/])/.test(path.slice(root.length)),
      });
    }
    // The page about containment is generated from what its tests try.
    cpSync(join(root, "sandbox/test/containment"), join(copy, "sandbox/test/containment"), {
      recursive: true,
    });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    writeFileSync(
      join(copy, "README.md"),
      "# Title\n\n<!-- numbers:start -->\nold\n<!-- numbers:end -->\n\nmore\n",
    );
    const table = join(copy, "src/catalogue/events.ts");
    const row = 'NewEvent: { phase: "notice", when: "it is new", fields: {}, actions: ["deny"] },';
    writeFileSync(table, readFileSync(table, "utf8").replace("  SessionEnd: {", `  ${row}\n  SessionEnd: {`));
    writeFileSync(join(copy, "schemas/v1/events/Gone.schema.json"), "{}\n");

    const check = run(copy, "--check");
    expect(check.status).toBe(1);
    for (const path of [
      "src/catalogue/generated/validators.js",
      "src/hook/generated/types.ts",
      "schemas/v1/catalogue.schema.json",
      "schemas/v1/events/NewEvent.schema.json",
      "schemas/v1/hook.schema.json",
      "src/hook/index.ts",
      "docs/events.md",
      "docs/actions.md",
      "README.md",
    ]) {
      expect(check.stderr).toContain(`stale: ${path}\n`);
    }
    expect(check.stderr).not.toContain("docs/limits.md");
    expect(check.stderr).toContain("left over: schemas/v1/events/Gone.schema.json\n");

    expect(run(copy).status).toBe(0);
    expect(run(copy, "--check").status).toBe(0);
    const readme = readFileSync(join(copy, "README.md"), "utf8");
    expect(readme).toMatch(/^# Title\n\n<!-- numbers:start -->\n\n\| one decision /);
    expect(readme).toMatch(/\|\n\n<!-- numbers:end -->\n\nmore\n$/);
    expect(readFileSync(join(copy, "docs/events.md"), "utf8")).toMatch(
      /\[NewEvent\]\(#newevent\) +\| `deny` /,
    );
    expect(readdirSync(join(copy, "schemas/v1/events"))).not.toContain("Gone.schema.json");
    const event = JSON.stringify({ hook_event_name: "NewEvent", session_id: "s" });
    const probe = spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { validateEvent } from "./src/catalogue/index.ts"; console.log(validateEvent.get("NewEvent")(${event}));`,
      ],
      { cwd: copy, encoding: "utf8" },
    );
    expect(probe.stdout).toBe("true\n");
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}, 300_000);
