/** Other ways to make the same decision, for comparison in the same run. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vm from "node:vm";
import { hookBody } from "./workload.ts";
import type { Case } from "./rounds.ts";

const require = createRequire(import.meta.url);

export interface Rivals {
  readonly cases: readonly Case[];
  close(): void;
}

const wrapped = `globalThis.__h = ((hook, parse, stringify) => (text) => stringify(hook(parse(text))))(${hookBody}, JSON.parse, JSON.stringify); 0`;

/** The yardstick: a call into a context of isolated-vm that is kept, JSON in and out. */
export function rawIsolate(json: string): Case {
  const ivm = require("isolated-vm") as typeof import("isolated-vm");
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const context = isolate.createContextSync();
  context.evalSync(wrapped);
  const reference = context.global.getSync("__h", { reference: true });
  const args = [json];
  return {
    name: "isolated-vm, kept context, raw",
    n: 4_000,
    run: () => reference.applySync(undefined, args),
  };
}

/** What a round trip to a child costs before it does anything: it blocks while it reads, and sends the text back. */
export function bareEcho(json: string): { readonly echo: Case; close(): void } {
  const child = spawn(
    process.execPath,
    [
      "-e",
      `const { readSync, writeSync } = require("node:fs");
      const buffer = Buffer.alloc(65_536);
      for (let n; (n = readSync(0, buffer)) > 0;) writeSync(1, buffer, 0, n);`,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  let answered: () => void = () => undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    if (chunk.at(-1) === 10) answered();
  });
  const line = `${json}\n`;
  const run = (): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve;
      child.stdin.write(line);
    });
  return {
    echo: { name: "bare round trip to a child over pipes", n: 1_000, run },
    close: () => void child.kill("SIGKILL"),
  };
}

/** Everything else. `event` and `json` are the same event. */
export async function rivals(event: Record<string, unknown>, json: string): Promise<Rivals> {
  const cases: Case[] = [];
  const host = vm.runInThisContext(`(${hookBody})`) as (event: unknown) => unknown;
  cases.push({
    name: "host function, no sandbox",
    n: 4_000,
    run: () => JSON.stringify(host(JSON.parse(json))),
  });

  const ivm = require("isolated-vm") as typeof import("isolated-vm");
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const script = isolate.compileScriptSync(wrapped);
  cases.push({
    name: "isolated-vm, fresh context",
    n: 200,
    run: () => {
      const context = isolate.createContextSync();
      script.runSync(context);
      const reference = context.global.getSync("__h", { reference: true });
      const answer = reference.applySync(undefined, [json]);
      reference.release();
      context.release();
      return answer;
    },
  });
  const compiled = new vm.Script(wrapped);
  cases.push({
    name: "node:vm, fresh context (no security boundary)",
    n: 200,
    run: () => {
      const context = vm.createContext({});
      compiled.runInContext(context);
      return (context as unknown as { __h(text: string): string }).__h(json);
    },
  });
  cases.push(await sesCompartment(json), await cedar(event));

  const folder = mkdtempSync(join(tmpdir(), "hookwarden-rivals-"));
  const sh = join(folder, "hook.sh");
  writeFileSync(
    sh,
    `read -r line\ncase "$line" in *'rm -rf'*) echo '{"action":"deny"}' ;; *) echo '{"action":"continue"}' ;; esac\n`,
  );
  cases.push({ name: "command hook, `sh`", n: 40, run: () => execFileSync("sh", [sh], { input: json }) });
  const js = join(folder, "hook.mjs");
  writeFileSync(
    js,
    `let text = ""; for await (const part of process.stdin) text += part; console.log(JSON.stringify((${hookBody})(JSON.parse(text))));`,
  );
  cases.push({
    name: "command hook, `node`",
    n: 8,
    run: () => execFileSync(process.execPath, [js], { input: json }),
  });
  const http = await loopback();
  cases.push({ name: "loopback HTTP, keep-alive", n: 300, run: () => http.ask(json) });
  return { cases, close: http.close };
}

async function sesCompartment(json: string): Promise<Case> {
  // `lockdown` freezes the primordials of its whole realm, so it gets a realm of its own.
  const context = vm.createContext({});
  const { readFileSync } = await import("node:fs");
  vm.runInContext(
    readFileSync(join(require.resolve("ses/package.json"), "../dist/ses.cjs"), "utf8"),
    context,
  );
  const make = vm.runInContext(
    `lockdown({ errorTaming: "unsafe", consoleTaming: "unsafe", domainTaming: "unsafe", evalTaming: "unsafe-eval" });
    (body, json) => { const hook = new Compartment().evaluate("(" + body + ")"); return JSON.stringify(hook(JSON.parse(json))); }`,
    context,
  ) as (body: string, json: string) => string;
  return { name: "SES, fresh compartment", n: 200, run: () => make(hookBody, json) };
}

async function cedar(event: Record<string, unknown>): Promise<Case> {
  const cedar =
    require("@cedar-policy/cedar-wasm/nodejs") as typeof import("@cedar-policy/cedar-wasm/nodejs");
  const parsed = cedar.preparsePolicySet("bench", {
    staticPolicies: `permit(principal, action, resource);
forbid(principal, action == Action::"Bash", resource) when { context.tool_input.command like "*rm -rf*" };`,
  });
  if (parsed.type !== "success") throw new Error("the Cedar policy does not parse");
  const { time: _, ...context } = event;
  const call = {
    principal: { type: "Agent", id: "agent" },
    action: { type: "Action", id: "Bash" },
    resource: { type: "Tool", id: "Bash" },
    context: context as never,
    preparsedPolicySetId: "bench",
    entities: [],
  };
  return {
    name: "cedar-wasm, preparsed",
    n: 1_000,
    run: () => {
      const answer = cedar.statefulIsAuthorized(call);
      if (answer.type !== "success") throw new Error("Cedar does not decide");
      return answer;
    },
  };
}

async function loopback(): Promise<{ ask(body: string): Promise<unknown>; close(): void }> {
  // In a process of its own, as a policy server would be.
  const server = spawn(
    process.execPath,
    [
      "-e",
      `const hook = ${hookBody};
      require("node:http").createServer({ keepAliveTimeout: 600_000 }, (req, res) => { let text = ""; req.setEncoding("utf8"); req.on("data", (part) => (text += part)); req.on("end", () => { const body = JSON.stringify(hook(JSON.parse(text))); res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }); res.end(body); }); }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const port = Number(
    await new Promise<string>((done) => server.stdout.once("data", (data) => done(String(data)))),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (body: string): Promise<unknown> =>
    new Promise((done, fail) => {
      const call = request(
        {
          host: "127.0.0.1",
          port,
          method: "POST",
          agent,
          headers: { "content-length": Buffer.byteLength(body) },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (part: string) => (text += part));
          response.on("end", () => done(text));
        },
      );
      call.on("error", fail);
      call.end(body);
    });
  return {
    ask,
    close: () => {
      agent.destroy();
      server.kill("SIGKILL");
    },
  };
}
