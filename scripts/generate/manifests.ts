import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url);

type Manifest = Readonly<Record<string, unknown>>;

const read = (folder: string): Manifest =>
  JSON.parse(readFileSync(new URL(`${folder}package.json`, root), "utf8")) as Manifest;

/** The manifests of all packages but the root's, with its `repository`, `bugs` and `homepage`. */
export function manifests(): [string, string][] {
  const { repository, bugs, homepage } = read("");
  const folders = [
    "sandbox",
    "policies",
    ...readdirSync(new URL("packages", root)).map((name) => `packages/${name}`),
  ];
  return folders.map((directory) => {
    const { name, version, description, ...rest } = read(`${directory}/`);
    const linked = {
      name,
      version,
      description,
      ...rest,
      repository: { ...(repository as object), directory },
      bugs,
      homepage,
    };
    return [`${directory}/package.json`, `${JSON.stringify(linked, null, 2)}\n`];
  });
}
