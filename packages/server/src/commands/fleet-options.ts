import { hostname } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { HookwardenError } from "hookwarden/errors";
import type { NatsNodeOptions } from "../nats/index.ts";
import { readJsonFile, required } from "hookwarden/cli";

export interface FleetOptions {
  readonly nats?: string;
  readonly node?: string;
  readonly fleetKey?: string;
  readonly fleetTrust?: string;
  readonly natsCredentials?: string;
  readonly natsCa?: string;
  readonly natsCert?: string;
  readonly natsCertKey?: string;
  readonly natsPrefix?: string;
  readonly natsReplicas?: string;
}

/** The options of a server that is one of several. */
export function addFleet(command: Command): Command {
  return command
    .option("--nats <urls>", "share packs, keys, state and audit with other servers over NATS")
    .option("--node <name>", "this server's name among them (default: the host's)")
    .option("--fleet-key <file>", "private key that signs what they share; see `keygen`")
    .option("--fleet-trust <file>", "keys that may sign it (default: the fleet key's)")
    .option("--nats-credentials <file>", "credentials file for NATS")
    .option("--nats-ca <file>", "authorities that may vouch for the NATS servers")
    .option("--nats-cert <file>", "our certificate for NATS")
    .option("--nats-cert-key <file>", "its private key")
    .option("--nats-prefix <name>", "prefix of all names in NATS (default: `hookwarden`)")
    .option("--nats-replicas <number>", "NATS servers that keep each message: 1, 3 or 5");
}

/**
 * How to join the fleet; `null` without `--nats`.
 *
 * @param data the server's folder, which holds what this node keeps of the fleet.
 * @throws {HookwardenError} `usage`, or as reading a JSON file does
 */
export async function fleetFrom(options: FleetOptions, data: string): Promise<NatsNodeOptions | null> {
  const { nats, ...others } = options;
  if (nats === undefined) {
    const alone = (Object.keys(others) as (keyof typeof others)[]).find(
      (name) => flags.has(name) && others[name] !== undefined,
    );
    if (alone) throw new HookwardenError("usage", `\`${flags.get(alone)}\` needs \`--nats\``);
    return null;
  }
  if (options.fleetTrust === undefined) required(options.fleetKey, "--fleet-key");
  const replicas = Number(options.natsReplicas ?? "1");
  if (![1, 3, 5].includes(replicas)) throw new HookwardenError("usage", "`--nats-replicas` is 1, 3 or 5");
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

const flags: ReadonlyMap<string, string> = new Map([
  ["node", "--node"],
  ["fleetKey", "--fleet-key"],
  ["fleetTrust", "--fleet-trust"],
  ["natsCredentials", "--nats-credentials"],
  ["natsCa", "--nats-ca"],
  ["natsCert", "--nats-cert"],
  ["natsCertKey", "--nats-cert-key"],
  ["natsPrefix", "--nats-prefix"],
  ["natsReplicas", "--nats-replicas"],
]);
