/**
 * Validates deploy/kubernetes against the schemas of Kubernetes, as the package `kubernetes-models` has them, and finds
 * members that no schema knows. The package is installed into a temporary folder. `npm run smoke:kubernetes`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";
import { installPackages } from "../../test/support/install-packages.ts";

const models = { "kubernetes-models": "5.1.0" };
const manifests = fileURLToPath(new URL("../../deploy/kubernetes/", import.meta.url));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Sets `errors` where it returns `false`. */
interface Validate {
  (data: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/**
 * A view of a manifest that notes which of its members are read: schemas of Kubernetes allow unknown members, but their
 * validators read the known ones only.
 */
function observed<T>(value: T, pointer: string, unread: Set<string>): T {
  if (typeof value !== "object" || value === null) return value;
  const members = new Map<string | symbol, unknown>();
  for (const [name, member] of Object.entries(value)) {
    const own = `${pointer}/${name}`;
    unread.add(own);
    members.set(name, observed(member as unknown, own, unread));
  }
  return new Proxy(value, {
    get(target, name) {
      unread.delete(`${pointer}/${String(name)}`);
      return members.has(name) ? members.get(name) : Reflect.get(target, name);
    },
  });
}

/** What is wrong with a manifest. */
async function problemsOf(manifest: Manifest, folder: string): Promise<readonly string[]> {
  const { apiVersion, kind } = manifest;
  const model = join(folder, "node_modules/kubernetes-models", apiVersion, `${kind}.js`);
  const schema = /"([^"]*_schemas\/[^"]+)"/.exec(readFileSync(model, "utf8"))?.[1];
  if (!schema) throw new Error(`${model} has no schema`);
  const { validate } = (await import(new URL(schema, pathToFileURL(model)).href)) as { validate: Validate };
  const unread = new Set<string>();
  const isValid = validate(observed(manifest, "", unread));
  const errors = isValid ? [] : (validate.errors ?? []);
  return [
    ...errors.map(({ instancePath, message = "is invalid" }) => `${instancePath} ${message}`),
    ...[...unread].map((pointer) => `${pointer} is unknown`),
  ];
}

const folder = mkdtempSync(join(tmpdir(), "hookwarden-kubernetes-"));
try {
  installPackages(folder, models);
  for (const file of readdirSync(manifests).filter((name) => name.endsWith(".yaml"))) {
    for (const document of parseAllDocuments(readFileSync(manifests + file, "utf8"))) {
      const manifest = document.toJS() as Manifest;
      const problems = await problemsOf(manifest, folder);
      const name = `${manifest.kind}/${manifest.metadata.name}`;
      console.log(`${file}: ${name}: ${problems.length === 0 ? "valid" : problems.join("; ")}`);
      if (problems.length > 0) process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
