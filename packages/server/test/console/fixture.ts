import fastify, { type FastifyInstance } from "fastify";
import { addConsole } from "../../src/console/index.ts";
import type { NodeReport, Overview } from "../../src/operator.ts";
import type {
  FaultView,
  HookView,
  LatencyView,
  LiveEvent,
  QuarantineEntry,
  TenantView,
} from "../../src/tenants.ts";

export const operatorKey = "hwk_test_operator";

/** Words that mean something to a page, a terminal or a reader, wherever a hook can put some. */
export const hostile = {
  markup: `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=2</script>`,
  attribute: `"><svg onload=globalThis.hacked=3><a href="javascript:globalThis.hacked=4">x</a>`,
  bidi: "safe\u202e\u2066txt.exe\u2069 \u200bzero\u0000nul\u001b[2Jclear \u{e0041}tag",
  template: "{{constructor.constructor('globalThis.hacked=5')()}} ${globalThis.hacked=6}",
  long: "A".repeat(5_000),
  stacked: `Z${"\u0301".repeat(200)}`,
};

const latency = (scale: number): LatencyView => ({
  count: 4_120,
  p50_us: 180 * scale,
  p90_us: 410 * scale,
  p99_us: 1_900 * scale,
  max_us: 22_400 * scale,
});
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
const effective = {
  requestsPerSecond: 500,
  concurrency: 16,
  queued: 256,
  cpuMsPerMinute: 20_000,
  memoryKb: 8_192,
  residentHooks: 64,
  stateBytes: 67_108_864,
};

/** What an operator's server answers, as far as the console asks. */
export class Fixture {
  readonly lifted: string[] = [];
  readonly refused: string[] = [];
  readonly app: FastifyInstance = fastify({ forceCloseConnections: true });
  readonly extra: {
    hooks: HookView[];
    faults: FaultView[];
    quarantine: QuarantineEntry[];
    live: LiveEvent[];
  } = {
    hooks: [],
    faults: [],
    quarantine: [],
    live: [],
  };
  private decisions = 1_284_031;
  private readonly timers = new Set<NodeJS.Timeout>();

  async start(): Promise<string> {
    const { app } = this;
    addConsole(app);
    app.addHook("onRequest", async (request, reply) => {
      if (!request.url.startsWith("/v1/")) return;
      if (request.headers.authorization === `Bearer ${operatorKey}`) return;
      this.refused.push(request.url);
      return reply
        .code(401)
        .type("application/problem+json")
        .send({ code: "unauthorized", request_id: "r1" });
    });
    app.get("/v1/admin/overview", () => this.overview());
    app.get("/v1/admin/nodes", () => ({ nodes: this.nodes() }));
    app.get("/v1/admin/tenants", () => ({ tenants: this.tenants() }));
    app.get<{ Params: { tenant: string } }>("/v1/admin/tenants/:tenant", ({ params }) =>
      this.tenants().find(({ tenant }) => tenant === params.tenant),
    );
    app.get("/v1/admin/hooks", () => ({ hooks: [...this.extra.hooks, ...hooks] }));
    app.get("/v1/admin/faults", () => ({ faults: [...this.extra.faults, ...faults()] }));
    app.get("/v1/admin/quarantine", () => ({ quarantine: this.quarantine() }));
    app.delete<{ Params: { id: string } }>("/v1/admin/quarantine/:id", ({ params }, reply) => {
      this.lifted.push(params.id);
      return reply.code(204).send();
    });
    app.get("/v1/admin/live", (_, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      const send = (event: LiveEvent): void => {
        reply.raw.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      };
      reply.raw.write(": hello\n\n");
      for (const event of [...decisions()].reverse()) send(event);
      for (const event of this.extra.live) send(event);
      const timer = setInterval(() => reply.raw.write(": still here\n\n"), 1_000);
      this.timers.add(timer);
      reply.raw.once("close", () => clearInterval(timer));
    });
    return app.listen({ host: "127.0.0.1", port: 0 });
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.app.close();
  }

  private nodes(): NodeReport[] {
    return ["eu-west-1a", "eu-west-1b", "eu-west-1c"].map((node, at) => ({
      node,
      version: "0.1.0",
      started: ago(190_000 - at * 40_000),
      at: ago(at + 1),
      serving: { acme: 41, globex: at === 2 ? 39 : 40, northwind: 38 },
    }));
  }

  private overview(): Overview {
    this.decisions += 700 + Math.round(400 * Math.sin(Date.now() / 3_000));
    return {
      version: "0.1.0",
      node: "eu-west-1a",
      started: ago(190_000),
      ready: true,
      engine: "quickjs",
      tenants: 4,
      decisions: this.decisions,
      faults: 212,
      in_flight: 3,
      waiting: 0,
      quarantined: this.quarantine().length,
      rss_bytes: 412_000_000,
      latency: latency(1),
    };
  }

  private quarantine(): QuarantineEntry[] {
    const all: QuarantineEntry[] = [
      ...this.extra.quarantine,
      {
        id: "q1",
        tenant: "northwind",
        hook: "summarise-diffs",
        fault: "timeout",
        times: 2,
        since: ago(140),
        until: ago(-460),
      },
    ];
    return all.filter(({ id }) => !this.lifted.includes(id));
  }

  private tenants(): TenantView[] {
    return ["acme", "globex", "initech", "northwind"].map((tenant, at) => ({
      tenant,
      created: ago(9_000_000),
      disabled: at === 2,
      limits: {},
      signedOnly: at === 0,
      effective,
      rollout: {
        tenant,
        generation: 41 - at,
        active: at === 2 ? null : 17 - at,
        candidate: at === 1 ? { revision: 18, percent: 10 } : null,
      },
      pack: at === 2 ? null : `sha256:${"5f3a9b".repeat(10)}${at}abc`,
      hooks: at === 2 ? 0 : 11 - at * 2,
      decisions: [812_400, 310_822, 0, 160_809][at]!,
      faults: [0, 18, 0, 194][at]!,
      refused: [12, 0, 3, 1_870][at]!,
      in_flight: [2, 1, 0, 15][at]!,
      waiting: [0, 0, 0, 131][at]!,
      cpu_ms: [4_100, 1_800, 0, 19_400][at]!,
      quarantined: at === 3 ? 1 : 0,
      lane: at === 3 ? "slow" : "fast",
      latency: latency(at === 3 ? 14 : 1 + at),
    }));
  }
}

const hooks: HookView[] = [
  ["acme", "deny-destructive-shell", 402_118, 0, 61_200],
  ["acme", "redact-secrets", 398_020, 0, 88_400],
  ["acme", "keep-writes-in-workspace", 120_410, 0, 9_800],
  ["globex", "ask-before-network", 150_090, 18, 12_040],
  ["northwind", "summarise-diffs", 1_204, 194, 140_300],
].map(([tenant, hook, calls, failed, ms], at) => ({
  tenant: tenant as string,
  hook: hook as string,
  version: `1.${at}.0`,
  digest: `sha256:${"a1b2c3".repeat(10)}${at}def`,
  calls: calls as number,
  faults: failed as number,
  cpu_ms: ms as number,
  quarantined: hook === "summarise-diffs",
}));

function faults(): FaultView[] {
  return [
    ["timeout", "the hook ran longer than 100 ms", 8],
    ["timeout", "the hook ran longer than 100 ms", 31],
    ["memory-exceeded", "the hook wanted more than 8192 KiB", 64],
    ["illegal-action", "`augment` is not legal at PreToolUse", 420],
  ].map(([code, message, seconds], at) => ({
    at: ago(seconds as number),
    tenant: at === 3 ? "globex" : "northwind",
    hook: at === 3 ? "ask-before-network" : "summarise-diffs",
    event: at === 3 ? "PreToolUse" : "PostToolUse",
    decision_id: "0192f0c1-0000-7000-8000-000000000000",
    code: code as FaultView["code"],
    message: message as string,
    place: at === 3 ? { file: "ask-before-network/hook.ts", line: 12, column: 7 } : null,
  }));
}

function decisions(): LiveEvent[] {
  const rows: [string, string, string | null, string, string | null, string | null, number, number][] = [
    [
      "acme",
      "PreToolUse",
      "Bash",
      "deny",
      "deny-destructive-shell",
      "`rm -rf /` removes the root of the file system",
      212,
      0,
    ],
    ["acme", "PreToolUse", "Read", "continue", null, null, 141, 0],
    [
      "globex",
      "PreToolUse",
      "WebFetch",
      "ask",
      "ask-before-network",
      "the host `api.example.net` is not on the list",
      388,
      0,
    ],
    ["acme", "PostToolUse", "Bash", "continue", null, null, 264, 0],
    [
      "northwind",
      "PostToolUse",
      "Edit",
      "block",
      "summarise-diffs",
      "hook `summarise-diffs` failed, and fails closed: it took too long (timeout)",
      100_412,
      1,
    ],
    ["acme", "UserPromptSubmit", null, "continue", null, null, 98, 0],
    ["globex", "PreToolUse", "mcp__github__create_issue", "allow", "allow-known-tools", null, 177, 0],
    [
      "acme",
      "Stop",
      null,
      "retry",
      "tests-before-stop",
      "the tests have not been run since the last edit",
      203,
      0,
    ],
  ];
  return rows.map(([tenant, event, tool, verdict, decided_by, reason, duration_us, failed], at) => ({
    type: "decision",
    at: ago(at * 3 + 1),
    tenant,
    decision_id: `d${at}`,
    event,
    tool,
    verdict,
    reason,
    decided_by,
    duration_us,
    faults: failed,
  })) as LiveEvent[];
}
