import { quote } from "@hookwarden/sandbox/json";
import { catalogueFields } from "../catalogue/index.ts";
import { type AcceptedHook, hookManifestFile, replacedFields } from "../pack/index.ts";
import type { Usage } from "./lint/index.ts";
import { type Finding, finding } from "./finding.ts";

/** Fewest names of fields that make `*` worth its while. */
const manyFields = 6;

/** Fields that a hook asks for, and that its code does not name. */
export function checkReads({ folder, hook }: AcceptedHook, { names, takesAll }: Usage): readonly Finding[] {
  // A rewrite must read its field whole, whether the code looks at it or not.
  const needed = new Set(hook.manifest.actions.flatMap((action) => replacedFields(action)));
  const named = new Set(names);
  return hook.manifest.reads.flatMap((path, index) => {
    const place = { file: `${folder}/${hookManifestFile}`, pointer: `/reads/${index}` };
    if (path === "*") {
      if (takesAll) return [];
      const fields = new Set(hook.on.flatMap(({ event }) => catalogueFields(event)));
      const used = [...fields].filter((field) => named.has(field) || needed.has(field));
      if (used.length >= manyFields) return [];
      const list = used.length === 0 ? "no field" : used.map(quote).join(", ");
      const message = `the hook reads \`*\`, and its code names ${list}`;
      return [finding("reads-everything", hook.name, message, place)];
    }
    const [first = "", ...rest] = path.split(".");
    const unnamed = named.has(first) || needed.has(first) ? rest.find((part) => !named.has(part)) : first;
    if (unnamed === undefined || takesAll) return [];
    const message = `the hook reads ${quote(path)}, and its code does not name ${quote(unnamed)}`;
    return [finding("read-unused", hook.name, message, place)];
  });
}
