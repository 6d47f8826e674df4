import { type FactDeriver, FactSet } from "./fact-set.ts";
import { within } from "./within.ts";

/** Gives where an absolute path leads if symbolic links are followed. */
export type LinkResolver = (path: string) => string | Promise<string>;

/** Where links are recorded among the facts of the host. */
export const linksName = "links";

/** Most time for resolving the paths of an event, in milliseconds. */
const resolveMs = 1_000;

/** Where the paths of an event lead; without those that could not be resolved in time. */
export async function resolveLinks(
  event: { readonly [field: string]: unknown },
  resolve: LinkResolver,
  derive: FactDeriver,
): Promise<{ readonly [path: string]: string }> {
  const set = new FactSet(event);
  await set.deriveElsewhere(set.heavyOnes(["paths"]), derive, resolveMs);
  const fact = set.valueOf("paths");
  const named = fact.ok ? fact.paths.map(({ path }) => path) : [];
  const absolute = new Set(named.filter((path) => typeof path === "string"));
  const links = new Map<string, string>();
  const resolving = [...absolute]
    .filter((path) => path.startsWith("/"))
    .map(async (path) => {
      const target = await resolve(path);
      if (typeof target === "string" && target.startsWith("/")) links.set(path, target);
    });
  await within(resolveMs, Promise.allSettled(resolving)).catch(() => undefined);
  return Object.fromEntries(links);
}
