import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CompiledModule } from "hookwarden/compile";
import { type Draft, draft } from "./draft.ts";
import { guestText } from "./guest-text.ts";
import type { Dependency } from "./report.ts";

/** Folders above the pack in which a lockfile is looked for. */
const maxFolders = 6;
const maxBytes = 33_554_432;
/** Scripts that npm runs when a package is installed. */
const installScripts = ["preinstall", "install", "postinstall", "prepare"] as const;

type Json = { readonly [name: string]: unknown };

/**
 * The packages that are compiled into the hooks of a pack, with what the lockfile and their manifests say. Nothing is
 * fetched: what only a registry knows, such as their age, is not in it.
 *
 * @param root folder of the pack; the lockfile may be above it.
 */
export async function dependenciesOf(
  root: string,
  modules: ReadonlyMap<string, readonly CompiledModule[]>,
): Promise<readonly Dependency[]> {
  const found = new Map<string, { module: CompiledModule; hooks: Set<string> }>();
  for (const [hook, own] of modules)
    for (const module of own) {
      // A pack can have packages of its own.
      const installed = module.path.startsWith("modules:") || module.path.includes("node_modules/");
      if (module.package === undefined || !installed) continue;
      const key = `${module.package}@${module.version ?? ""}`;
      const one = found.get(key) ?? { module, hooks: new Set<string>() };
      one.hooks.add(hook);
      found.set(key, one);
    }
  if (found.size === 0) return [];
  const lock = await lockfileAbove(root);
  const all = [...found.values()].map(async ({ module, hooks }): Promise<Dependency> => {
    const { package: name = "", version = null, licence = null } = module;
    const manifest = await manifestOf(root, name);
    const scripts = (manifest?.["scripts"] ?? {}) as Json;
    const entry = entryOf(lock, name, version);
    return {
      name,
      version,
      licence,
      hooks: [...hooks].sort(),
      origin: typeof entry?.["resolved"] === "string" ? guestText(entry["resolved"], 200) : null,
      integrity: typeof entry?.["integrity"] === "string",
      locked: entry !== null,
      installScripts: installScripts.filter((script) => typeof scripts[script] === "string"),
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
      `${strange.length === 1 ? "a dependency runs" : `${strange.length} dependencies run`} scripts when installed, or come from an unverified place`,
      strange.slice(0, 8),
    ),
  ];
}

function problemOf({ installScripts: scripts, locked, integrity, origin }: Dependency): string | null {
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

async function manifestOf(root: string, name: string): Promise<Json | null> {
  for (let [at, folder] = [0, root]; at < maxFolders; at++, folder = dirname(folder)) {
    const manifest = await readObject(join(folder, "node_modules", name, "package.json"));
    if (manifest !== null) return manifest;
  }
  return null;
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
