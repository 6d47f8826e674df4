/**
 * A server whose input says what its tool does: to crash, to ignore that its input has ended, to start a child
 * that outlives it, to print what is no message. Written without the SDK, which would not let it.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

process.stderr.write("scripted: started\n");
if (process.env["STUBBORN"]) {
  process.on("SIGTERM", () => process.stderr.write("scripted: SIGTERM\n"));
  setInterval(() => undefined, 1_000);
}
process.on("SIGINT", () => {
  process.stderr.write("scripted: SIGINT\n");
  process.exit(3);
});

const say = (message: object): boolean => process.stdout.write(`${JSON.stringify(message)}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    say({
      jsonrpc: "2.0",
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      },
    });
  } else if (method === "tools/call") {
    const { arguments: args = {} } = params;
    switch (params.name) {
      case "exit":
        process.exit(args.code);
        break;
      case "kill":
        process.kill(process.pid, args.signal);
        break;
      case "print":
        process.stdout.write(args.text);
        break;
      case "child": {
        // It holds on to nothing of ours, and would live for a minute.
        const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
        say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: String(child.pid) }] } });
        break;
      }
      case "env":
        say({
          jsonrpc: "2.0",
          id,
          result: { content: [{ type: "text", text: process.env[args.name] ?? "" }] },
        });
        break;
      case "pid":
        say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: String(process.pid) }] } });
        break;
      case "wait":
        break;
      default:
        say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: line }] } });
    }
  }
}
