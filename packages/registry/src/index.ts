/** Bundles in OCI registries. */
export type { Credentials } from "./credentials.ts";
export { type PulledBundle, pullBundle, type PullOptions } from "./pull.ts";
export { pushBundle, type PushedBundle, type PushOptions } from "./push.ts";
export type { RegistryOptions } from "./registry-client.ts";
