import { type ContextOptions, SessionContext, type Side } from "./context.ts";
import type { RawMessage } from "./message.ts";
import { Peer } from "./peer.ts";
import type { ProxyTransport } from "./transport.ts";

export interface PartiesOptions extends Omit<ContextOptions, "ask"> {
  readonly client: ProxyTransport;
  readonly server: ProxyTransport;
}

/** The two sides of a session, and what everything that passes between them shares. */
export class Parties {
  readonly client: Peer;
  readonly server: Peer;
  readonly context: SessionContext;

  /** @param onSendError a message could not be sent to this side. */
  constructor(options: PartiesOptions, onSendError: (to: Peer, message: RawMessage, error: unknown) => void) {
    const createPeer = (side: Side, transport: ProxyTransport): Peer => {
      const peer: Peer = new Peer(side, transport, {
        onsenderror: (message, error) => onSendError(peer, message, error),
        ondrain: () => this.applyBackpressure(),
      });
      return peer;
    };
    this.client = createPeer("client", options.client);
    this.server = createPeer("server", options.server);
    this.context = new SessionContext({
      ...options,
      ask: (request) => (request.to === "client" ? this.client : this.server).ask(request),
    });
  }

  other({ side }: Peer): Peer {
    return side === "client" ? this.server : this.client;
  }

  /** Reads from each side only as fast as the other one accepts. */
  applyBackpressure(): void {
    this.client.applyBackpressure(this.server);
    this.server.applyBackpressure(this.client);
  }
}

const maxErrorLength = 500;

/** What went wrong, at a length that fits into a message: it may quote a whole response of a server. */
export function errorText(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.length > maxErrorLength ? `${words.slice(0, maxErrorLength)}…` : words;
}
