import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { presets, usual } from "./presets.ts";

export const trialKinds = ["malicious", "detection", "honest"] as const;
export type TrialKind = (typeof trialKinds)[number];

/** One hook of the trial. */
export interface TrialHook {
  readonly kind: TrialKind;
  /** Name of its file. */
  readonly category: string;
  readonly name: string;
  /** Codes that a review may refuse it for; empty for an honest hook. */
  readonly codes: readonly string[];
  readonly manifest: { readonly [name: string]: unknown };
  readonly config: unknown;
  readonly cases: readonly object[];
  /** By path: `hook.js`, files of `node_modules`, and those of the older version below `old/`. */
  readonly files: ReadonlyMap<string, string>;
  /** Belongs to the third that the review is not tuned with. */
  readonly heldOut: boolean;
}

/**
 * Reads the hooks of the trial. A file is a category. `#### name | codes | preset | manifest | config` begins a hook, `>>> path`
 * one of several files, `#= text` or `#= {…}` a case, and `#@ {state} text` a case with state.
 */
export async function readTrial(kind: TrialKind): Promise<readonly TrialHook[]> {
  const folder = new URL(`./${kind}/`, import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".txt")).sort();
  const hooks: TrialHook[] = [];
  for (const file of files) {
    const text = await readFile(new URL(file, folder), "utf8");
    for (const part of text.split(/^#### /m).slice(1)) hooks.push(hookOf(kind, file.slice(0, -4), part));
  }
  return hooks;
}

function hookOf(kind: TrialKind, category: string, part: string): TrialHook {
  const [head = "", ...lines] = part.split("\n");
  const [name = "", codes = "", preset = "", manifest = "{}", config = "null"] = head
    .split(" | ")
    .map((one) => one.trim());
  const base = presets[preset];
  if (!base) throw new Error(`${name}: there is no preset ${preset}`);
  const given = lines.filter((line) => /^#[=@] /.test(line));
  const all = given.length > 0 ? given : (usual[preset] ?? []).map((one) => `#= ${one}`);
  return {
    kind,
    category,
    name,
    codes: codes === "-" ? [] : codes.split(" "),
    manifest: { ...base.manifest, ...(JSON.parse(manifest) as object) },
    config: JSON.parse(config),
    cases: all.map((line, index) => caseOf(base, line, index)),
    files: filesOf(lines.filter((line) => !/^#[=@] /.test(line))),
    heldOut: createHash("sha256").update(name).digest().readUInt16BE(0) % 3 === 0,
  };
}

function caseOf(base: (typeof presets)[string] & object, line: string, index: number): object {
  const stated = /^#@ (\{.*?\}) (.*)$/.exec(line);
  const text = stated ? (stated[2] as string) : line.slice(3);
  const event = text.startsWith("{")
    ? { ...base.event, ...(JSON.parse(text) as object) }
    : placed(base, text);
  const state = stated ? { state: JSON.parse(stated[1] as string) as unknown } : {};
  return { name: `case ${index + 1}`, events: [event], expect: [null], ...state };
}

function placed({ event, field }: (typeof presets)[string] & object, text: string): object {
  const [first = "", second] = field;
  const inner = event[first] as object;
  return { ...event, [first]: second === undefined ? text : { ...inner, [second]: text } };
}

function filesOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let path = "hook.js";
  for (const line of lines) {
    if (line.startsWith(">>> ")) path = line.slice(4);
    else files.set(path, `${files.get(path) ?? ""}${line}\n`);
  }
  return files;
}

/** Folders with a hook of the trial as a pack of one, and with its older version if it has one; removed when disposed. */
export async function packOfTrial(
  hook: TrialHook,
): Promise<AsyncDisposable & { readonly path: string; readonly old: string | null }> {
  const root = await mkdtemp(join(tmpdir(), "hookwarden-trial-"));
  const old = hook.files.has("old/hook.js");
  await writePack(hook, join(root, "new"), (path) => (path.startsWith("old/") ? null : path));
  if (old)
    await writePack(hook, join(root, "old"), (path) => {
      if (path === "hook.js") return null;
      return path.startsWith("old/") ? path.slice(4) : path;
    });
  return {
    path: join(root, "new"),
    old: old ? join(root, "old") : null,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function writePack(
  { name, manifest, config, cases, files }: TrialHook,
  root: string,
  rename: (path: string) => string | null,
): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const configured = config === null ? {} : { config: { [name]: config } };
  const { actions, onFailure } = manifest;
  const grants = { [name]: { actions, ...(onFailure === "open" ? { onFailure } : {}) } };
  await write("hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: [name], grants, ...configured }));
  const fixed = { apiVersion: 1, name, version: "1.0.0", entry: "hook.js" };
  await write(`${name}/hook.json`, JSON.stringify({ ...fixed, ...manifest }));
  await write(`${name}/cases.json`, JSON.stringify(cases));
  for (const [path, text] of files) {
    const to = rename(path);
    if (to !== null) await write(to.startsWith("node_modules/") ? to : `${name}/${to}`, text);
  }
}
