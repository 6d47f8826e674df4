import { createWarden } from "../../src/warden/index.ts";
import { SqliteStateStore } from "../../src/state/sqlite.ts";
import { fakePack } from "../support/fake-pack.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";
import { sampleEvent } from "../support/sample-events.ts";

/** One of several processes that count in the same state. Arguments: file, how many. */
const [path, times] = process.argv.slice(2);
const sandbox = new FakeSandbox();
const counter = {
  name: "counter",
  state: { scope: "tenant", maxBytes: 100 },
  run: (_event: unknown, context: { state: number | null }) => ({
    action: "set_state",
    value: (context.state ?? 0) + 1,
  }),
} as const;
const warden = await createWarden({
  pack: fakePack(sandbox, [counter]),
  sandbox,
  store: new SqliteStateStore({ path: path! }),
});
let faults = 0;
warden.on("fault", () => faults++);
// Eight at a time: calls that share state queue within the process as well.
let left = Number(times);
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (left-- > 0) await warden.dispatch(sampleEvent("PreToolUse"));
  }),
);
process.stdout.write(JSON.stringify({ faults }));
