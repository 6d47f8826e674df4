/** Global set-up of a test run: a folder that its compile cache is kept in, shared by all workers and removed at the end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

declare module "vitest" {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions
  export interface ProvidedContext {
    compileCache: string;
  }
}

export default function setup({
  provide,
}: {
  readonly provide: (key: "compileCache", folder: string) => void;
}) {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-compile-cache-"));
  provide("compileCache", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
