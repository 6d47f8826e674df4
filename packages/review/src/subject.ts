import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { openBundle, packedLimits, readWholeFile, type CheckedTrust } from "hookwarden/bundle";
import {
  caseDefaults,
  casesFile,
  casesLimits,
  readCases,
  type Suite,
  type SuiteHook,
} from "hookwarden/check";
import { HookwardenError } from "hookwarden/errors";
import {
  acceptHooks,
  type AcceptedHook,
  completePack,
  readManifests,
  scriptPath,
  hookManifestFile,
  manifestTextLimits,
  packManifestFile,
  readHookManifest,
  type LoadedPack,
  type PackManifest,
} from "hookwarden/pack";
import {
  type CompiledModule,
  type CompiledScript,
  type CompileOptions,
  compileScripts,
} from "hookwarden/compile";
import { folderSource, type PackSource } from "hookwarden/files";
import { dependenciesOf } from "./dependencies.ts";
import type { Dependency, ReviewSubject } from "./report.ts";
import { type Input, inputOf } from "./run/input.ts";

/** What is reviewed, with what a loaded pack alone does not have. */
export interface Subject {
  readonly kind: ReviewSubject["kind"];
  readonly pack: LoadedPack;
  readonly bundle: ReviewSubject["bundle"];
  /** By name of the hook; absent where there is none. */
  readonly modules: ReadonlyMap<string, readonly CompiledModule[]>;
  readonly maps: ReadonlyMap<string, string>;
  readonly cases: ReadonlyMap<string, readonly Input[]>;
  /** The cases with their expectations; `null` for a bundle or a hook outside of a pack. */
  readonly suite: Suite | null;
  /** Packages that are compiled into hooks of the pack. */
  readonly dependencies: readonly Dependency[];
  /** Names of the hooks that are reviewed; the others stand beside them. */
  readonly hooks: ReadonlySet<string>;
}

/**
 * Reads what is to be reviewed: the folder of a pack, the folder of one hook (by itself, or in the pack that it lies
 * in), or a bundle. Runs no code of it.
 *
 * @param trust what bundles are held to; `null` for looking at one without trusting it.
 * @throws {HookwardenError}
 */
export async function readSubject(
  path: string,
  trust: CheckedTrust | null = null,
  load: CompileOptions = {},
): Promise<Subject> {
  const kind = await stat(path).catch(() => null);
  if (kind === null) throw new HookwardenError("pack-not-found", `there is nothing at ${quote(path)}`);
  if (kind.isFile()) return bundled(path, trust);
  const source = await folderSource(path);
  if ((await source.kind(packManifestFile)) !== null) return folder(source, load, null);
  if ((await source.kind(hookManifestFile)) === null) {
    throw new HookwardenError(
      "pack-not-found",
      `${quote(path)} has neither a \`${packManifestFile}\` nor a \`${hookManifestFile}\``,
    );
  }
  const within = await packAround(source.root);
  return within ? folder(within.source, load, within.folder) : single(source, load);
}

/** Takes a pack that is loaded already. What it was bundled from is not known then. */
export function subjectOf(pack: LoadedPack): Subject {
  return {
    kind: "pack",
    pack,
    bundle: null,
    modules: new Map(),
    maps: new Map(),
    cases: new Map(),
    suite: null,
    dependencies: [],
    hooks: new Set(pack.hooks.map(({ name }) => name)),
  };
}

type RootedSource = PackSource & { readonly root: string };

/** The pack that lists this folder among its hooks; `null` where it stands alone. */
async function packAround(
  hook: string,
): Promise<{ readonly source: RootedSource; readonly folder: string } | null> {
  const above = dirname(resolve(hook));
  if (!(await stat(join(above, packManifestFile)).catch(() => null))?.isFile()) return null;
  const source = await folderSource(above);
  const { hooks } = await readManifests(source);
  const name = basename(resolve(hook));
  return hooks.some(({ folder: one }) => one === name) ? { source, folder: name } : null;
}

async function folder(source: RootedSource, load: CompileOptions, only: string | null): Promise<Subject> {
  const { manifest, hooks } = await readManifests(source);
  return assembled(source, { manifest, accepted: hooks, only }, load);
}

async function single(source: RootedSource, load: CompileOptions): Promise<Subject> {
  const manifest = readHookManifest(await source.read(hookManifestFile, manifestTextLimits.maxBytes));
  const pack: PackManifest = { apiVersion: 1, hooks: [manifest.name] };
  const accepted = acceptHooks(pack, [{ folder: "", manifest }]);
  const subject = await assembled(source, { manifest: pack, accepted, only: null }, load);
  return { ...subject, kind: "hook", suite: null };
}

interface Assembly {
  readonly manifest: PackManifest;
  readonly accepted: readonly AcceptedHook[];
  /** Folder of the hook that is reviewed; `null` for all. */
  readonly only: string | null;
}

async function assembled(
  source: RootedSource,
  { manifest, accepted, only }: Assembly,
  load: CompileOptions,
): Promise<Subject> {
  const scripts = await compileScripts(
    source.root,
    accepted.map((one) => ({ name: one.hook.name, path: scriptPath(one) })),
    { ...load, maps: true },
  );
  const pack = completePack(
    manifest,
    accepted,
    scripts.map(({ program }) => program),
    source.root,
  );
  const chosen = accepted.filter(({ folder: one }) => only === null || one === only);
  const cases = await Promise.all(accepted.map((one) => casesOf(source, one)));
  const byName = <T>(of: (script: CompiledScript) => T): readonly (readonly [string, T])[] =>
    accepted.map(({ hook }, index) => [hook.name, of(scripts[index] as CompiledScript)] as const);
  const modules = new Map(byName(({ modules: own }) => own));
  return {
    kind: only === null ? "pack" : "hook",
    pack,
    bundle: null,
    modules,
    dependencies: await dependenciesOf(source.root, modules),
    maps: new Map(
      byName(({ map }) => map).filter((one): one is readonly [string, string] => one[1] !== null),
    ),
    cases: new Map(cases.map(({ name, inputs }) => [name, inputs])),
    suite: {
      root: source.root,
      manifest,
      hooks: accepted.map((one, index) => ({
        ...(cases[index] as CasesOfHook),
        script: scripts[index] as CompiledScript,
        accepted: one,
      })),
    },
    hooks: new Set(chosen.map(({ hook }) => hook.name)),
  };
}

interface CasesOfHook extends Pick<SuiteHook, "name" | "file" | "cases"> {
  readonly inputs: readonly Input[];
}

async function casesOf(source: PackSource, { folder: at, hook }: AcceptedHook): Promise<CasesOfHook> {
  const file = at === "" ? casesFile : `${at}/${casesFile}`;
  const there = (await source.kind(file)) === "file";
  const cases = there ? readCases(await source.read(file, casesLimits.maxBytes), file) : [];
  const inputs = cases.flatMap((one) => {
    const state = one.state === undefined || one.state === null ? null : JSON.stringify(one.state);
    return one.events.flatMap((given) => {
      const input = inputOf({ ...caseDefaults, ...given }, "case", `case “${one.name}” of ${hook.name}`);
      return input ? [{ ...input, state: hook.state ? state : null }] : [];
    });
  });
  return { name: hook.name, file, cases, inputs };
}

async function bundled(path: string, trust: CheckedTrust | null): Promise<Subject> {
  const { pack, digest, key, signed } = await openBundle(
    await readWholeFile(path, packedLimits.packedBytes, "the bundle"),
    { trust },
  );
  return { ...subjectOf(pack), kind: "bundle", bundle: { digest, key, signed } };
}
