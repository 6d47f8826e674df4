import type { EnginePort, FromBroker, ToBroker } from "../protocol.ts";
import { Decider } from "./decide.ts";
import { RemoteSandbox } from "./remote-sandbox.ts";

/** The worker that decides: pack and broker live here, the engine in a worker of its own. */

interface Scope {
  onmessage: ((message: { readonly data: ToBroker }) => void) | null;
  postMessage(message: FromBroker): void;
}
const scope = globalThis as unknown as Scope;

let arrived: ((port: EnginePort) => void) | null = null;
const sandbox = new RemoteSandbox(
  () =>
    new Promise((done) => {
      arrived = done;
      scope.postMessage({ kind: "engine-wanted" });
    }),
);
let decider: Decider | null = null;

scope.onmessage = ({ data }) => {
  switch (data.kind) {
    case "begin":
      decider = new Decider(sandbox, data.library);
      break;
    case "engine":
      arrived?.(data.port);
      break;
    case "decide": {
      const { id, workspace } = data;
      void decider?.decide(workspace).then((answer) => scope.postMessage({ kind: "answer", id, answer }));
    }
  }
};
