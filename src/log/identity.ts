import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import manifest from "../../package.json" with { type: "json" };
import { preludeSource } from "../../sandbox/guest/generated/prelude.ts";
import type { EngineName } from "../../sandbox/index.ts";
import { actions } from "../catalogue/actions.ts";
import { events } from "../catalogue/events.ts";
import { canonicalJson } from "../pack/canonical.ts";

/** Which engine decided. */
export interface EngineIdentity {
  readonly name: EngineName;
  readonly version: string;
  /** `sha256:` of the engine's binary, as far as we carry it, its version, and the prelude that every hook runs behind. */
  readonly digest: string;
}

/** Version of this package. */
export const packageVersion: string = manifest.version;

let catalogue: string | undefined;

/** `sha256:` of what the tables of events and actions say, without their explanations. */
export function catalogueDigest(): string {
  if (catalogue === undefined) {
    const explains = new Set(["doc", "when", "means", "description"]);
    const rules = JSON.stringify({ events, actions }, (key, value: unknown) =>
      explains.has(key) ? undefined : value,
    );
    catalogue = `sha256:${hash("sha256", canonicalJson(JSON.parse(rules)), "hex")}`;
  }
  return catalogue;
}

const digests = new Map<string, string>();

/** Names an engine for the record. `version` is what its sandbox says. */
export function engineIdentity(name: EngineName, version: string): EngineIdentity {
  const key = `${name}\n${version}`;
  let digest = digests.get(key);
  if (digest === undefined) {
    const binary = name === "quickjs" ? hash("sha256", readFileSync(wasmPath()), "hex") : process.versions.v8;
    digest = `sha256:${hash("sha256", `${key}\n${binary}\n${preludeSource}`, "hex")}`;
    digests.set(key, digest);
  }
  return { name, version, digest };
}

function wasmPath(): string {
  return createRequire(import.meta.url).resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm");
}
