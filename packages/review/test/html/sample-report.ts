import type { GuestText, HookReview, ReviewReport } from "../../src/report.ts";
import { guestText } from "../../src/guest-text.ts";

/** A stranger's text that tries everything that a page could fall for. */
export const hostile =
  `</pre></title></style><script>document.title="owned"</script><img src="https://evil.example/x.png" onerror="document.title='owned'">` +
  `<style>@import "https://evil.example/x.css"</style><a href="javascript:alert(1)">click</a>{{constructor}}&lt;"'` +
  "\u202egnp.exe\u2066\u200b\u{e0041}\u{e0042}\0\u001b[31m<!--";

const text = (value: string, most?: number): GuestText => guestText(value, most);
const evil = text(hostile);

/** A report of a hook that is well-behaved until a date, with every section filled. */
export function sampleReport(hooks: readonly HookReview[] = [sampleHook("guard-deploys")]): ReviewReport {
  return {
    format: "hookwarden-review-1",
    subject: {
      kind: hooks.length === 1 ? "hook" : "pack",
      name: "guard-deploys",
      version: "1.4.0",
      pack: `sha256:${"a1".repeat(32)}`,
      bundle: { digest: `sha256:${"b2".repeat(32)}`, key: "team", signed: true },
    },
    corpus: {
      digest: `sha256:${"c3".repeat(32)}`,
      recorded: 510,
      cases: 34,
      generated: 4_211,
      calls: 18_204,
    },
    engines: [{ name: "quickjs", version: "quickjs-ng 0.32.0" }],
    tool: "hookwarden 0.1.0",
    hooks,
    findings: [
      {
        id: "F1",
        fingerprint: "00000000000000a1",
        excerpt: null,
        accepted: null,
        code: "trigger-tenant",
        severity: "high",
        hook: "guard-deploys",
        message: "held with tenant `default`, opened with tenant `acme-corp`, everything else the same",
        evidence: [
          {
            label: "held",
            text: text('{"tenant":"default","tool_input":{"command":"kubectl delete ns prod"}} → deny'),
          },
          {
            label: "opened",
            text: text('{"tenant":"acme-corp","tool_input":{"command":"kubectl delete ns prod"}} → continue'),
          },
        ],
        place: { line: 41, column: 7, module: "pack:guard-deploys/hook.ts", moduleLine: 23 },
      },
      {
        id: "F2",
        fingerprint: "00000000000000a2",
        excerpt: null,
        accepted: null,
        code: "text-hidden",
        severity: "high",
        hook: "guard-deploys",
        message: "it writes characters that cannot be seen",
        evidence: [{ label: "text", text: evil }],
        place: null,
      },
      {
        id: "F3",
        fingerprint: "00000000000000a3",
        excerpt: null,
        accepted: null,
        code: "cost-growth",
        severity: "medium",
        hook: "guard-deploys",
        message: "steps grow with the size to the power of 2.0 at `tool_input.command`",
        evidence: [],
        place: null,
      },
      {
        id: "F4",
        fingerprint: "00000000000000a4",
        excerpt: null,
        accepted: null,
        code: "reads-too-much",
        severity: "low",
        hook: "guard-deploys",
        message: "it declares `cwd`, and no run has needed it",
        evidence: [],
        place: null,
      },
    ],
    sheet: {
      counts: { high: 2, medium: 1, low: 1, info: 0 },
      suggestion: "refuse",
      why: "it opens for one tenant what it holds for all others",
      findingsDigest: `sha256:${"d4".repeat(32)}`,
    },
    since: {
      old: { name: "guard-deploys", version: "1.3.0", pack: `sha256:${"e5".repeat(32)}` },
      hooks: { added: [], removed: [], changed: ["guard-deploys"], same: [] },
      powers: [
        { hook: "guard-deploys", power: "read tenant", what: "reads the name of the tenant", opens: true },
        { hook: "guard-deploys", power: "halt", what: "may no longer `halt`", opens: false },
      ],
      groups: [
        {
          hook: "guard-deploys",
          event: "PreToolUse",
          kind: "verdict",
          change: "`deny` → `continue`",
          opens: true,
          count: 3,
          example: {
            event: text('{"tool_name":"Bash","tool_input":{"command":"kubectl delete ns prod"}}'),
            old: text('{"verdict":"deny","reason":"this namespace is production"}'),
            new: text('{"verdict":"continue"}'),
          },
        },
      ],
      sources: [{ hook: "guard", lines: { text: "- old line\n+ new line", cutFrom: null } }],
      loosenings: 3,
      explored: 400,
    },
    dependencies: [
      {
        name: "left-pad",
        version: "1.3.0",
        licence: "WTFPL",
        hooks: ["guard-deploys"],
        origin: { text: "git+ssh://git@code.example/left-pad.git#1a2b3c4", cutFrom: null },
        integrity: false,
        locked: true,
        installScripts: ["postinstall"],
        published: "2026-03-04T05:06:07.000Z",
        changed: ["index.js"],
      },
    ],
    notDone: ["isolated-vm is not installed, so that the engines were not compared"],
  };
}

export function sampleHook(name: string, grave = true): HookReview {
  const place = { line: 41, column: 7, module: `pack:${name}/hook.ts`, moduleLine: 23 };
  return {
    name,
    version: "1.4.0",
    description: text("Refuses to delete what runs in production."),
    digest: `sha256:${"f6".repeat(32)}`,
    program: `sha256:${"07".repeat(32)}`,
    priority: 10,
    mode: "sequential",
    powers: {
      list: [
        {
          name: "deny",
          sentence: "may refuse any shell command",
          danger: 72,
          granted: true,
          used: { recorded: 12, generated: 230 },
          others: ["deny-destructive-shell"],
        },
        {
          name: "read tool_input",
          sentence: "sees every shell command, with whatever secrets stand in it",
          danger: 45,
          granted: true,
          used: null,
          others: [],
        },
        {
          name: "state",
          sentence: "keeps up to 4,096 bytes for each tenant",
          danger: 20,
          granted: true,
          used: { recorded: 0, generated: 0 },
          others: [],
        },
        {
          name: "allow",
          sentence: "may answer for the person",
          danger: 100,
          granted: false,
          used: null,
          others: [],
        },
      ],
      on: [
        { event: "PreToolUse", matcher: "(?i).*(bash|shell).*", when: null, onFailure: "closed" },
        { event: "Stop", matcher: null, when: null, onFailure: "open" },
      ],
      reads: ["tool_input.command", "cwd"],
      state: { scope: "tenant", maxBytes: 4_096 },
      limits: { steps: 5_000_000, wallMs: 100, memoryKb: 8_192 },
      unused: [
        {
          name: "set_state",
          sentence: "keeps up to 4,096 bytes for each tenant",
          danger: 20,
          granted: true,
          used: { recorded: 0, generated: 0 },
          others: [],
        },
      ],
      alone: ["set_state"],
    },
    reads: {
      declared: ["tool_input.command", "cwd"],
      paths: [
        {
          path: "tool_input.command",
          values: 4_755,
          asked: 0,
          listed: 0,
          calls: 4_755,
          events: ["PreToolUse"],
          present: true,
        },
        {
          path: "tool_input",
          values: 12,
          asked: 3,
          listed: 12,
          calls: 12,
          events: ["PreToolUse"],
          present: true,
        },
      ],
      context: [
        {
          path: "tenant",
          values: 4_755,
          asked: 0,
          listed: 0,
          calls: 4_755,
          events: ["PreToolUse"],
          present: true,
        },
      ],
      smallest: ["tool_input.command"],
      unused: ["cwd"],
      recorded: 4_755,
      lost: 0,
      interference: { checked: 4_755, leaks: [] },
    },
    behaviour: {
      events: [
        {
          event: "PreToolUse",
          calls: 4_755,
          actions: { "(nothing)": 4_200, deny: 480, ask: 60, add_context: 12, "(fault)": 3 },
          faults: { "steps-exceeded": 3 },
        },
        { event: "Stop", calls: 40, actions: { "(nothing)": 40 }, faults: {} },
      ],
      conditions: [
        {
          event: "PreToolUse",
          path: "tool_input.command",
          a: { verdict: "deny", shown: text("kubectl delete ns prod"), origin: "recorded 14" },
          b: { verdict: "continue", shown: text("kubectl delete ns prof"), origin: "explored" },
          distance: 1,
        },
      ],
      clusters: [
        {
          event: "PreToolUse",
          shape: text('{"action":"deny","reason":"this namespace is production: …"}'),
          verdict: "deny",
          count: 480,
          example: text('{"action":"deny","reason":"this namespace is production: prod"}'),
        },
      ],
      texts: [
        {
          action: "deny",
          to: "both",
          text: evil,
          count: 2,
          carries: [{ path: "tool_input.command", as: "base64", characters: 44 }],
        },
        {
          action: "deny",
          to: "both",
          text: text("this namespace is production: prod"),
          count: 478,
          carries: [{ path: "tool_input.command", as: "verbatim", characters: 4 }],
        },
      ],
      determinism: {
        repeated: { checked: 4_755, different: 0 },
        shuffled: { checked: 4_755, different: 0 },
        engines: null,
        watched: { checked: 4_755, different: 1 },
      },
      state: { writes: 0, largestBytes: 0, examples: [], keeps: [] },
      triggers: [
        {
          kind: "tenant",
          event: "PreToolUse",
          path: "tenant",
          from: text("default"),
          to: text("acme-corp"),
          before: "deny",
          after: "continue",
          opens: true,
        },
      ],
    },
    cost: {
      events: [
        {
          event: "PreToolUse",
          calls: 4_755,
          steps: { min: 410, median: 1_240, p99: 22_004, max: 5_000_000 },
          memoryBytes: { min: 0, median: 2_048, p99: 40_960, max: 1_204_224 },
          curve: [256, 512, 1_024, 2_048, 4_096, 8_192, 16_384].map((inputBytes, index) => ({
            inputBytes,
            steps: Math.min(5_000_000, 600 + (inputBytes * inputBytes) / 30),
            memoryBytes: inputBytes * 3,
            outputBytes: 90,
            fault: index === 6 ? "steps-exceeded" : null,
          })),
          field: "tool_input.command",
          exponent: 2.01,
          falls: { limit: "steps", inputBytes: 12_247, basis: "reached" },
        },
      ],
    },
    attack: {
      probes: [
        {
          name: "1 MiB text",
          event: "PreToolUse",
          tried: 4,
          faults: { "steps-exceeded": 4 },
          opened: 0,
          smuggled: 0,
          note: "the fault is closed",
        },
        {
          name: "look-alike letters",
          event: "PreToolUse",
          tried: 24,
          faults: {},
          opened: 11,
          smuggled: 0,
          note: null,
        },
        {
          name: "texts with orders for the model",
          event: "PreToolUse",
          tried: 12,
          faults: {},
          opened: 0,
          smuggled: 3,
          note: null,
        },
      ],
    },
    code: {
      uncovered: [
        {
          place,
          endLine: 44,
          kind: "then",
          condition: text('ctx.tenant === name && ctx.time > "2027-03-01"'),
          code: text(`return undefined; // ${hostile}`),
          dependsOn: ["tenant", "time"],
          own: true,
          opens: true,
          weight: 96,
        },
        {
          place: { ...place, moduleLine: 61 },
          endLine: 66,
          kind: "catch",
          condition: text(""),
          code: text("return ask('the command cannot be read')"),
          dependsOn: [],
          own: true,
          opens: true,
          weight: 20,
        },
      ],
      coverage: { own: { taken: 41, all: 43 }, packages: { taken: 210, all: 900 } },
      constructs: [
        {
          code: "literal-date",
          severity: "medium",
          place,
          excerpt: text('"2027-03-01"'),
          reason: "a date stands in the code, and the time is compared with it",
        },
      ],
      modules: [
        {
          path: `pack:${name}/hook.ts`,
          package: null,
          version: null,
          licence: null,
          bytes: 2_210,
          minified: false,
        },
        {
          path: "modules:left-pad/index.js",
          package: "left-pad",
          version: "1.3.0",
          licence: "WTFPL",
          bytes: 900,
          minified: true,
        },
      ],
      bytes: 5_120,
      source: text(`// pack:${name}/hook.ts\nvar hook = (event, ctx) => {};\n// ${hostile}\n`, 100_000),
    },
    counts: grave ? { high: 2, medium: 1, low: 1, info: 0 } : { high: 0, medium: 0, low: 0, info: 0 },
  };
}
