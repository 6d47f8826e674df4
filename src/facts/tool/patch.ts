import type { ToolAccess } from "./row.ts";

const headers: readonly (readonly [RegExp, ToolAccess])[] = [
  [/^\*\*\* Add File: (.+)$/, "write"],
  [/^\*\*\* Update File: (.+)$/, "edit"],
  [/^\*\*\* Delete File: (.+)$/, "delete"],
  [/^\*\*\* Move to: (.+)$/, "write"],
  // Unified diffs; `a/` and `b/` are Git's.
  [/^\+\+\+ (?:b\/)?([^\t]+)/, "edit"],
  [/^--- (?:a\/)?([^\t]+)/, "edit"],
];

/** The files that a patch changes: one for `apply_patch`, or a unified diff. */
export function patchedFiles(text: string): { path: string; access: ToolAccess }[] {
  return text.split("\n").flatMap((line) => {
    for (const [header, access] of headers) {
      const path = header.exec(line)?.[1]?.trim();
      if (path !== undefined && path !== "/dev/null") return [{ path, access }];
    }
    return [];
  });
}
