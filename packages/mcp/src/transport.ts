import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { RequestId } from "./message.ts";

/** A text that came from a peer and was refused before it was a message. */
export interface RefusedText {
  /** Of the message, as far as it could be read. */
  readonly id: RequestId | null;
  /** Whether it looks like the answer to a request, rather than a request. */
  readonly answer: boolean;
  /** Why, in words. */
  readonly why: string;
  /** `true`: nothing more is known of it, so that it may have been the answer that anybody waits for. */
  readonly lost: boolean;
}

/** A transport of the SDK, with what the proxy's own ones can do beyond it. */
export interface ProxyTransport extends Transport {
  /** Called for texts that are no messages. */
  onrefused?: ((refused: RefusedText) => void) | undefined;
  /** Stops reading, until `resume`. */
  pause?(): void;
  resume?(): void;
  /** Ends the session at the other side, where that is more than closing the connection. */
  terminate?(): Promise<void>;
  /** Whether what belongs to no request of the other side's cannot reach it now. */
  readonly needsRelatedRequest?: boolean;
  /** How the other side ended, in words; `undefined` where it did not. */
  readonly endedAs?: string | undefined;
}
