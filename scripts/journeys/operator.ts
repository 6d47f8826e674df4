import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Journey } from "./journey.ts";

const event =
  '{"hook_event_name":"PreToolUse","session_id":"s1","tool_name":"Bash","tool_input":{"command":"forbidden"}}';
const json = '-H "content-type: application/json"';

/** An operator: three nodes over NATS, a tenant with a key, a bundle that is uploaded once and decides on every node. */
export async function operator(): Promise<void> {
  await using journey = new Journey();
  const [nats = 0, monitor = 0, ...ports] = await freePorts(5);
  journey.run("npm init -y");
  journey.run("npm install hookwarden @hookwarden/server");
  journey.run(
    "npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj --no-audit --no-fund",
  );
  await journey.start(
    `nats-server -js -sd ./nats -a 127.0.0.1 -p ${nats} -m ${monitor}`,
    `http://127.0.0.1:${monitor}/healthz`,
  );
  journey.run("npx hookwarden keygen --out fleet.jwk --kid fleet");
  const serve = (port: number, index: number, more = ""): Promise<void> =>
    journey.start(
      `npx hookwarden serve --data ./n${index} --port ${port} --nats nats://127.0.0.1:${nats} --node n${index} --fleet-key fleet.jwk${more}`,
      `http://127.0.0.1:${port}/ready`,
    );
  for (const [index, port] of ports.entries()) await serve(port, index + 1);
  const [first = 0] = ports;
  const at = (port: number, path: string): string => `http://127.0.0.1:${port}/v1/${path}`;
  // One of the nodes has written the first key, whichever was first.
  const operatorHeader = '-H "authorization: Bearer $(cat n*/operator.key)"';
  journey.run(`curl -fsS -X PUT ${at(first, "admin/tenants/acme")} ${operatorHeader} ${json} -d '{}'`);
  const made = journey.run(
    `curl -fsS -X POST ${at(first, "admin/keys")} ${operatorHeader} ${json} -d '{"tenant":"acme","name":"agents","scopes":["decide","packs"]}'`,
  );
  const { key } = JSON.parse(made) as { key: string };
  journey.write("key", key);
  journey.run("npx hookwarden init my-policies");
  journey.run("npx hookwarden bundle my-policies --out my-policies.tgz");
  const tenantHeader = '-H "authorization: Bearer $(cat key)"';
  journey.run(
    `curl -fsS -X PUT ${at(first, "tenants/acme/packs")} ${tenantHeader} -H "content-type: application/gzip" --data-binary @my-policies.tgz`,
  );
  for (const port of ports) {
    journey.run(
      `curl -fsS --retry 20 --retry-all-errors --retry-delay 1 ${at(port, "decisions")} ${tenantHeader} ${json} -d '${event}'`,
      { text: '"verdict":"deny"' },
    );
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    ports.push((server.address() as AddressInfo).port);
  }
  for (const server of servers) server.close();
  return ports;
}
