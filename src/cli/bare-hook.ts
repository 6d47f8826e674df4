import { realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { type ActionName, type EventName, actionNames, legalActions } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import {
  acceptHooks,
  completePack,
  stateLimits,
  checkHookManifest,
  packManifestFile,
  grantedReads,
  unreadChange,
  type HookManifest,
  type LoadedPack,
} from "../pack/index.ts";
import { type MappedProgram } from "../compile/index.ts";
import { compileScripts } from "../compile/index.ts";

/** What is asked for a script that has no manifest. */
export interface BareOptions {
  readonly on: readonly EventName[];
  /** Default: all fields of the catalogue. */
  readonly reads?: readonly string[];
  /** Default: what is legal at any of the events, `allow` excepted. */
  readonly actions?: readonly ActionName[];
  readonly config?: unknown;
}

const extensions: ReadonlySet<string> = new Set([".js", ".mjs", ".ts", ".mts"]);

/**
 * Bundles a script that stands for itself. Where it lies in a pack, it may import what that pack's hooks may.
 *
 * @throws {HookwardenError} `file-unreadable`, `load-failed`
 */
export async function bundleBare(file: string): Promise<MappedProgram> {
  const path = await realFile(file);
  const root = await packAbove(dirname(path));
  const entry = relative(root, path).replaceAll(sep, "/");
  const [script] = await compileScripts(root, [{ name: bareName(path), path: entry }]);
  if (!script) throw new HookwardenError("internal", "the bundler made no program");
  return script.program;
}

async function realFile(file: string): Promise<string> {
  const path = await realpath(file).catch(() => null);
  if (path === null) {
    const fix = "Check the spelling, and the folder that the path is relative to.";
    throw new HookwardenError("file-unreadable", `the file ${quote(file)} does not exist`, { file }, { fix });
  }
  if (!(await stat(path)).isFile()) {
    throw new HookwardenError("file-unreadable", `${quote(file)} is not a regular file`, { file });
  }
  if (!extensions.has(extname(path))) {
    throw new HookwardenError(
      "usage",
      `${quote(file)} is not a script: its name must end in ${[...extensions].join(", ")}`,
    );
  }
  return path;
}

async function packAbove(folder: string): Promise<string> {
  for (let above = folder; ; above = dirname(above)) {
    const found = await stat(join(above, packManifestFile)).catch(() => null);
    if (found?.isFile()) return above;
    if (above === dirname(above)) return folder;
  }
}

/** A hook's name from that of its file, or of its folder where the file is called as most are. */
function bareName(path: string): string {
  const stem = basename(path, extname(path));
  const name = stem === "hook" || stem === "index" ? basename(dirname(path)) : stem;
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return slug || "hook";
}

/**
 * Makes a pack of one script, with a manifest made up on the spot: it grants what it asks for.
 *
 * @throws {HookwardenError} `usage` for options that no manifest can have
 */
export function barePack(program: MappedProgram, options: BareOptions): LoadedPack {
  const { on, reads = ["*"], config } = options;
  const manifest: HookManifest = {
    apiVersion: 1,
    name: program.name,
    version: "0.0.0",
    entry: "hook",
    on: on.map((event) => ({ event })),
    reads,
    actions: options.actions ?? possibleActions(on, reads),
    state: { scope: "session", maxBytes: stateLimits.maxBytes.ceiling },
    ...(config === undefined ? {} : { config: {} }),
  };
  try {
    const hook = checkHookManifest(manifest);
    const { name, actions } = hook;
    const pack = {
      apiVersion: 1,
      hooks: [name],
      grants: { [name]: { actions } },
      ...(config === undefined ? {} : { config: { [name]: config } }),
    } as const;
    return completePack(pack, acceptHooks(pack, [{ folder: "", manifest: hook }]), [program]);
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    const { pointer } = error.place;
    throw new HookwardenError("usage", error.message, pointer === undefined ? {} : { pointer }, {
      cause: error,
    });
  }
}

/** Every action that is legal at any of the events, but `allow`, and rewrites of fields that the hook does not read. */
function possibleActions(on: readonly EventName[], reads: readonly string[]): readonly ActionName[] {
  const possible = new Set(
    actionNames.filter((action) => action !== "allow" && on.some((event) => legalActions(event).has(action))),
  );
  for (;;) {
    const unread = unreadChange(possible, grantedReads(reads, undefined, on), on);
    if (!unread) return [...possible];
    possible.delete(unread.action as ActionName);
  }
}
