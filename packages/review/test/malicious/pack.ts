import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Malicious, minifiedPackage } from "./index.ts";

/** A folder with one of the malicious hooks in it, as a pack of one; removed when it is disposed. */
export async function maliciousPack({
  name,
  manifest,
}: Malicious): Promise<AsyncDisposable & { readonly path: string }> {
  const source = await readFile(new URL(`./${name}.js`, import.meta.url), "utf8");
  return packOf(name, source, manifest, name === "minified-dependency" ? minifiedPackage : {});
}

/** A folder with a hook in it, as a pack of one. */
export async function packOf(
  name: string,
  source: string,
  manifest: object,
  dependency: { readonly [file: string]: string } = {},
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "hookwarden-review-"));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  };
  // A pack has to grant what opens a gate.
  const { actions = [] } = manifest as { readonly actions?: readonly string[] };
  const grants = actions.includes("allow") ? { grants: { [name]: { actions } } } : {};
  await write("hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: [name], ...grants }));
  await write(
    `${name}/hook.json`,
    JSON.stringify({ apiVersion: 1, name, version: "1.0.0", entry: "hook.js", ...manifest }),
  );
  await write(`${name}/hook.js`, source);
  for (const [file, text] of Object.entries(dependency)) await write(`node_modules/tiny-match/${file}`, text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
