import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden";

/** Where a bundle is in a registry. */
export interface Reference {
  /** Base address of the registry's API, without a slash at its end. */
  readonly origin: string;
  /** Name of the repository, such as `team/policies`. */
  readonly repository: string;
  readonly tag: string | null;
  /** `sha256:` of the manifest. Takes precedence over the tag. */
  readonly digest: string | null;
}

// Names as the OCI distribution specification defines them.
const host = "(?<host>(?:\\[[0-9a-fA-F:]+\\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?)";
const repository =
  "(?<repository>[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*)";
const tag = "(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?";
const digest = "(?:@(?<digest>sha256:[0-9a-f]{64}))?";
const form = new RegExp(`^oci://${host}/${repository}${tag}${digest}$`);
const maxLength = 512;

/**
 * Reads `oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:DIGEST]`. Registries are spoken to over HTTPS, except those on this
 * machine, which are assumed to have no certificate.
 *
 * @throws {HookwardenError} `option-invalid`
 */
export function readReference(text: string): Reference {
  const { host: name, ...parts } = (text.length <= maxLength && form.exec(text)?.groups) || {};
  if (name === undefined || !URL.canParse(`https://${name}`)) {
    throw new HookwardenError(
      "option-invalid",
      `${quote(text)} is not an address in a registry; write \`oci://HOST/REPOSITORY:TAG\`, or \`oci://HOST/REPOSITORY@sha256:DIGEST\``,
    );
  }
  return {
    origin: `${isLocal(name) ? "http" : "https"}://${name}`,
    repository: parts["repository"]!,
    tag: parts["tag"] ?? null,
    digest: parts["digest"] ?? null,
  };
}

/** The reference as a person writes it. */
export function writeReference({ origin, repository: path, tag: name, digest: hash }: Reference): string {
  return `oci://${new URL(origin).host}/${path}${name === null ? "" : `:${name}`}${hash === null ? "" : `@${hash}`}`;
}

function isLocal(name: string): boolean {
  const { hostname } = new URL(`https://${name}`);
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}
