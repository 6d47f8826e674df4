/** Servers on several machines, joined by NATS. See docs/scaling.md. */
export {
  type AskOptions,
  type NatsAnswer,
  type NatsClientOptions,
  NatsDecisionClient,
} from "./decision-client.ts";
export { createFleetServer, type FleetServer } from "./fleet-server.ts";
export { NatsLink, type NatsOptions } from "./link.ts";
export { createNatsNode, type NatsNode, type NatsNodeOptions } from "./node.ts";
export type { NodeReport } from "../operator.ts";
export { NatsStateStore, type NatsStateOptions } from "./state-store.ts";
