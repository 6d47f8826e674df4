import manifest from "../../package.json" with { type: "json" };

/** Version of this package. */
export function version(): string {
  return manifest.version;
}
