/** Global set-up of a test run: what all workers share. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProvidedContext } from "vitest";

declare module "vitest" {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions
  export interface ProvidedContext {
    /** A folder for what tests write, which is removed at the end. */
    temporaryFolder: string;
    /** Whether `dist/` is built of the sources as they are now, as `npm test` sees to. */
    isBuilt: boolean;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));

export default function setup({
  provide,
}: {
  readonly provide: <Key extends keyof ProvidedContext>(key: Key, value: ProvidedContext[Key]) => void;
}) {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-test-"));
  provide("temporaryFolder", folder);
  provide("isBuilt", isBuilt());
  return () => rmSync(folder, { recursive: true, force: true });
}

function isBuilt(): boolean {
  const built = statSync(join(root, "dist/cli.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const sources = ["src", "sandbox/src", "policies", ...packages.map((folder) => `${folder}/src`)].flatMap(
    (folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
        .map((entry) => join(entry.parentPath, entry.name)),
  );
  return sources.every((file) => statSync(file).mtimeMs < built);
}
