import { HookwardenError } from "../errors.ts";
import { FolderWatch } from "../warden/watch.ts";
import type { ServerParts } from "./parts.ts";
import { Problem, type ProblemCode, problemOf, problemTable } from "./problem.ts";

/** Who uploads what lies in a folder. */
const by = "folder";

/**
 * Lets a folder of the operator's serve a tenant, and follows its changes: each becomes a revision of its own. A folder
 * that cannot serve leaves the one before serving.
 *
 * @param watch whether changes are followed.
 * @throws {HookwardenError} why the folder cannot serve.
 */
export async function serveFolder(
  parts: ServerParts,
  tenantName: string,
  folder: string,
  watch: boolean,
): Promise<Disposable> {
  const { registry } = parts;
  const tenant =
    registry.get(tenantName) ??
    (await registry.put({
      tenant: tenantName,
      created: new Date().toISOString(),
      disabled: false,
      limits: {},
      signedOnly: false,
    }));
  const upload = async (): Promise<void> => {
    const accepted = await parts.uploads.check(tenant, { folder });
    if (accepted.opened.pack.digest === tenant.pack?.digest) return;
    const { revision } = await parts.uploads.store(tenant, accepted, by);
    await parts.rollouts.activate(tenant, revision, by);
  };
  try {
    await upload();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { means } = problemTable[error.code as ProblemCode];
    throw new HookwardenError("policy-invalid", `the pack cannot serve: ${means}`, { file: folder });
  }
  if (!watch) return { [Symbol.dispose]: () => undefined };
  let last: Promise<void> = Promise.resolve();
  const watcher = new FolderWatch(folder, () => {
    last = last
      .then(upload)
      .catch((error: unknown) =>
        parts.log("folder-refused", { tenant: tenantName, error: problemOf(error).code }),
      );
  });
  return { [Symbol.dispose]: () => watcher.close() };
}
