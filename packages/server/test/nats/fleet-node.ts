/**
 * One node of a fleet, as a process of its own that can be killed and stopped. Argument: a JSON object with the options
 * of the node, `delayMs`, by which it answers later, and options of the server. Says `ready` when it listens.
 */
import { createFleetServer } from "../../src/nats/fleet-server.ts";
import type { NatsNodeOptions } from "../../src/nats/node.ts";
import type { ServerOptions } from "../../src/options.ts";

interface Given extends NatsNodeOptions {
  readonly delayMs?: number;
  readonly server?: Partial<ServerOptions>;
}

const { delayMs = 0, server: given, ...nats } = JSON.parse(process.argv[2]!) as Given;
const server = await createFleetServer(
  {
    port: 0,
    where: "inline",
    tenantLimits: { requestsPerSecond: 100_000, concurrency: 1_000, queued: 10_000, cpuMsPerMinute: 60_000 },
    ...given,
  },
  nats,
);
if (delayMs > 0) {
  const { decisions } = server as unknown as {
    decisions: { decide: (request: unknown) => Promise<unknown> };
  };
  const decide = decisions.decide.bind(decisions);
  decisions.decide = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return decide(request);
  };
}
const { url } = await server.listen();
process.stdout.write(`${JSON.stringify({ ready: url })}\n`);
const end = (): void => void server.close().then(() => process.exit(0));
process.on("SIGTERM", end);
process.stdin.on("end", end).resume();
