import { packageVersion } from "hookwarden/log";
import { createLog } from "../log.ts";
import type { ServerOptions } from "../options.ts";
import { lockFolder } from "../sqlite/folder-lock.ts";
import { createServer, type HookwardenServer } from "../server.ts";
import { createNatsNode, type NatsNode, type NatsNodeOptions } from "./node.ts";

/** A server that is one of a fleet. */
export interface FleetServer extends HookwardenServer {
  readonly node: NatsNode;
}

/**
 * Makes a server that shares packs, keys, tenants, state and audit with others over NATS, and decides what they are asked
 * over NATS together.
 *
 * @param options of the server; `data`, `stores` and `node` come from `nats`.
 * @throws {HookwardenError} as `createServer` and `createNatsNode`. Nothing is left running then.
 *
 * @example
 *     await using server = await createFleetServer({}, { servers: "nats://127.0.0.1", node: "n1", folder: "./n1", key });
 *     await server.listen();
 */
export async function createFleetServer(
  options: Omit<ServerOptions, "data" | "stores" | "node" | "nodes" | "onRollout">,
  nats: NatsNodeOptions,
): Promise<FleetServer> {
  const log = createLog(options.log, options.logLevel);
  const stateBytes = options.tenantLimits?.stateBytes;
  const quota = stateBytes === undefined ? {} : { quota: { maxBytesPerTenant: stateBytes } };
  await using opened = new AsyncDisposableStack();
  opened.use(lockFolder(nats.folder));
  const node = await createNatsNode({ ...quota, version: packageVersion, ...nats });
  opened.use(node.stores);
  node.link.listen((connected) => {
    log(connected ? "nats-connected" : "nats-lost");
  });
  const server = await createServer({
    ...options,
    stores: node.stores,
    node: nats.node,
    nodes: () => node.reports.all().catch(() => []),
    onRollout: ({ tenant, generation }) => node.reports.serving(tenant, generation),
  });
  const channel = node.serve(server.decisions);
  const kept = opened.move();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await channel[Symbol.asyncDispose]();
    await server.close();
    await kept.disposeAsync();
  };
  const fleet: FleetServer = {
    ...server,
    node,
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => fleet.close(),
  };
  return fleet;
}
