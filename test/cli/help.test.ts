import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commandTable } from "../../src/cli/commands.ts";
import { errorTable } from "../../src/errors/index.ts";
import { lintTable } from "../../src/check/lint/index.ts";
import { findingTable } from "../../src/check/index.ts";
import { cliProcess, main } from "./cli.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/cli.md`, "utf8");

/** Commands that other programs speak with, each in words of its own. */
const ownFormat: ReadonlySet<string> = new Set(["serve", "completion"]);

describe("help", () => {
  it("lists every command", async () => {
    const { code, out, err } = await cliProcess(["--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const { name, summary } of commandTable)
      expect(out).toMatch(new RegExp(`^  ${name}\\b.* {2}${summary}$`, "m"));
    expect(out).toMatchSnapshot();
  });

  it.each(commandTable.map(({ name }) => name))(
    "of %s has an example, fits 80 columns, and the page describes its options",
    async (name) => {
      const { code, out, err } = await cliProcess([name, "--help"]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain(`Example:\n  $ hookwarden ${name} `);
      if (!ownFormat.has(name)) expect(out).toContain("--format <format>");
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
      expect(out).toMatchSnapshot();
      const section = page.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
      expect(section).not.toBe("");
      const options = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option);
      const own = options.filter((option) => option !== "--help" && option !== "--format");
      expect(own.filter((option) => !section.includes(String(option)))).toEqual([]);
    },
  );

  it("is shown, with a usage exit code, where there is no command", async () => {
    const { code, out, err } = await cliProcess([]);
    expect(code).toBe(64);
    expect(out).toBe("");
    expect(err).toContain("Commands:");
  });

  it("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };
    expect(await cliProcess(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });
});

describe("the page", () => {
  it("leads to a page that has every finding of check", () => {
    expect(page).toContain("](findings.md)");
    const findings = readFileSync(`${root}docs/findings.md`, "utf8");
    for (const [code, { means, fix }] of Object.entries({ ...findingTable, ...lintTable })) {
      const [, section = ""] = findings.split(`### ${code}\n`);
      expect(section.replaceAll(/\s+/g, " ").toLowerCase()).toContain(means.toLowerCase());
      expect(section.replaceAll(/\s+/g, " ")).toContain(fix);
    }
  });

  it("lists every exit code of an error", () => {
    for (const { exit } of Object.values(errorTable))
      expect(page).toMatch(new RegExp(`^\\| +${exit} \\|`, "m"));
  });
});

it("starting loads no engine, no pack and no broker", () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, type, path = ""] of text.matchAll(
      /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm,
    )) {
      if (type) continue;
      if (path.startsWith(".")) walk(resolve(dirname(file), path));
      else packages.add(path);
    }
  };
  walk(main);
  // Loaded for everything but a hook call, which is to load even less.
  walk(resolve(dirname(main), "program.ts"));
  const files = [...seen].map((file) => relative(root, file));
  expect(files).toContain("src/cli/commands.ts");
  expect(files.filter((file) => /^(sandbox|src\/(broker|pack|warden|catalogue))/.test(file))).toEqual([]);
  const outside = [...packages].filter((name) => !name.startsWith("node:"));
  expect(outside.toSorted()).toEqual(["@hookwarden/sandbox/json", "commander"]);
});
