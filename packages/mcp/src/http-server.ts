import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { HookwardenError } from "hookwarden/errors";
import { currentRequest } from "./current-request.ts";
import { strictFetch } from "./strict-response.ts";
import type { ProxyTransport } from "./transport.ts";

/** A server that is reached over Streamable HTTP. */
export interface ServerUrl {
  readonly url: string | URL;
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The connection to such a server, for one session.
 *
 * @throws {HookwardenError} `option-invalid` for what is no http or https address
 */
export function connectOverHttp({ url, headers }: ServerUrl, maxMessageBytes: number): ProxyTransport {
  const onrefused = (why: string): void => {
    const id = currentRequest.getStore() ?? null;
    proxied.onrefused?.({ id, answer: id !== null, why, lost: false });
  };
  const transport = new StreamableHTTPClientTransport(checkUrl(url), {
    fetch: strictFetch(maxMessageBytes, onrefused),
    ...(headers ? { requestInit: { headers: { ...headers } } } : {}),
  });
  // The SDK's own declaration is not exact about its optional members.
  const proxied: ProxyTransport = Object.assign(transport as unknown as Transport, {
    terminate: () => transport.terminateSession(),
  });
  return proxied;
}

/** @throws {HookwardenError} `option-invalid` */
export function checkUrl(url: string | URL): URL {
  const parsed = URL.parse(String(url));
  if (parsed && (parsed.protocol === "http:" || parsed.protocol === "https:") && parsed.username === "")
    return parsed;
  throw new HookwardenError(
    "option-invalid",
    "the server's address must be one of http or https, without a user name; send credentials as a header",
  );
}
