import { defaultLimits, limitNames, type Limits, limitTable } from "@hookwarden/sandbox";
import { quote } from "@hookwarden/sandbox/json";
import { type ActionName, type EventName, actionRows } from "../catalogue/index.ts";
import { didYouMean, HookwardenError } from "../errors/index.ts";
import { factProblem } from "../facts/index.ts";
import { canonicalJson, sha256 } from "../files/index.ts";
import { checkConfig } from "./config.ts";
import { canFailClosed, failurePolicies } from "./failure-policy.ts";
import { budgetTable, manifestLimits } from "./limits.ts";
import { hookManifestFile, packManifestFile } from "./manifest.ts";
import { grantedReads, unreadChange } from "./reads.ts";
import type { MappedProgram } from "../compile/index.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { Budgets, Grant, HookManifest, LoadedHook, LoadedPack, PackManifest } from "./types.ts";

/** One hook's manifest, with its folder in the pack (empty for the root). */
export interface HookPart {
  readonly folder: string;
  readonly manifest: HookManifest;
}

/** A validated hook, complete except for its program. */
export interface AcceptedHook {
  readonly folder: string;
  readonly hook: Omit<LoadedHook, "digest" | "program">;
}

/**
 * Checks schema-valid manifests against the rules that a schema cannot express, and restricts each hook to what it
 * is granted. Looks at no script.
 *
 * @throws {HookwardenError} `policy-invalid`, `pack-invalid`, `matcher-invalid`, `reads-insufficient`
 */
export function acceptHooks(manifest: PackManifest, parts: readonly HookPart[]): readonly AcceptedHook[] {
  checkNames(manifest, parts);
  const subscriptions = new Subscriptions();
  return parts.map((part, order) => acceptHook(manifest, part, order, subscriptions));
}

/** Gives accepted hooks their programs, in the same order, and makes a pack of them. */
export function completePack(
  manifest: PackManifest,
  accepted: readonly AcceptedHook[],
  programs: readonly MappedProgram[],
  root?: string,
): LoadedPack {
  const hooks = accepted.map(({ hook }, index) => {
    const program = programs[index];
    if (!program) throw new HookwardenError("internal", `the hook ${quote(hook.name)} has no program`);
    const grant = ownValue(manifest.grants, hook.name) ?? null;
    const parts = { manifest: hook.manifest, config: hook.configJson, grant, program: program.key };
    return { ...hook, program, digest: sha256(canonicalJson(parts)) };
  });
  const allReadable = {
    manifest,
    hooks: hooks.map((hook) => ({ manifest: hook.manifest, program: hook.program.key })),
  };
  return {
    manifest,
    digest: sha256(canonicalJson(allReadable)),
    ...(root === undefined ? {} : { root }),
    hooks,
    budgets: budgetsOf(manifest),
    monitor: manifest.monitor ?? false,
  };
}

/** Own properties only: a hook may be called `constructor`. */
function ownValue<T>(record: { readonly [name: string]: T } | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

function budgetsOf(manifest: PackManifest): Budgets {
  const { decisionMs, maxHooks, injectionBytes } = budgetTable;
  return {
    decisionMs: manifest.budgets?.decisionMs ?? decisionMs.default,
    maxHooks: manifest.budgets?.maxHooks ?? maxHooks.default,
    injectionBytes: manifest.budgets?.injectionBytes ?? injectionBytes.default,
  };
}

/** Where a rule about a hook is broken. */
function manifestFile(folder: string): string {
  return folder === "" ? hookManifestFile : `${folder}/${hookManifestFile}`;
}

function checkNames(manifest: PackManifest, parts: readonly HookPart[]): void {
  const names = new Map<string, string>();
  for (const { folder, manifest: hook } of parts) {
    const file = manifestFile(folder);
    const place = { file, pointer: "/name" };
    const folderName = folder.slice(folder.lastIndexOf("/") + 1);
    if (folderName !== "" && folderName !== hook.name) {
      const message = `the hook is called ${quote(hook.name)}, and its folder ${quote(folderName)}`;
      throw new HookwardenError("pack-invalid", message, place, { fix: "Rename one of them." });
    }
    const other = names.get(hook.name);
    if (other !== undefined) {
      throw new HookwardenError(
        "pack-invalid",
        `the name ${quote(hook.name)} is also that of ${quote(other)}`,
        place,
        { fix: "Rename one of the two hooks." },
      );
    }
    names.set(hook.name, file);
  }
  for (const part of ["grants", "config"] as const) {
    for (const name of Object.keys(manifest[part] ?? {})) {
      if (names.has(name)) continue;
      const message = `there is no hook ${quote(name)} in this pack${didYouMean(name, names.keys())}`;
      const pointer = `/${part}/${name}`;
      const fix = `Correct the name, or remove it from \`${part}\`.`;
      throw new HookwardenError("policy-invalid", message, { file: packManifestFile, pointer }, { fix });
    }
  }
}

function acceptHook(
  pack: PackManifest,
  { folder, manifest }: HookPart,
  order: number,
  subscriptions: Subscriptions,
): AcceptedHook {
  const file = manifestFile(folder);
  const grant: Grant = ownValue(pack.grants, manifest.name) ?? {};
  const events = [...new Set(manifest.on.map(({ event }) => event))];
  const problem = factProblem(manifest, events);
  if (problem)
    throw new HookwardenError("policy-invalid", problem.message, { file, pointer: problem.pointer });
  const place = { hook: manifest.name, file };
  const configJson = checkConfig(manifest.config, ownValue(pack.config, manifest.name), place);
  const on = subscriptions.read(manifest, file, configJson);
  const asked = new Set<ActionName>(["continue", ...manifest.actions]);
  const granted = grantedActions(asked, grant);
  const mode = manifest.mode ?? "sequential";
  checkMode(manifest, file);
  if (asked.has("set_state") && !manifest.state) {
    const message = "the hook asks for `set_state` and declares no `state`";
    const fix = "Add `state` with `scope` and `maxBytes`, or remove the action.";
    throw new HookwardenError("policy-invalid", message, { file, pointer: "/actions" }, { fix });
  }
  const reads = grantedReads(manifest.reads, grant.reads, events);
  checkReads(granted, reads, events, file);
  const notes: string[] = [];
  return {
    folder,
    hook: {
      manifest,
      name: manifest.name,
      version: manifest.version,
      order,
      priority: manifest.priority ?? manifestLimits.priority.default,
      mode,
      on,
      reads,
      asked,
      granted,
      roles: new Set(grant.roles ?? ["user"]),
      onFailure: failurePolicies(
        events,
        granted,
        askedPolicy(manifest, grant, { events, file, notes }),
        pack.defaults?.onFailure,
      ),
      limits: effectiveLimits(pack, manifest, grant, file),
      state: manifest.state ?? null,
      configJson,
      notes,
    },
  };
}

/** `allow` takes a person out of the loop, so it must be granted by name. */
function grantedActions(asked: ReadonlySet<ActionName>, grant: Grant): ReadonlySet<ActionName> {
  const given = grant.actions && new Set<string>(["continue", ...grant.actions]);
  return new Set([...asked].filter((action) => (given ? given.has(action) : action !== "allow")));
}

/** Parallel hooks have no order, so they may not decide or rewrite. */
function checkMode(manifest: HookManifest, file: string): void {
  if (manifest.mode !== "parallel") return;
  manifest.actions.forEach((action, index) => {
    if (action === "continue" || actionRows.get(action)?.kind === "addition") return;
    const message = `a parallel hook may only add, and ${quote(action)} is a ${actionRows.get(action)?.kind}`;
    throw new HookwardenError("policy-invalid", message, { file, pointer: `/actions/${index}` });
  });
}

function checkReads(
  granted: ReadonlySet<ActionName>,
  reads: readonly string[],
  events: readonly EventName[],
  file: string,
): void {
  const unread = unreadChange(granted, reads, events);
  if (!unread) return;
  const { action, event, field } = unread;
  const message = `with \`${action}\` at ${event} the hook may rewrite \`${field}\`, which it does not read whole`;
  const fix = `Add \`${field}\` to \`reads\`: a rewrite must not drop what the hook could not see.`;
  throw new HookwardenError("reads-insufficient", message, { file, pointer: "/reads" }, { fix });
}

/** What a manifest asks for in the case of a fault, unless the pack does not grant it. */
function askedPolicy(
  manifest: HookManifest,
  grant: Grant,
  { events, file, notes }: { readonly events: readonly EventName[]; readonly file: string; notes: string[] },
): "open" | "closed" | undefined {
  if (manifest.onFailure === "closed") {
    const open = events.find((event) => !canFailClosed(event));
    if (open === undefined) return "closed";
    const message = `\`onFailure\` is \`closed\`, but hooks cannot fail closed at ${open}`;
    throw new HookwardenError("policy-invalid", message, { file, pointer: "/onFailure" });
  }
  if (manifest.onFailure === "open" && grant.onFailure !== "open") {
    notes.push("asks for `onFailure: open`, which the pack does not grant; the default counts");
    return undefined;
  }
  return manifest.onFailure;
}

/** What a manifest asks for, else the pack's default, else ours; never more than the grant. */
function effectiveLimits(pack: PackManifest, manifest: HookManifest, grant: Grant, file: string): Limits {
  const entries = limitNames.map((name) => {
    const asked = manifest.limits?.[name];
    const maximum = grant.limits?.[name] ?? limitTable[name].ceiling;
    if (asked !== undefined && asked > maximum) {
      const message = `the hook asks for ${asked} ${limitTable[name].unit}, and the pack grants at most ${maximum}`;
      throw new HookwardenError("policy-invalid", message, { file, pointer: `/limits/${name}` });
    }
    return [name, Math.min(asked ?? pack.defaults?.limits?.[name] ?? defaultLimits[name], maximum)];
  });
  return Object.freeze(Object.fromEntries(entries)) as Limits;
}
