import { HookwardenError } from "hookwarden/errors";
import { FolderWatch } from "hookwarden/warden";
import type { ServerContext } from "./context.ts";
import { newTenant } from "./new-tenant.ts";
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
  context: ServerContext,
  tenantName: string,
  folder: string,
  watch: boolean,
): Promise<Disposable> {
  const { registry } = context;
  const tenant = registry.get(tenantName) ?? (await registry.put(newTenant(tenantName)));
  const upload = async (): Promise<void> => {
    const accepted = await context.uploads.check(tenant, { folder });
    if (accepted.opened.pack.digest === tenant.pack?.digest) return;
    const { revision } = await context.uploads.store(tenant, accepted, by);
    await context.rollouts.activate(tenant, { revision, by });
  };
  try {
    await upload();
  } catch (error) {
    throw asFolderError(error, folder);
  }
  if (!watch) return { [Symbol.dispose]: () => undefined };
  let last: Promise<void> = Promise.resolve();
  const watcher = new FolderWatch(folder, () => {
    last = last.then(upload).catch((thrown: unknown) => {
      const error = asFolderError(thrown, folder);
      const isKnown = error instanceof HookwardenError;
      // The operator's own folder: what is wrong with it, and where, is for the operator's log.
      const where = isKnown ? { message: error.message, ...error.place } : {};
      context.log("folder-refused", { tenant: tenantName, error: problemOf(error).code, ...where });
    });
  });
  return { [Symbol.dispose]: () => watcher.close() };
}

/** A limit of the tenant as an error about the folder. */
function asFolderError(error: unknown, folder: string): unknown {
  if (!(error instanceof Problem)) return error;
  const message = error.detail?.message ?? problemTable[error.code as ProblemCode].means;
  return new HookwardenError("policy-invalid", `the pack cannot serve: ${message}`, { file: folder });
}
