import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { commandTable } from "../../src/cli/commands.ts";
import { cli } from "./cli.ts";

/** What bash offers for the last word of a command line. */
function offered(script: string, ...words: readonly string[]): readonly string[] {
  const program = `${script}
COMP_WORDS=("$@") COMP_CWORD=$(( $# - 1 ))
_hookwarden
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["-uc", program, "bash", "hookwarden", ...words], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter(Boolean);
}

it("bash completes commands, options and values", async () => {
  const { code, out, err } = await cli(["completion", "bash"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(offered(out, "")).toEqual([...commandTable.map(({ name }) => name), "--help", "--version"]);
  expect(offered(out, "in")).toEqual(["init", "install"]);
  expect(offered(out, "test", "my-pack", "--cov")).toEqual(["--coverage", "--coverage-dir"]);
  expect(offered(out, "test", "--engine", "")).toEqual(["quickjs", "isolate", "both"]);
  expect(offered(out, "run", ".", "--containment", "r")).toEqual(["required"]);
  expect(offered(out, "completion", "f")).toEqual(["fish"]);
  // Names of files, which bash completes by itself.
  expect(offered(out, "run", "")).toEqual([]);
  expect(offered(out, "run", ".", "--events", "")).toEqual([]);
});

it.each(["zsh", "fish"])("the script for %s has every command and option, and is valid", async (shell) => {
  const { code, out } = await cli(["completion", shell]);
  expect(code).toBe(0);
  for (const { name } of commandTable) expect(out).toContain(name);
  for (const option of ["coverage-dir", "containment", "kid", "no-project"]) expect(out).toContain(option);
  const { error, status, stderr } = spawnSync(shell, ["-n"], { input: out, encoding: "utf8" });
  // Where that shell is not installed, its quotes are at least balanced as bash reads them.
  if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  else if (shell === "zsh") expect(spawnSync("bash", ["-n"], { input: out }).status).toBe(0);
});
