import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { commandTable } from "../../src/cli/commands.ts";
import { cliProcess, folder } from "./cli.ts";

/** What the shell itself offers at the end of a line, with the script loaded. */
const completers = {
  zsh: (script: string, line: string) => [
    "-f",
    fileURLToPath(new URL("zsh-offers.zsh", import.meta.url)),
    script,
    line,
  ],
  fish: (script: string, line: string) => [
    "--no-config",
    "-c",
    "source $argv[1]; complete -C $argv[2]",
    script,
    line,
  ],
} as const;
const isInstalled = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).error === undefined;

it.for(["zsh", "fish"] as const)("%s completes commands, options and values", async (shell, { skip }) => {
  const { code, out } = await cliProcess(["completion", shell]);
  expect(code).toBe(0);
  for (const { name } of commandTable) expect(out).toContain(name);
  await using dir = await folder({ script: out });
  const offers = (line: string): readonly string[] => {
    const args = completers[shell](join(dir.path, "script"), line);
    const { status, stdout, stderr } = spawnSync(shell, args, { encoding: "utf8", timeout: 30_000 });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    // fish writes descriptions behind a tab.
    return stdout
      .split("\n")
      .map((one) => one.split("\t")[0] ?? "")
      .filter(Boolean)
      .toSorted();
  };
  skip(!isInstalled(shell), `${shell} is not installed`);
  expect(offers("hookwarden in")).toEqual(["init", "install"]);
  expect(offers("hookwarden test my-pack --cov")).toEqual(["--coverage", "--coverage-dir"]);
  expect(offers("hookwarden test --engine ")).toEqual(["both", "isolate", "quickjs"]);
  expect(offers("hookwarden completion f")).toEqual(["fish"]);
});
