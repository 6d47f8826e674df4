/**
 * What the parts of a fleet cost on this machine, as processor time: the inputs of the capacity model in docs/scaling.md.
 * `node test/bench/scaling.ts [SECONDS_FOR_EACH]`. Linux only, since it reads `/proc`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageType } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { generateKey } from "../../src/bundle/index.ts";
import { NatsDecisionClient, NatsLink, createNatsNode, NatsStateStore } from "@hookwarden/server/nats";
import { endNode, publish, startNode, trialTenant } from "../support/fleet-nodes.ts";
import { natsMissing, startNats } from "../support/nats-server.ts";
import { sampleEvent } from "../support/sample-events.ts";
import { stateKey } from "../support/state-suite.ts";

const seconds = Number(process.argv[2] ?? "4");
const concurrency = 64;
if (natsMissing) process.exit(1);
/** Linux counts processor time in hundredths of a second, whatever the kernel's own tick is. */
const usPerTick = 10_000;

/** Processor time of a process and its children, in microseconds. */
function cpuOf(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ");
  const fields = rest.split(" ");
  const own = (Number(fields[11]) + Number(fields[12])) * usPerTick;
  return own + childrenOf(pid).reduce((sum, child) => sum + cpuOf(child), 0);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number),
  );
}

/** Does something over and over, and gives what one time cost whom. */
async function measure(
  what: string,
  pids: { readonly [name: string]: number },
  work: (at: number) => Promise<unknown>,
) {
  const run = async (ms: number): Promise<number> => {
    const until = performance.now() + ms;
    let done = 0;
    const worker = async (): Promise<void> => {
      while (performance.now() < until) await work(done++);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return done;
  };
  await run(500);
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuOf(pid)] as const);
  const own = process.cpuUsage();
  const begun = performance.now();
  const done = await run(seconds * 1_000);
  const elapsed = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(own);
  const costs = before.map(([name, pid, cpu]) => `${name} ${((cpuOf(pid) - cpu) / done).toFixed(0)} µs`);
  costs.push(`client ${((user + system) / done).toFixed(0)} µs`);
  console.log(`${what.padEnd(44)} ${(done / elapsed).toFixed(0).padStart(7)}/s   ${costs.join(", ")}`);
}

const folder = mkdtempSync(join(tmpdir(), "hookwarden-scaling-"));
await using closing = new AsyncDisposableStack();
closing.defer(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const nats = await startNats();
closing.defer(() => nats.close());
const key = await generateKey("fleet");
const control = await createNatsNode({
  servers: nats.url,
  node: "control",
  folder: join(folder, "control"),
  key,
});
closing.use(control.stores);
const created = new Date().toISOString();
await control.stores.tenants.put({
  tenant: trialTenant,
  created,
  disabled: false,
  limits: {},
  signedOnly: false,
});
await publish(control, folder, key, 1);

const link = new NatsLink({ servers: nats.url });
closing.defer(() => link.close());
await link.up();
const { nc, js, jsm } = link.parts();
const broker = { nats: nats.pid };
const payload = Buffer.alloc(2_000, "x");
console.log(`processor time for one; ${concurrency} at the same time, ${seconds} s each`);

nc.subscribe("bench.echo", { callback: (_, message) => void message.respond(payload) });
await measure("request and reply of 2 kB", broker, () =>
  nc.request("bench.echo", payload, { timeout: 5_000 }),
);
for (const storage of [StorageType.Memory, StorageType.File]) {
  await jsm.streams.add({ name: `BENCH_${storage}`, subjects: [`bench.${storage}`], storage });
  await measure(`JetStream publish of 2 kB, ${storage}`, broker, (at) =>
    js.publish(`bench.${storage}`, payload, { msgID: `${at}` }),
  );
  await jsm.streams.delete(`BENCH_${storage}`);
}
const kv = await new Kvm(js).create("bench", { storage: StorageType.File, allow_direct: false });
await kv.put("key", payload);
await measure("key-value read", broker, () => kv.get("key"));
const state = new NatsStateStore(link, { bucket: "bench_state" });
await measure("state: read and compare-and-set", broker, async (at) => {
  const place = stateKey({ session: `${at % 1_000}/${at}` });
  const record = await state.read(place);
  await state.commit([{ key: place, value: JSON.stringify(at), expected: record?.version ?? 0 }]);
});
await state[Symbol.asyncDispose]();

for (const [what, server] of [
  ["decision, one hook, audit off", { where: "process", audit: "off" }],
  ["decision, one hook, strict audit", { where: "process", audit: "strict" }],
] as const) {
  const name = `n_${server.audit}`;
  const node = await startNode({ servers: nats.url, node: name, folder: join(folder, name), key, server });
  const client = new NatsDecisionClient({ servers: nats.url, deadlineMs: 10_000, attemptMs: 5_000 });
  await client.up();
  await measure(what, { ...broker, node: node.pid as number }, async () => {
    const answer = await client.decide(trialTenant, sampleEvent("PreToolUse"));
    if (!answer.answered) throw new Error("a decision was not made");
  });
  await client[Symbol.asyncDispose]();
  await endNode(node);
}
const { state: stored } = await jsm.streams.info("hookwarden_audit");
let records = 0;
for (const chain of await control.stores.audit.chains(trialTenant))
  for await (const _ of control.stores.audit.read(chain)) records++;
console.log(
  `audit: ${(stored.bytes / records).toFixed(0)} bytes a record, ${(records / stored.messages).toFixed(1)} records a message`,
);
