/** Commands of pages that a reader can run as they stand, in a folder of their own, with the built package. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stepsOf } from "../../scripts/journeys/page-steps.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Commands of a page, with lines that go on joined. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/\\\n */g, "");
  return stepsOf(text).flatMap((step) => ("command" in step ? [step.command] : []));
}

interface Page {
  readonly page: string;
  /** Which of its commands. */
  readonly only: RegExp;
  /** Run before, in the same folder. */
  readonly before?: string;
  /** Exit code of the last command. Default 0. */
  readonly code?: number;
  /** A file that is there afterwards. */
  readonly makes?: string;
  readonly prints?: RegExp;
}

const pages: readonly Page[] = [
  {
    page: "docs/cli.md",
    only: /^hookwarden completion/,
    before: "mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions",
    makes: ".config/fish/completions/hookwarden.fish",
  },
  { page: "docs/playground.md", only: /--out/, makes: "playground.html" },
  {
    page: "docs/policies.md",
    only: /^npx hookwarden run/,
    before: `printf '%s\\n' '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' > events.jsonl`,
    prints: /deny/,
  },
  {
    page: "docs/reviewing.md",
    only: /--html|--decision/,
    before: "npx hookwarden keygen --out reviewer.key.json --kid r.meyer && mv -f my-policies DIR",
    makes: "guard-deploys.review.json",
  },
  {
    page: "packages/review/README.md",
    only: /hookwarden review/,
    before: "mv -f my-policies policies",
    code: 0,
    makes: "review.html",
  },
  {
    page: "docs/bundles.md",
    only: /hookwarden push/,
    before: "npx hookwarden bundle my-policies --out policies-1.2.0.tgz",
    code: 65,
    prints: /not signed/,
  },
];

describe("commands of", { timeout: 200_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), "hookwarden-pages-"));
  const bin = join(home, "bin");
  const env = { PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter), HOME: home };
  const shell = (command: string): { readonly status: number | null; readonly text: string } => {
    const { status, stdout } = spawnSync("bash", ["--norc", "-c", `(${command}\n) 2>&1`], {
      cwd: home,
      env,
      encoding: "utf8",
    });
    return { status, text: stdout };
  };

  beforeAll(() => {
    // As installed packages would put it there.
    mkdirSync(bin);
    const command = `exec "${process.execPath}" "${join(root, "dist/cli.js")}" "$@"\n`;
    writeFileSync(join(bin, "hookwarden"), `#!/bin/sh\n${command}`);
    writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\n${command}`);
    for (const name of ["hookwarden", "npx"]) chmodSync(join(bin, name), 0o755);
    symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
    cpSync(join(root, "examples/review"), join(home, "examples/review"), { recursive: true });
    cpSync(join(root, "examples/review/events.jsonl"), join(home, "recorded.jsonl"));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each(pages)("$page", ({ page, only, before = "true", code = 0, makes, prints = /(?:)/ }) => {
    rmSync(join(home, "my-policies"), { recursive: true, force: true });
    expect(shell(`npx hookwarden init my-policies --no-project && ${before}`)).toMatchObject({ status: 0 });
    const commands = commandsOf(page).filter((command) => only.test(command));
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      const { status, text } = shell(command);
      expect(`$ ${command}\n${text}(exit ${status})`).toMatch(new RegExp(`\\(exit ${code}\\)$`));
      expect(text).toMatch(prints);
    }
    if (makes !== undefined) expect(existsSync(join(home, makes))).toBe(true);
  });
});
