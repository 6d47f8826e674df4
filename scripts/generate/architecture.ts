import { moduleGraph } from "../structure.ts";

/** One paragraph for each module. A test fails where a module has none. */
export const modules: Readonly<Record<string, string>> = {
  sandbox:
    "`@hookwarden/sandbox`. Runs untrusted JavaScript: JSON text in, JSON text out. Two engines: `quickjs/` (`instance.ts` counts steps) and `isolate/` (`frozen-calls.ts` recycles isolates by heap). The guest's world is in `guest/`, a pool of child processes with deadlines and memory caps in `process/`, the circuit breaker and the fair queue in `resilience/`. Each fault is a row in `fault.ts`, from which `docs/faults.md` is generated. It knows nothing of events or hooks. `json/` is the strict JSON reader that everything from outside goes through, and the quoting of untrusted text in messages.",
  errors: "The codes of errors that a host can cause, what each means and how to fix it.",
  catalogue:
    "The tables of events and actions: fields, legal actions, fail-closed verdicts. Schemas, validators, types and reference pages are generated from them. **A new event is a row in `events.ts`.**",
  hook: "`hookwarden/hook`, the entry point for hook authors: a function for each action, and the generated types. It imports nothing.",
  text: "Makes untrusted text safe to show: no control, bidi, tag or other invisible characters. It imports nothing.",
  facts:
    "Values that trusted code derives from an event, such as the commands of a command line. `table.ts` has a row for each: **a new fact is a row there** and a function in `fact-set.ts`. Types, checks and docs follow from the table.",
  files: "Where the files of a pack come from: a folder or memory, path rules, canonical JSON and digests.",
  compile:
    "Compiles the scripts of a pack with esbuild in a child process, and runs such children with limits.",
  pack: "Reads packs: manifests (`manifest.ts`; their keys are defined in `schema.ts`), grants, matchers, subscriptions, state declarations, configuration.",
  state: "State of hooks between calls: stores in memory and SQLite, quotas, keyed queues.",
  broker:
    "Makes one decision. `read-event.ts` validates the event, `plan.ts` chooses the hooks, `decision-run.ts` calls each through the sandbox, `answer.ts` checks what it asks for, `compose.ts` makes the verdict.",
  bundle:
    "Signed bundles: a pack as one archive that a host can trust. Keys, signatures, trust files, review records.",
  log: "The decision log: `decision-log.ts` appends a hash-chained record for each decision, `verify.ts` checks a chain, masks keep secrets out.",
  replay: "Makes logged decisions again, compares them, and writes certificates.",
  telemetry: "Spans and metrics of decisions through OpenTelemetry, whose package is optional.",
  warden:
    "`createWarden`: holds a pack and a sandbox, reloads, logs, and decides events. `breaker.ts` quarantines hooks that kill their process.",
  dialects: "Other systems' hook protocols, as tables and two functions each: event in, decision out.",
  check:
    "The linter for packs: manifests, types, code, grants, and cases (`cases/` reads and runs them). Parsing of untrusted code happens in child processes.",
  cli: "The command line. `commands.ts` is the table of commands: **a new command is a row there** and a file in `commands/`, here or in the package that the row names. The entry point `hookwarden/cli` has what commands share.",
  index: "The root entry point `hookwarden`: what a host needs every day.",
  "packages/testing":
    "`@hookwarden/testing`, for CI: cases as tests, coverage, comparison of two versions (`diff/`), mutation of events (`mutate/`), costs and limits (`measure/`). Brings `test`, `diff` and `bench`.",
  "packages/review":
    "`@hookwarden/review`. The security review of hooks: what they can do, what they did, what changed. Brings `review`.",
  "packages/registry":
    "`@hookwarden/registry`. Bundles in OCI registries, by digest. Brings `push` and `pull`.",
  "packages/server":
    "`@hookwarden/server`. Decisions for many tenants over HTTP, with the operators' console and, with NATS, on several nodes. The stages of a decision are listed in `pipeline/index.ts`; HTTP limits are in `limits.ts` and `http/`, quarantine in `quarantine.ts`. Brings `serve`.",
  "packages/client": "`@hookwarden/client`. The HTTP client, for any runtime with `fetch`.",
  "packages/playground":
    "`@hookwarden/playground`. One page in which hooks and events are edited and decided, without a server. Brings `playground`.",
  "packages/clients":
    "`@hookwarden/clients`. Agent clients: a table for each (`clients/`), the hook program and its daemon, the installation, `doctor` with its stand-in model, and the Claude Agent SDK. Brings `clients`, `install`, `uninstall` and `doctor`.",
  "packages/create-hookwarden": "`create-hookwarden`, for `npm create hookwarden`: runs `hookwarden init`.",
  "packages/mcp":
    "`@hookwarden/mcp`. A proxy between an MCP client and an MCP server; `tool-result.ts` decides what becomes of a tool's result. Brings `mcp`.",
  "packages/mediator":
    "`@hookwarden/mediator`. What adapters to agent frameworks share: mediation of tool calls and model calls.",
  "packages/ai-sdk": "`@hookwarden/ai-sdk`, the adapter to the Vercel AI SDK.",
  "packages/langchain": "`@hookwarden/langchain`, the adapter to LangChain.",
  "packages/openai-agents": "`@hookwarden/openai-agents`, the adapter to the OpenAI Agents SDK.",
};

/** The way of one event, file by file: down to the sandbox, and back. A test checks that the files exist. */
export const ways: Readonly<Record<string, readonly string[]>> = {
  "From the library": [
    "src/warden/warden.ts",
    "src/broker/read-event.ts",
    "sandbox/src/json/read.ts",
    "src/catalogue/generated/validators.js",
    "src/warden/generation.ts",
    "src/broker/decide.ts",
    "src/broker/plan.ts",
    "src/broker/decision-run.ts",
    "src/broker/project.ts",
    "src/warden/breaker.ts",
    "sandbox/src/process/pool.ts",
    "sandbox/src/process/runner.ts",
    "sandbox/src/process/child.ts",
    "sandbox/src/quickjs/engine.ts",
    "sandbox/src/quickjs/instance.ts",
    "sandbox/src/guest/prelude.js",
    "sandbox/src/process/write-reply.ts",
    "sandbox/src/process/read-reply.ts",
    "src/broker/answer.ts",
    "src/broker/compose.ts",
    "src/broker/trace.ts",
    "src/log/decision-log.ts",
  ],
  "From the command line, before the library": [
    "src/cli/main.ts",
    "src/cli/program.ts",
    "src/cli/commands.ts",
    "src/cli/commands/run.ts",
    "src/cli/event-source.ts",
  ],
  "From the server, before the library": [
    "packages/server/src/http/listener.ts",
    "packages/server/src/http/connection.ts",
    "packages/server/src/http/handler.ts",
    "packages/server/src/pipeline/index.ts",
    "packages/server/src/pipeline/authenticate.ts",
    "packages/server/src/pipeline/admit.ts",
    "packages/server/src/routes/decisions.ts",
    "packages/server/src/decisions.ts",
    "packages/server/src/tenancy/turn.ts",
    "packages/server/src/pipeline/decide.ts",
    "packages/server/src/pipeline/record.ts",
    "packages/server/src/pipeline/respond.ts",
  ],
};

const server = (files: readonly string[]): readonly string[] =>
  files.map((file) => `packages/server/src/${file}`);

/** What each stage of the server's pipeline calls, each file at the stage that it belongs to. A test traces a decision. */
export const serverHelpers: Readonly<Record<string, readonly string[]>> = {
  connect: server(["http/guard.ts", "http/read-body.ts", "http/router.ts"]),
  authenticate: server(["credentials.ts"]),
  admit: server(["http/body.ts", "registry.ts", "tenancy/enforce.ts"]),
  queue: server(["fair-limiter.ts", "meters.ts"]),
  decide: server(["audit-log.ts", "quarantine.ts", "sqlite/audit.ts", "tenant-sandbox.ts", "tenant.ts"]),
  record: server(["feed.ts", "histogram.ts", "metrics.ts"]),
  respond: server(["http/stream.ts", "http/unsent-budget.ts"]),
};

/** `ARCHITECTURE.md`: a picture of the modules, a paragraph on each, and the way of one event. */
export function architecturePage(): string {
  const graph = moduleGraph();
  const rows = Object.keys(modules).map((name) => {
    const uses = [...(graph.get(name) ?? [])].sort().map((one) => `\`${one}\``);
    return `| \`${name}\` | ${modules[name]} | ${uses.join(" ") || "–"} |`;
  });
  return [
    "<!-- Generated by `npm run generate` from the imports. Do not edit. -->",
    "# Architecture",
    "The root of this repository is the package `hookwarden`: the core and the command line, in `src/`. `sandbox/`, `policies/` and each folder of `packages/` are packages of their own. An event becomes a decision in `warden`, which uses `broker` for the rules and `sandbox` for running hooks; everything else is around these three.",
    "Every arrow is an import, types included. Arrows that follow from others are left out. There are no cycles. A module of `src` is entered through its `index.ts`, a package through its `exports`; nothing reaches past an entry point. `test/structure` checks all of this.",
    picture(graph),
    "## Modules",
    ["| module | what it does | imports |", "| --- | --- | --- |", ...rows].join("\n"),
    "## The way of one event",
    ...Object.entries(ways).flatMap(([title, files]) => [
      `${title}:`,
      files.map((file, index) => `${index + 1}. \`${file}\``).join("\n"),
    ]),
    "What the server's stages call:",
    Object.entries(serverHelpers)
      .map(([stage, files]) => `- ${stage}: ${files.map((file) => `\`${file}\``).join(", ")}`)
      .join("\n"),
  ].join("\n\n");
}

function picture(graph: ReadonlyMap<string, ReadonlySet<string>>): string {
  const id = (name: string): string => name.replace(/\W/g, "_");
  const lines = Object.keys(modules).map((name) => `  ${id(name)}["${name}"]`);
  for (const name of Object.keys(modules)) {
    for (const one of [...(graph.get(name) ?? [])].sort()) {
      if (!followsFrom(graph, name, one)) lines.push(`  ${id(name)} --> ${id(one)}`);
    }
  }
  return `\`\`\`mermaid\nflowchart TD\n${lines.join("\n")}\n\`\`\``;
}

/** Whether there is another way from one module to another than the arrow between them. */
function followsFrom(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const reach = (name: string): boolean => {
    if (name === to) return true;
    if (seen.has(name)) return false;
    seen.add(name);
    return [...(graph.get(name) ?? [])].some(reach);
  };
  return [...(graph.get(from) ?? [])].some((one) => one !== to && reach(one));
}
