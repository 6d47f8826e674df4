import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import type { Program, Sandbox } from "@hookwarden/sandbox";
import type { FromEngine, ToEngine } from "../protocol.ts";

/** The worker that runs hooks, and nothing else: the page ends it when it does not answer. */

interface Port {
  postMessage(message: FromEngine): void;
  onmessage: ((message: { readonly data: ToEngine }) => void) | null;
}
const scope = globalThis as unknown as { onmessage: ((message: { data: { port: Port } }) => void) | null };

scope.onmessage = ({ data: { port } }) => {
  scope.onmessage = null;
  createQuickjsSandbox().then(
    (sandbox) => {
      serve(sandbox, port);
      port.postMessage({ kind: "hello", version: sandbox.version });
    },
    (error: unknown) => port.postMessage({ kind: "failed", message: String(error) }),
  );
};

function serve(sandbox: Sandbox, port: Port): void {
  const programs = new Map<string, Program>();
  port.onmessage = async ({ data }) => {
    switch (data.kind) {
      case "program":
        programs.set(data.program.key, data.program);
        break;
      case "forget":
        programs.delete(data.key);
        sandbox.forget(data.key);
        break;
      case "call": {
        const { id, call, key } = data;
        const outcome = await sandbox.call({ ...call, program: programs.get(key) as Program });
        port.postMessage({ kind: "outcome", id, outcome });
        sandbox.tidy?.();
        break;
      }
      case "inspect": {
        const { id, key, limits, tenant } = data;
        const inspection = await sandbox.inspect(programs.get(key) as Program, limits, tenant);
        port.postMessage({ kind: "inspection", id, inspection });
      }
    }
  };
}
