import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CompiledModule } from "hookwarden/compile";
import { type Draft, draft } from "./draft.ts";
import { guestText } from "./guest-text.ts";
import { NpmCache } from "./npm-cache.ts";
import type { Dependency } from "./report.ts";

/** Folders above the pack in which a lockfile is looked for. */
const maxFolders = 6;
const maxBytes = 33_554_432;
/** Scripts that npm runs when a package is installed. */
const installScripts = ["preinstall", "install", "postinstall", "prepare"] as const;

type Json = { readonly [name: string]: unknown };

/**
 * The packages that are compiled into the hooks of a pack, with what the lockfile, their manifests and npm's cache say.
 * Nothing is fetched.
 *
 * @param root folder of the pack; the lockfile may be above it.
 */
export async function dependenciesOf(
  root: string,
  modules: ReadonlyMap<string, readonly CompiledModule[]>,
  cache: NpmCache = new NpmCache(),
): Promise<readonly Dependency[]> {
  const found = new Map<string, { module: CompiledModule; hooks: Set<string>; files: Set<string> }>();
  for (const [hook, own] of modules)
    for (const module of own) {
      // A pack can have packages of its own.
      const installed = module.path.startsWith("modules:") || module.path.includes("node_modules/");
      if (module.package === undefined || !installed) continue;
      const key = `${module.package}@${module.version ?? ""}`;
      const one = found.get(key) ?? { module, hooks: new Set<string>(), files: new Set<string>() };
      one.hooks.add(hook);
      one.files.add(
        module.path.slice(module.path.lastIndexOf(`${module.package}/`) + module.package.length + 1),
      );
      found.set(key, one);
    }
  if (found.size === 0) return [];
  const lock = await lockfileAbove(root);
  const all = [...found.values()].map(async ({ module, hooks, files }): Promise<Dependency> => {
    const { package: name = "", version = null, licence = null } = module;
    const installed = await installedAt(root, name);
    const scripts = (installed?.manifest["scripts"] ?? {}) as Json;
    const entry = entryOf(lock, name, version);
    const [origin, integrity] = [entry?.["resolved"], entry?.["integrity"]];
    const original = typeof integrity === "string" ? await cache.published(integrity) : null;
    return {
      name,
      version,
      licence,
      hooks: [...hooks].sort(),
      origin: typeof origin === "string" ? guestText(origin, 200) : null,
      integrity: typeof integrity === "string",
      locked: entry !== null,
      installScripts: installScripts.filter((script) => typeof scripts[script] === "string"),
      published:
        version === null
          ? null
          : await cache.publishedAt(name, version, typeof origin === "string" ? origin : null),
      changed: original && installed && (await changedFiles(installed.folder, files, original)),
    };
  });
  return (await Promise.all(all)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Dependencies that run code when they are installed, or come from a place that vouches for nothing. */
export function dependencyFindings(all: readonly Dependency[]): readonly Draft[] {
  const strange = all.flatMap((one) => {
    const why = problemOf(one);
    return why === null
      ? []
      : [{ label: `${one.name} ${one.version ?? ""}`.trim(), text: guestText(why, 200) }];
  });
  if (strange.length === 0) return [];
  return [
    draft(
      "dependency-risk",
      all.some(isChanged)
        ? "installed code of a dependency differs from the package that its registry published"
        : `${strange.length === 1 ? "a dependency runs" : `${strange.length} dependencies run`} scripts when installed, or come from an unverified place`,
      strange.slice(0, 8),
      { severity: all.some(isChanged) ? "high" : "medium" },
    ),
  ];
}

function isChanged({ changed }: Dependency): boolean {
  return changed !== null && changed.length > 0;
}

function problemOf(one: Dependency): string | null {
  const { installScripts: scripts, locked, integrity, origin, changed } = one;
  if (isChanged(one))
    return `differs from the published package in \`${(changed ?? []).slice(0, 4).join("`, `")}\``;
  if (scripts.length > 0) return `runs \`${scripts.join("`, `")}\` when it is installed`;
  if (locked && origin !== null && !/^https:\/\/[^/]+\/.*\.tgz$/.test(origin.text))
    return `comes from \`${origin.text}\``;
  return locked && origin !== null && !integrity ? "has no checksum in the lockfile" : null;
}

async function lockfileAbove(root: string): Promise<Json | null> {
  for (let [at, folder] = [0, root]; at < maxFolders; at++, folder = dirname(folder)) {
    const lock = await readObject(join(folder, "package-lock.json"));
    if (lock !== null) return lock;
  }
  return null;
}

async function installedAt(
  root: string,
  name: string,
): Promise<{ readonly folder: string; readonly manifest: Json } | null> {
  for (let [at, above] = [0, root]; at < maxFolders; at++, above = dirname(above)) {
    const folder = join(above, "node_modules", name);
    const manifest = await readObject(join(folder, "package.json"));
    if (manifest !== null) return { folder, manifest };
  }
  return null;
}

/** Installed files that are not in the published package, or not as they are there. */
async function changedFiles(
  folder: string,
  files: ReadonlySet<string>,
  published: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const compared = [...files].sort().map(async (file) => {
    const bytes = await readFile(join(folder, file)).catch(() => null);
    const digest = bytes && createHash("sha256").update(bytes).digest("hex");
    return digest !== null && digest === published.get(file) ? [] : [file];
  });
  return (await Promise.all(compared)).flat();
}

function entryOf(lock: Json | null, name: string, version: string | null): Json | null {
  const packages = lock?.["packages"];
  if (typeof packages !== "object" || packages === null) return null;
  const own = Object.entries(packages as { readonly [path: string]: Json })
    .filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
    .map(([, entry]) => entry);
  return own.find((entry) => entry["version"] === version) ?? null;
}

/** An object in a JSON file; `null` where there is none, or it is too large. */
async function readObject(file: string): Promise<Json | null> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > maxBytes) return null;
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}
