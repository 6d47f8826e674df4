import { hostname } from "node:os";
import { join } from "node:path";
import { HookwardenError } from "hookwarden/errors";
import type { NatsNodeOptions } from "../nats/index.ts";
import { readJsonFile, required } from "hookwarden/cli";
import { flagOf, type Settings } from "./settings-table.ts";

/** The settings of a server that is one of several. */
export type FleetOptions = Pick<
  Partial<Settings>,
  | "nats"
  | "node"
  | "fleetKey"
  | "fleetTrust"
  | "natsCredentials"
  | "natsCa"
  | "natsCert"
  | "natsCertKey"
  | "natsPrefix"
  | "natsReplicas"
>;

/**
 * How to join the fleet; `null` without `--nats`.
 *
 * @param data the server's folder, which holds what this node keeps of the fleet.
 * @throws {HookwardenError} `usage`, or as reading a JSON file does
 */
export async function fleetFrom(options: FleetOptions, data: string): Promise<NatsNodeOptions | null> {
  const { nats, ...others } = options;
  if (nats === undefined) {
    const alone = fleetOnly.find((name) => others[name] !== undefined);
    if (alone) throw new HookwardenError("usage", `\`${flagOf(alone)?.split(" ")[0]}\` needs \`--nats\``);
    return null;
  }
  if (options.fleetTrust === undefined) required(options.fleetKey, "--fleet-key");
  const replicas = Number(options.natsReplicas ?? "1");
  const { natsCa: caFile, natsCert: certFile, natsCertKey: keyFile } = options;
  const files = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
  return {
    servers: nats,
    node:
      options.node ??
      (hostname()
        .replaceAll(/[^A-Za-z0-9_-]/g, "-")
        .slice(0, 64) ||
        // A container may have no host name.
        "node"),
    folder: join(data, "fleet"),
    replicas,
    ...(options.fleetKey === undefined ? {} : { key: await readJsonFile(options.fleetKey) }),
    ...(options.fleetTrust === undefined ? {} : { trust: options.fleetTrust }),
    ...(options.natsCredentials === undefined ? {} : { credentials: options.natsCredentials }),
    ...(Object.keys(files).length === 0 ? {} : { tls: files }),
    ...(options.natsPrefix === undefined ? {} : { prefix: options.natsPrefix }),
  };
}

/** Settings without a default that make no sense without `nats`. */
const fleetOnly = [
  "node",
  "fleetKey",
  "fleetTrust",
  "natsCredentials",
  "natsCa",
  "natsCert",
  "natsCertKey",
  "natsPrefix",
] as const satisfies readonly (keyof FleetOptions)[];
