import { readFileSync } from "node:fs";
import { routes } from "../../policies/scripts/routing.ts";

interface Manifest {
  readonly on: readonly { readonly event: string }[];
  readonly [member: string]: unknown;
}

/** The manifests of the shipped policies that are called only if their condition holds. */
export function routedPolicies(): [string, string][] {
  return Object.entries(routes).map(([policy, when]) => {
    const path = `policies/${policy}/hook.json`;
    const manifest = JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")) as Manifest;
    const on = manifest.on.map((row) => (row.event === "PreToolUse" ? { ...row, when } : row));
    return [path, JSON.stringify({ ...manifest, on }, null, 2)];
  });
}
