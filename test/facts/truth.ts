import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ShellCommand, ShellFact, ShellWord } from "../../src/facts/index.ts";
import { readShell } from "../../src/facts/shell/shell.ts";
import { realStubs, stubs } from "./command-lines.ts";

const RECORD = "\x1e";
const FIELD = "\x1f";

/**
 * Runs command lines with real bash in an empty namespace: no network, no file system but programs' own and an empty
 * folder, and on `PATH` nothing but stubs that record how they are started.
 *
 * @returns for each line, the argument lists of the programs that were started; `null` where no namespace can be made.
 */
export function startedBy(lines: readonly string[]): readonly (readonly (readonly string[])[])[] | null {
  const folder = mkdtempSync(join(tmpdir(), "shell-truth-"));
  try {
    for (const name of ["stubs", "lines", "record"]) mkdirSync(join(folder, name));
    for (const name of [...stubs, ...realStubs]) {
      const then = realStubs.includes(name)
        ? `exec /usr/bin/${name} "$@"`
        : `exit ${name.startsWith("q") ? 1 : 0}`;
      const one = `r=$(printf '%s\\x1f' "\${0##*/}" "$@"; printf '\\x1e'); printf '%s' "$r" >>/truth/record/log`;
      writeFileSync(join(folder, "stubs", name), `#!/usr/bin/bash\n${one}\n${then}\n`);
      chmodSync(join(folder, "stubs", name), 0o755);
    }
    for (const [index, line] of lines.entries()) writeFileSync(join(folder, "lines", String(index)), line);
    const driver = [
      `for ((n = 0; n < ${lines.length}; n++)); do`,
      `  printf '\\x1d%s\\x1e' "$n" >>/truth/record/log`,
      `  /usr/bin/rm -rf /home/u/proj; /usr/bin/mkdir -p /home/u/proj; cd /home/u/proj`,
      `  /usr/bin/env -i PATH=/truth/stubs HOME=/home/u /usr/bin/timeout 10 /usr/bin/bash -c "$(</truth/lines/$n)" </dev/null >/dev/null 2>&1`,
      `done`,
      // Not the status of the last line.
      `exit 0`,
    ].join("\n");
    const mounts = ["/usr", "/bin", "/lib", "/lib64", "/etc/alternatives"].flatMap((path) => [
      "--ro-bind-try",
      path,
      path,
    ]);
    const args = [
      "--unshare-all",
      "--die-with-parent",
      ...mounts,
      "--tmpfs",
      "/tmp",
      "--tmpfs",
      "/home",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--bind",
      folder,
      "/truth",
      "/usr/bin/bash",
      "-c",
      driver,
    ];
    try {
      execFileSync("bwrap", args, { stdio: "ignore" });
    } catch {
      return null;
    }
    const started: string[][][] = lines.map(() => []);
    let current = 0;
    for (const record of readFileSync(join(folder, "record", "log"), "utf8").split(RECORD)) {
      if (record.startsWith("\x1d")) current = Number(record.slice(1));
      else if (record !== "") started[current]?.push(record.split(FIELD).slice(0, -1));
    }
    return started;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the fact says of a command line, against what was started. */
export interface Verdict {
  /** Whether the fact claims to list everything. */
  readonly complete: boolean;
  /** Argument lists that were started and that the fact does not have. */
  readonly missing: readonly (readonly string[])[];
  /** Commands that the fact is sure of and that were not started. */
  readonly extra: readonly ShellCommand[];
}

/** Compares the fact of a command line with what real bash started. */
export function judge(line: string, started: readonly (readonly string[])[]): Verdict {
  const fact: ShellFact = readShell([line], "/home/u/proj");
  if (!fact.ok) return { complete: false, missing: [], extra: [] };
  const commands = fact.commands.filter(({ guess, argv }) => !guess && argv.length > 0);
  const patterns = commands.map(({ argv }) => new RegExp(`^${argv.map(wordPattern).join("")}$`, "u"));
  const missing = fact.complete
    ? started.filter((argv) => {
        const text = argv.map((word) => FIELD + word).join("");
        return !patterns.some((pattern) => pattern.test(text));
      })
    : [];
  const known = new Set([...stubs, ...realStubs]);
  const seen = new Set(started.map((argv) => JSON.stringify(argv)));
  const extra = commands.filter(
    ({ argv, maybe, name, redirects }) =>
      !maybe &&
      redirects.length === 0 &&
      known.has(name ?? "") &&
      argv.every((word) => typeof word === "string") &&
      !seen.has(JSON.stringify(argv)),
  );
  return { complete: fact.complete, missing, extra };
}

/** A pattern for the arguments that a word may become, each with a separator in front. */
function wordPattern(word: ShellWord): string {
  if (typeof word === "string") return FIELD + escaped(word);
  const parts = word.map((part) => {
    if (typeof part === "string") return escaped(part);
    return "glob" in part || part.many ? "[^]*" : `[^${FIELD}]*`;
  });
  // An expansion without quotes may be no word at all.
  if (word.every((part) => typeof part !== "string" && "many" in part)) return `(?:${FIELD}[^]*)?`;
  return FIELD + parts.join("");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
