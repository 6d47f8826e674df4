import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientName, clients } from "../../src/clients/index.ts";

/** The version of each client that the tables were made for. */
export const versions: { readonly [name in ClientName]: string } = {
  "claude-code": "2.1.330",
  codex: "0.169.0",
  "gemini-cli": "0.61.0",
  "qwen-code": "0.24.4",
  opencode: "1.18.33",
  "copilot-cli": "1.0.102",
  droid: "0.215.0",
  cline: "3.0.65",
};

/** The folder into which the real clients are installed, each up to 440 MB. */
const cache = process.env["HOOKWARDEN_LIVE_CACHE"];

/** Whether the real clients are run at all. */
export const live = process.env["HOOKWARDEN_LIVE_CLIENTS"] === "1" && cache !== undefined;

/** Path of a client's program; installs it from npm into the cache if it is not there. */
export function binaryOf(client: ClientName): string {
  if (cache === undefined) throw new Error("HOOKWARDEN_LIVE_CACHE must name a folder");
  const folder = join(cache, `${client}-${versions[client]}`);
  const binary = join(folder, "node_modules/.bin", clients[client].binary);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const spec = `${clients[client].npm}@${versions[client]}`;
  // Some packages fetch or link their program in an install script.
  const manifest = { private: true, allowScripts: { [spec]: true } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", spec];
  execFileSync("npm", args, { cwd: folder, stdio: "inherit" });
  return binary;
}

/** Frees the space of a client. */
export function removeClient(client: ClientName): void {
  if (cache !== undefined)
    rmSync(join(cache, `${client}-${versions[client]}`), { recursive: true, force: true });
}
