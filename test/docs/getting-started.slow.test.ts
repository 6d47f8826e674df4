/** The first hour of a newcomer: each command of docs/getting-started.md, in an empty folder, with the packed packages. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedPackages, userEnv, withTarballs } from "../../scripts/ci/packed.ts";
import { comparable, stepsOf } from "../../scripts/journeys/page-steps.ts";

const page = readFileSync(new URL("../../docs/getting-started.md", import.meta.url), "utf8");
const steps = stepsOf(page);
const folder = mkdtempSync(join(tmpdir(), "hookwarden-newcomer-"));

/** Runs a command as a shell would. What it prints is what its reader sees: both streams. */
function shell(command: string, cwd = folder) {
  const { status, stdout } = spawnSync("sh", ["-c", `${withTarballs(command)} 2>&1`], {
    cwd,
    env: { ...userEnv, HOME: folder },
    encoding: "utf8",
    timeout: 180_000,
  });
  return { status, text: stdout };
}

describe("the page Getting started", { timeout: 300_000 }, () => {
  beforeAll(() => void packedPackages(), 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has commands, files and output", () => {
    expect(steps.filter((step) => "command" in step && step.printed !== null).length).toBeGreaterThan(8);
    expect(steps.filter((step) => "file" in step).length).toBeGreaterThan(4);
  });

  it("prints what it shows, and the author sees their own denial", () => {
    const denials: string[] = [];
    for (const step of steps) {
      if ("file" in step) {
        mkdirSync(dirname(join(folder, step.file)), { recursive: true });
        writeFileSync(join(folder, step.file), step.text);
        continue;
      }
      const { status, text } = shell(step.command);
      expect(`$ ${step.command}\n${text}(exit ${status})`).toMatch(/\(exit 0\)$/);
      if (step.printed === null) continue;
      expect(`$ ${step.command}\n${comparable(text)}`).toBe(`$ ${step.command}\n${comparable(step.printed)}`);
      denials.push(...(text.match(/first-hook: .*/g) ?? []));
    }
    expect(denials).toContain("first-hook: do not rewrite what others have pulled");
  });

  // The settings of a new pack are for editors with either compiler.
  it.each(["6", "7"])("makes a pack whose types hold under TypeScript %s", (major) => {
    expect(shell(`npm install --no-audit --no-fund --legacy-peer-deps typescript@${major}`).status).toBe(0);
    expect(shell("npx tsc --version").text).toMatch(new RegExp(`Version ${major}\\.`));
    expect(
      shell(
        "npx hookwarden init typed --no-project --hook one && npx hookwarden init typed --hook two --lang js",
      ).status,
    ).toBe(0);
    const { status, text } = shell("npx tsc -p typed");
    expect({ status, text: comparable(text) }).toEqual({ status: 0, text: "" });
    writeFileSync(
      join(folder, "typed/one/hook.ts"),
      'export default () => { console.log("x"); return window; };\n',
    );
    expect(shell("npx tsc -p typed").text).toContain("Cannot find name 'window'");
    rmSync(join(folder, "typed"), { recursive: true });
  });
});

describe("a project that `npm create hookwarden` makes", { timeout: 300_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), "hookwarden-project-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it("has a workflow whose commands hold, and stop a change that opens something", () => {
    const create = `npm exec --yes --package=create-hookwarden -- create-hookwarden mine`;
    const tarballs = packedPackages();
    // As `npm create` does: in a folder of its own, which the registry would fill.
    const tool = join(home, "tool");
    mkdirSync(tool);
    writeFileSync(join(tool, "package.json"), "{}");
    expect(shell("npm install create-hookwarden hookwarden", tool).status).toBe(0);
    const made = shell(`${join(tool, "node_modules/.bin/create-hookwarden")} mine`, home);
    expect({ create, ...made }).toMatchObject({ status: 0 });
    const mine = join(home, "mine");
    for (const name of ["hookwarden", "@hookwarden/testing"]) expect(tarballs.has(name)).toBe(true);
    expect(shell("npm install --save-dev hookwarden @hookwarden/testing", mine).status).toBe(0);
    const git = "git -c user.name=a -c user.email=a@example.invalid -c init.defaultBranch=main";
    expect(
      shell(
        `${git} init -q && ${git} add -A && ${git} commit -qm first && ${git} update-ref refs/remotes/origin/main main`,
        mine,
      ).status,
    ).toBe(0);
    const workflow = readFileSync(join(mine, ".github/workflows/policies.yml"), "utf8");
    const commands = [...workflow.matchAll(/^ +- run: (npx .*)$/gm)].map(([, command = ""]) => command);
    expect(commands).toEqual(["npx hookwarden check . --strict", "npx hookwarden test ."]);
    for (const command of commands) expect(shell(command, mine)).toMatchObject({ status: 0 });
    const diff = /run: \|\n((?: {10}.*\n)+)/.exec(workflow)?.[1]?.replaceAll(/^ +/gm, "") ?? "";
    expect(shell(`export GITHUB_BASE_REF=main; ${diff}`, mine)).toMatchObject({ status: 0 });
    const script = join(mine, "first-hook/hook.ts");
    writeFileSync(script, readFileSync(script, "utf8").replace('"forbidden"', '"other"'));
    const opened = shell(diff.split("\n").at(-2) ?? "", mine);
    expect(opened.status).toBe(1);
    expect(opened.text).toContain("verdict: deny → continue");
  });
});
