import type { Scope } from "./storage.ts";

/** Who asks, as its credential says: nothing in a request can change it. */
export interface Principal {
  /** Id of the credential. */
  readonly id: string;
  /** `null`: an operator. */
  readonly tenant: string | null;
  readonly scopes: ReadonlySet<Scope>;
}
