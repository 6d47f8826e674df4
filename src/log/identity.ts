import { hash } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };
import { engineDigest, type EngineName } from "@hookwarden/sandbox";
import { actions, events } from "../catalogue/index.ts";
import { canonicalJson } from "../files/index.ts";

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
    digest = engineDigest(name, version);
    digests.set(key, digest);
  }
  return { name, version, digest };
}
