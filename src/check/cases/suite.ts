import { HookwardenError } from "../../errors/index.ts";
import {
  type AcceptedHook,
  acceptHooks,
  completePack,
  readManifests,
  scriptPath,
  type LoadedPack,
  type PackManifest,
} from "../../pack/index.ts";
import { type CompiledScript, type CompileOptions, compileScripts } from "../../compile/index.ts";
import { canonicalJson, folderSource } from "../../files/index.ts";
import { type Case, casesFile, casesLimits, readCases } from "./read.ts";

/** A hook with its cases. */
export interface SuiteHook {
  readonly name: string;
  /** Path of its cases from the root of the pack. */
  readonly file: string;
  /** Empty where there is no such file. */
  readonly cases: readonly Case[];
  readonly script: CompiledScript;
  readonly accepted: AcceptedHook;
}

/** All cases of a pack, with what is needed to run them. */
export interface Suite {
  /** Real path of the pack. */
  readonly root: string;
  readonly manifest: PackManifest;
  /** In the order of the pack. */
  readonly hooks: readonly SuiteHook[];
}

/** The cases of one hook, read without looking at its script. */
export interface ListedCases {
  readonly hook: string;
  readonly file: string;
  readonly cases: readonly Case[];
}

/**
 * Least time for a call of a case, in milliseconds. How long a call takes is the machine's doing as much as the hook's;
 * a case that fails on a busy machine proves nothing. Steps, memory and sizes stay as the pack has them.
 */
const minWallMs = 3_000;
/** Time for a whole decision of a case, in milliseconds. */
const decisionMs = 600_000;

/** Reads the cases of every hook of a pack. @throws {HookwardenError} */
export async function listCases(dir: string): Promise<readonly ListedCases[]> {
  const source = await folderSource(dir);
  const { hooks } = await readManifests(source);
  return Promise.all(hooks.map((accepted) => listed(source, accepted)));
}

/**
 * Reads a pack with the cases of its hooks, and bundles its scripts. Runs no code of the pack.
 *
 * @throws {HookwardenError} with file and place of the first thing that is wrong with the pack or its cases
 */
export async function loadSuite(dir: string, options: CompileOptions = {}): Promise<Suite> {
  const source = await folderSource(dir);
  const { manifest, hooks } = await readManifests(source);
  // Before the scripts: a slip in a list of cases should not wait for the bundler.
  const lists = await Promise.all(hooks.map((accepted) => listed(source, accepted)));
  const scripts = await compileScripts(
    source.root,
    hooks.map((accepted) => ({ name: accepted.hook.name, path: scriptPath(accepted) })),
    options,
  );
  return {
    root: source.root,
    manifest,
    hooks: hooks.map((accepted, index) => {
      const { hook, file, cases } = lists[index] as ListedCases;
      return { name: hook, file, cases, script: scripts[index] as CompiledScript, accepted };
    }),
  };
}

type Source = Awaited<ReturnType<typeof folderSource>>;

async function listed(source: Source, { folder, hook }: AcceptedHook): Promise<ListedCases> {
  const file = folder === "" ? casesFile : `${folder}/${casesFile}`;
  const there = (await source.kind(file)) !== null;
  const cases = there ? readCases(await source.read(file, casesLimits.maxBytes), file) : [];
  return { hook: hook.name, file, cases };
}

/** Makes the packs that cases run in: one hook alone, with what the pack grants it. */
export class SinglePacks {
  readonly #suite: Suite;
  readonly #made = new Map<string, LoadedPack>();

  constructor(suite: Suite) {
    this.#suite = suite;
  }

  /**
   * The pack of one hook, with the configuration of the pack or of the case.
   *
   * @throws {HookwardenError} `cases-invalid` where the case's configuration does not fit the manifest's schema
   */
  packFor(hook: SuiteHook, test: Case, pointer: string): LoadedPack {
    const own = "config" in test;
    const key = `${hook.name} ${own ? canonicalJson(test.config) : ""}`;
    let pack = this.#made.get(key);
    if (!pack) {
      try {
        pack = single(this.#suite.manifest, hook, own ? { value: test.config } : null);
      } catch (error) {
        if (!own || !(error instanceof HookwardenError)) throw error;
        throw new HookwardenError("cases-invalid", error.message, {
          file: hook.file,
          pointer: `${pointer}/config`,
        });
      }
      this.#made.set(key, pack);
    }
    return pack;
  }
}

function single(manifest: PackManifest, hook: SuiteHook, config: { value: unknown } | null): LoadedPack {
  const { name, accepted, script } = hook;
  const { monitor: _, grants, config: values, ...rest } = manifest;
  const place = manifest.hooks.find((path) => path.replace(/^\.\//, "") === accepted.folder);
  const value = config ?? (values && Object.hasOwn(values, name) ? { value: values[name] } : null);
  const grant = grants && Object.hasOwn(grants, name) ? grants[name] : undefined;
  // What a hook does is tested as if it counted, also while the pack only watches it.
  const { mode, ...asked } = accepted.hook.manifest;
  const own = mode === undefined || mode === "monitor" ? asked : { ...asked, mode };
  const alone: PackManifest = {
    ...rest,
    hooks: place === undefined ? [] : [place],
    ...(grant === undefined ? {} : { grants: { [name]: grant } }),
    ...(value === null ? {} : { config: { [name]: value.value } }),
  };
  const hooks = acceptHooks(alone, [{ folder: accepted.folder, manifest: own }]);
  return withTime(completePack(alone, hooks, [script.program]));
}

function withTime(pack: LoadedPack): LoadedPack {
  return {
    ...pack,
    budgets: { ...pack.budgets, decisionMs },
    hooks: pack.hooks.map((hook) => ({
      ...hook,
      limits: { ...hook.limits, wallMs: Math.max(hook.limits.wallMs, minWallMs) },
    })),
  };
}
