import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ApprovalRecord } from "../../src/approvals/approval.ts";
import { consoleRoutes } from "../../src/console/index.ts";
import type { HistoryRow } from "../../src/decision-history.ts";
import type { RouteCall } from "../../src/http/route.ts";
import type { NodeReport, Overview } from "../../src/operator.ts";
import type {
  FaultView,
  HookView,
  LatencyView,
  LiveEvent,
  QuarantineEntry,
  TenantView,
} from "../../src/tenants.ts";

/** Every page of the console, by its address. */
export const pages = [
  "overview",
  "live",
  "decisions",
  "decisions/acme/eu-west-1a/900",
  "approvals",
  "tenants",
  "tenants/northwind",
  "hooks",
  "faults",
  "quarantine",
];

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
  /** Paths and bodies that were posted. */
  readonly posted: [path: string, body: unknown][] = [];
  readonly answered = new Set<string>();
  /** What posts are refused with. */
  refusal: { status: number; code: string; message: string; pointer: string } | null = null;
  /** Words of a hook in the one decision that can be opened. */
  words = "`rm -rf /` removes the root";
  readonly server = createServer((request, response) => void this.answer(request, response));
  readonly extra: {
    hooks: HookView[];
    faults: FaultView[];
    quarantine: QuarantineEntry[];
    live: LiveEvent[];
    approvals: ApprovalRecord[];
    decisions: HistoryRow[];
  } = {
    hooks: [],
    faults: [],
    quarantine: [],
    live: [],
    approvals: [],
    decisions: [],
  };
  private decisions = 1_284_031;
  private readonly timers = new Set<NodeJS.Timeout>();

  async start(): Promise<string> {
    await once(this.server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?", 1)[0] as string;
    const page = consoleRoutes().find((route) => route.path === path);
    if (page) {
      const call = { header: (name: string) => request.headers[name] } as unknown as RouteCall;
      const { status, headers = {}, text, type } = await page.handle(undefined as never, call);
      response.writeHead(status, { ...headers, ...(type ? { "content-type": type } : {}) }).end(text);
      return;
    }
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (!path.startsWith("/v1/")) return send(404, { code: "not-found" });
    if (request.headers.authorization !== `Bearer ${operatorKey}`) {
      this.refused.push(request.url ?? "");
      return send(401, { code: "unauthorized", request_id: "r1" });
    }
    if (path.startsWith("/v1/tenants/")) return this.ofTenant(request, path, send);
    const [kind, id] = path.replace("/v1/admin/", "").split("/") as [string, string?];
    if (kind === "live") return this.live(response);
    if (request.method === "DELETE" && id !== undefined) {
      this.lifted.push(id);
      return void response.writeHead(204).end();
    }
    const answers: { readonly [kind: string]: () => object | undefined } = {
      overview: () => this.overview(),
      nodes: () => ({ nodes: this.nodes() }),
      tenants: () =>
        id === undefined
          ? { tenants: this.tenants() }
          : this.tenants().find(({ tenant }) => tenant === decodeURIComponent(id)),
      hooks: () => ({ hooks: [...this.extra.hooks, ...hooks] }),
      faults: () => ({ faults: [...this.extra.faults, ...faults()] }),
      quarantine: () => ({ quarantine: this.quarantine() }),
      approvals: () => ({ approvals: this.approvals() }),
    };
    const body = answers[kind]?.();
    if (body) send(200, body);
    else send(404, { code: "not-found" });
  }

  /** Routes of one tenant: its packs, decisions and approvals. */
  private ofTenant(
    request: IncomingMessage,
    path: string,
    send: (status: number, body: object) => void,
  ): void {
    const [tenant = "", kind, ...rest] = path.slice("/v1/tenants/".length).split("/").map(decodeURIComponent);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if (request.method === "POST") {
        this.posted.push([path, JSON.parse(text)]);
        if (this.refusal) return send(this.refusal.status, this.refusal);
        if (kind === "approvals") this.answered.add(rest[0]!);
        return send(200, {});
      }
      const query = new URL(request.url!, "http://localhost").searchParams;
      if (kind === "packs") return send(200, packsOf(tenant));
      if (rest.length === 2) return send(200, decisionRecord(this.words));
      const rows = [...this.extra.decisions, ...decisionRows()].filter(
        ({ verdict }) => !query.has("verdict") || verdict === query.get("verdict"),
      );
      return send(200, { decisions: rows, more: false });
    });
  }

  private approvals(): ApprovalRecord[] {
    return [...this.extra.approvals, ...approvals()].map((one) =>
      this.answered.has(one.id) ? { ...one, state: "approved", answeredAt: ago(0) } : one,
    );
  }

  private live(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(": hello\n\n");
    for (const event of [...[...decisions()].reverse(), ...this.extra.live]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    const timer = setInterval(() => response.write(": still here\n\n"), 1_000);
    this.timers.add(timer);
    response.once("close", () => clearInterval(timer));
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
      degraded: 0,
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
      degraded: null,
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

/** A step that waits for a person, and one that was answered. */
function approvals(): ApprovalRecord[] {
  return [
    ["apr_1", "pending", null],
    ["apr_2", "denied", ago(600)],
  ].map(([id, state, answeredAt]) => ({
    tenant: "globex",
    id: id!,
    decisionId: "d2",
    pack: `sha256:${"5f3a9b".repeat(10)}abcd`,
    event: {
      hook_event_name: "PreToolUse",
      tool_name: "WebFetch",
      tool_input: { url: "https://api.example.net/v1/items" },
    },
    changes: {},
    input: `sha256:${"7".repeat(64)}`,
    reasons: [{ hook: "ask-before-network", text: "the host `api.example.net` is not on the list" }],
    openedBy: "key1",
    created: ago(700),
    expires: ago(-200),
    state: state as ApprovalRecord["state"],
    answeredBy: answeredAt ? "key2" : null,
    answeredAt: answeredAt ?? null,
    note: answeredAt ? "not needed for this task" : null,
  }));
}

function decisionRows(): HistoryRow[] {
  return (["deny", "continue", "ask"] as const).map((verdict, at) => ({
    node: "eu-west-1a",
    n: 900 - at,
    time: ago(at * 40 + 5),
    decision_id: `0192f0c1-0000-7000-8000-00000000000${at}`,
    event: "PreToolUse",
    tool: ["Bash", "Read", "WebFetch"][at]!,
    verdict,
    reason: verdict === "continue" ? null : "it is not on the list",
    decided_by: verdict === "continue" ? null : "deny-destructive-shell",
    faults: at === 1 ? 1 : 0,
    duration_us: 210,
  }));
}

function decisionRecord(words: string): object {
  const place = { file: "summarise-diffs/hook.ts", line: 12, column: 7 };
  return {
    kind: "decision",
    time: ago(5),
    replayable: true,
    event: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: words } },
    decision: {
      decision_id: "0192f0c1-0000-7000-8000-000000000000",
      hook_event_name: "PreToolUse",
      verdict: "deny",
      reason: words,
      decided_by: "deny-destructive-shell",
      pack: `sha256:${"5f3a9b".repeat(10)}abcd`,
      trace: [
        { hook: "deny-destructive-shell", outcome: "answered", duration_us: 180, fault: null },
        {
          hook: words,
          outcome: "failed",
          duration_us: 900,
          fault: { code: "threw", message: words, at: place },
        },
      ],
    },
  };
}

function packsOf(tenant: string): object {
  const revision = {
    tenant,
    pack: "sha256:0",
    bundle: "sha256:0",
    name: "rules",
    hooks: 4,
    createdBy: "key1",
  };
  return {
    rollout: { tenant, generation: 41, active: 17, candidate: { revision: 18, percent: 10 } },
    serving: "sha256:0",
    broken: null,
    candidate: {
      revision: 18,
      percent: 10,
      sampled: 812,
      skipped: 3,
      same: 790,
      stricter: 14,
      looser: 2,
      changed: 6,
      faults: 0,
    },
    revisions: [18, 17, 16].map((number) => ({
      ...revision,
      revision: number,
      version: `1.${number}.0`,
      signedBy: number === 16 ? null : "release",
      created: ago((19 - number) * 90_000),
    })),
    history: [17, 16].map((active) => ({ active })),
  };
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
