import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { loadSuite, type Suite, type SuiteHook, caseDefaults } from "hookwarden/check";
import { type Example, type ExampleCase, jsonText, packFile } from "../src/example.ts";
import type { ReadyProgram } from "../src/protocol.ts";

/** Examples made of the hooks of a pack, with all cases of each. */
export interface PackExamples {
  readonly examples: readonly Example[];
  readonly ready: readonly ReadyProgram[];
  /** What the scripts import by name. */
  readonly specifiers: readonly string[];
}

/**
 * Makes an example of each hook of a pack: the hook alone, as its cases are run.
 *
 * @param note what stands behind the hook's name where another example has the same.
 */
export async function packExamples(dir: string, group: string, note?: string): Promise<PackExamples> {
  const suite = await loadSuite(dir);
  const made = await Promise.all(suite.hooks.map((hook) => exampleOf(suite, hook, group, note)));
  return {
    examples: made.map(({ example }) => example),
    ready: made.map(({ ready }) => ready),
    specifiers: [...new Set(made.flatMap(({ specifiers }) => specifiers))].sort(),
  };
}

async function exampleOf(
  suite: Suite,
  { name, accepted, script, cases }: SuiteHook,
  group: string,
  note: string | undefined,
): Promise<{ example: Example; ready: ReadyProgram; specifiers: readonly string[] }> {
  const { folder, hook } = accepted;
  const entry = `${folder}/${hook.manifest.entry}`;
  const { paths, specifiers } = await importsOf(suite.root, entry);
  const read = (path: string): string => readFileSync(join(suite.root, path), "utf8");
  const sources = Object.fromEntries(
    [entry, ...paths.filter((path) => path !== entry)].map((path) => [path, read(path)]),
  );
  const { grants, config, defaults, budgets } = suite.manifest;
  const pack = {
    apiVersion: 1,
    hooks: [folder],
    ...(grants?.[name] === undefined ? {} : { grants: { [name]: grants[name] } }),
    ...(config?.[name] === undefined ? {} : { config: { [name]: config[name] } }),
    ...(defaults === undefined ? {} : { defaults }),
    ...(budgets === undefined ? {} : { budgets }),
  };
  const example: Example = {
    id: note === undefined ? name : `${name} ${note}`,
    title: note === undefined ? name : `${name}, ${note}`,
    description: hook.manifest.description ?? "",
    group,
    hook: name,
    files: { ...sources, [`${folder}/hook.json`]: read(`${folder}/hook.json`), [packFile]: jsonText(pack) },
    cases: cases.map(({ name: title, events, ...rest }): ExampleCase => ({
      name: title,
      events: events.map((event) => ({ ...caseDefaults, ...event })),
      ...("state" in rest ? { state: rest.state } : {}),
      ...("config" in rest ? { config: rest.config } : {}),
    })),
  };
  return { example, ready: { entry, files: sources, source: script.program.source }, specifiers };
}

/** The files of a pack that a script is made of, and the packages that they import. */
async function importsOf(
  root: string,
  entry: string,
): Promise<{ readonly paths: readonly string[]; readonly specifiers: readonly string[] }> {
  const specifiers = new Set<string>();
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    logLevel: "silent",
    plugins: [
      {
        name: "packages",
        setup(setup) {
          setup.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
            if (kind === "entry-point") return null;
            specifiers.add(path);
            return { path, external: true };
          });
        },
      },
    ],
  });
  return { paths: Object.keys(metafile.inputs).sort(), specifiers: [...specifiers] };
}
