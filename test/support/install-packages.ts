import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Installs packages of these versions into a folder, without running their scripts, unless they are there already. */
export function installPackages(folder: string, dependencies: { readonly [name: string]: string }): void {
  const manifest = JSON.stringify({ private: true, type: "module", dependencies });
  const file = join(folder, "package.json");
  if (existsSync(join(folder, "node_modules")) && readFileSync(file, "utf8") === manifest) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
