import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Makes a process believe that it is an older Node.js, before its program is loaded. */
const asOld = `data:text/javascript,${encodeURIComponent(
  `const old = { ...process.versions, node: "20.1.0" };
  Object.defineProperty(process, "versions", { value: old });
  Object.defineProperty(process, "version", { value: "v20.1.0" });`,
)}`;
const sentence =
  /^node-too-old: hookwarden needs Node\.js 24 or newer; this is v20\.[\d.]+ \(.+\)\. Install .+\.\n$/;
const real = "/usr/bin/node";
const isOld = (node: string): boolean =>
  existsSync(node) && Number.parseInt(spawnSync(node, ["--version"]).stdout.toString().slice(1), 10) < 24;

/** Programs that are started with whatever `node` there is: as built, because only the build checks. */
const programs = ["dist/cli.js", "packages/clients/dist/agent-hook.js"];
const libraries = [
  "dist",
  "sandbox/dist",
  ...["server", "clients", "testing", "mcp", "ai-sdk"].map((name) => `packages/${name}/dist`),
];

describe("an old Node.js is refused with one sentence", () => {
  it.each(programs)("by %s, with the status that also stops a tool", (program) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", asOld, program, "run"], {
      cwd: root,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(sentence);
  });

  it.each(libraries)("in every file of %s", (folder) => {
    // The helpers of hooks run inside hooks, where there is no Node.js.
    const scripts = readdirSync(`${root}${folder}`).filter(
      (name) => name.endsWith(".js") && name !== "hook.js",
    );
    expect(scripts.length).toBeGreaterThan(0);
    for (const name of scripts) {
      const text = readFileSync(`${root}${folder}/${name}`, "utf8");
      expect(text.slice(0, 600), name).toContain("node-too-old");
    }
  });

  it.runIf(isOld(real))("by the library and the programs, in an old Node.js itself", () => {
    const load = `import("hookwarden").catch((error) => console.error(error.message))`;
    expect(spawnSync(real, ["-e", load], { cwd: root, env: {}, encoding: "utf8" }).stderr).toMatch(sentence);
    for (const program of programs)
      expect(
        spawnSync(real, [program, "--version"], { cwd: root, env: {}, encoding: "utf8" }).stderr,
      ).toMatch(sentence);
  });
});
