import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { commandTable } from "../../src/cli/commands.ts";
import { cliProcess } from "./cli.ts";

/** What bash offers for the last word of a command line. */
function offered(script: string, ...words: readonly string[]): readonly string[] {
  const program = `${script}
COMP_WORDS=("$@") COMP_CWORD=$(( $# - 1 ))
_hookwarden
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["--norc", "-uc", program, "bash", "hookwarden", ...words],
    {
      encoding: "utf8",
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter(Boolean);
}

it("bash completes commands, options and values", async () => {
  const { code, out, err } = await cliProcess(["completion", "bash"]);
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
