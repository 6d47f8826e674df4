import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import { type EventName, eventNames, eventRows, schemaId } from "../../catalogue/index.ts";
import { didYouMean, HookwardenError } from "../../errors/index.ts";
import { packManifestFile, readPackManifest, namePattern } from "../../pack/index.ts";
import type { Cli } from "../cli.ts";
import { safeJson } from "../sanitize-text.ts";
import { hookTemplate, type HookTemplate, json, type Language } from "../init/template.ts";
import { isInProject, packTsconfig, projectFiles } from "../init/project.ts";
import { appendToList, exists, writeNew } from "../init/write.ts";
import { addExample, addFormat, type FormatOption } from "../options.ts";

interface InitOptions extends FormatOption {
  readonly hook?: string;
  readonly event: string;
  readonly lang: Language;
  readonly project?: boolean;
}

const firstHook = "first-hook";
const eventsFile = "events.jsonl";

export function define(command: Command, cli: Cli): void {
  command
    .argument("[folder]", "folder of the pack, new or there already", ".")
    .option("--hook <name>", `name of the new hook (default: "${firstHook}" in a new pack)`)
    .option("--event <name>", "the event that it listens to", "PreToolUse")
    .addOption(
      new Option("--lang <language>", "TypeScript or JavaScript").choices(["ts", "js"]).default("ts"),
    )
    .option("--project", "make the folder a project, with package.json and CI (default: outside of projects)")
    .option("--no-project", "create the pack only")
    .action((folder: string, options: InitOptions) => init(folder, options, cli));
  addExample(
    addFormat(command),
    "init ./policies",
    "init ./policies --hook no-force-push --event PreToolUse",
  );
}

async function init(folder: string, options: InitOptions, { terminal }: Cli): Promise<void> {
  const event = eventOf(options.event);
  const manifest = join(folder, packManifestFile);
  const isNew = !(await exists(manifest));
  const hook = hookName(options.hook ?? (isNew ? firstHook : undefined), folder);
  const template = hookTemplate(hook, event, options.lang);
  const files = new Map([...template.files].map(([name, text]) => [join(folder, hook, name), text]));
  if (isNew) {
    for (const [name, text] of await packFiles(folder, hook, template, options))
      files.set(join(folder, name), text);
  } else {
    checkFree(readPackManifest(await readFile(manifest), manifest).hooks, hook, manifest);
  }
  await writeNew(files);
  if (!isNew) await appendToList(manifest, "hooks", hook);
  if (options.format === "json") {
    await terminal.line(safeJson({ hook, made: [...files.keys()], changed: isNew ? [] : [manifest] }));
    return;
  }
  const made = [...files.keys()].map((file) => `made     ${file}`);
  const changed = isNew ? [] : [`changed  ${manifest}`];
  const steps = isNew
    ? firstSteps(folder, files.has(join(folder, "package.json")))
    : [`npx hookwarden check ${folder}`];
  for (const line of [...made, ...changed, "", "Next:", ...steps.map((step) => `  ${step}`)])
    await terminal.line(line);
}

/** The files of a new pack outside its hooks, by path; those of a project and for editors only where none are yet. */
async function packFiles(
  folder: string,
  hook: string,
  { events }: HookTemplate,
  { project }: InitOptions,
): Promise<ReadonlyMap<string, string>> {
  const name = packName(folder);
  const $schema = schemaId("hookwarden.schema.json");
  const files = new Map([
    [packManifestFile, json({ $schema, apiVersion: 1, name, version: "0.1.0", hooks: [hook] })],
    [
      eventsFile,
      events.map((sample) => `${JSON.stringify({ ...sample, session_id: "example" })}\n`).join(""),
    ],
  ]);
  const isProject = project ?? !(await isInProject(folder));
  for (const [path, text] of [...packTsconfig(), ...(isProject ? projectFiles(name) : [])])
    if (!(await exists(join(folder, path)))) files.set(path, text);
  return files;
}

function firstSteps(folder: string, isProject: boolean): readonly string[] {
  const at = isProject ? "." : folder;
  const install = [...(folder === "." ? [] : [`cd ${folder}`]), "npm install"];
  return [
    ...(isProject ? install : []),
    `npx hookwarden check ${at}`,
    `npx hookwarden run ${at} --events ${join(at, eventsFile)}`,
  ];
}

function eventOf(name: string): EventName {
  if (eventRows.has(name)) return name as EventName;
  throw new HookwardenError("usage", `there is no event ${quote(name)}${didYouMean(name, eventNames)}`);
}

function hookName(name: string | undefined, folder: string): string {
  if (name === undefined) {
    const message = `${quote(folder)} already has a pack; add a hook to it with \`--hook NAME\``;
    throw new HookwardenError("usage", message);
  }
  if (new RegExp(namePattern).test(name)) return name;
  const message = `${quote(name)} is not a valid hook name; use lowercase letters, digits and \`-\`, at most 64 characters`;
  throw new HookwardenError("usage", message);
}

/** The folder's name as far as it can be a pack's. */
function packName(folder: string): string {
  const slug = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return slug || "policies";
}

function checkFree(hooks: readonly string[], hook: string, manifest: string): void {
  if (!hooks.includes(hook)) return;
  throw new HookwardenError("file-exists", `the pack has a hook ${quote(hook)} already`, { file: manifest });
}
