import type { AddressInfo } from "node:net";
import { listenError } from "hookwarden/errors";
import type { ServerSettings } from "../options.ts";
import type { Listener } from "./listener.ts";

/** How often connections on which everything is answered are closed while the server ends, in milliseconds. */
const idleCheckMs = 25;
/** Connections that the system may keep waiting. */
const backlog = 1_024;

/** Starts to listen. @throws {HookwardenError} `listen-failed` */
export async function listen(
  { server }: Listener,
  settings: ServerSettings,
): Promise<{ readonly url: string; readonly port: number }> {
  const host = settings.host.replace(/^\[|\]$/g, "");
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, settings.port));
    server.once("error", failed);
    server.listen({ host, port: settings.port, backlog }, () => {
      server.off("error", failed);
      resolve();
    });
  });
  const { address, port, family } = server.address() as AddressInfo;
  return { url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`, port };
}

/**
 * Stops listening, and waits until every request has been answered.
 *
 * @param graceMs after which connections are closed all the same.
 */
export async function close(listener: Listener, graceMs: number): Promise<void> {
  const late = setTimeout(() => listener.closeAll(), graceMs);
  const idle = setInterval(() => listener.closeIdle(), idleCheckMs);
  try {
    if (listener.server.listening) await new Promise((resolve) => listener.server.close(resolve));
  } finally {
    clearTimeout(late);
    clearInterval(idle);
  }
}
