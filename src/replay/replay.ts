import type { EngineName, Sandbox } from "@hookwarden/sandbox";
import {
  type CallRecord,
  decide,
  readEvent,
  makePlan,
  type Plan,
  type PlanRules,
  type ToolInputChecks,
  toolInputChecks,
  type ToolSchemas,
} from "../broker/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { canonicalJson } from "../files/index.ts";
import { factDifferences } from "../facts/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import { KeyedQueue } from "../state/index.ts";
import { causeOf, comparable, type Difference, firstDifference } from "./difference.ts";
import {
  catalogueDigest,
  type EngineIdentity,
  engineIdentity,
  packageVersion,
  digestOf,
  inputDigest,
  readRecord,
  readRules,
  type LogRecord,
  readChain,
  type ReadChainOptions,
} from "../log/index.ts";
import {
  type LoggedDecision,
  type LoggedPack,
  type LoggedStart,
  readDecision,
  readPackRecord,
  readStart,
} from "./parse-record.ts";
import { RecordedState, ReplaySandbox } from "./replay-sandbox.ts";

export interface ReplayOptions extends ReadChainOptions {
  /** The packs that decided. A decision of another pack is replayed with the first of them, and differs. */
  readonly packs: readonly LoadedPack[];
  /** Gives the sandbox of an engine; asked once for each engine that the log names. It is not closed by the replay. */
  readonly sandbox: (engine: EngineName) => Sandbox | Promise<Sandbox>;
  /** Input schemas of tools. Default: those that the log holds. */
  readonly tools?: ToolSchemas;
}

/** What became of one logged decision. */
export interface Replayed {
  readonly n: number;
  readonly line: number;
  readonly tenant: string;
  readonly seq: number;
  readonly decision_id: string;
  readonly hook_event_name: string;
  /** Hash of its record in the log. */
  readonly record: string;
  readonly result: "same" | "different" | "skipped";
  /** Why it was skipped. */
  readonly why: string | null;
  readonly difference: Difference | null;
  /** What the replay came to; `null` where it was skipped. */
  readonly proof: ReplayProof | null;
}

/** Digests of all that went into a decision and came out of it. */
export interface ReplayProof {
  readonly pack: string;
  readonly engine: EngineIdentity;
  /** Of the event as canonical JSON. */
  readonly event: string;
  /** Of the decision as it is compared, as canonical JSON. */
  readonly decision: string;
  readonly calls: readonly {
    readonly hook: string;
    readonly digest: string;
    readonly input: string;
    readonly output: string | null;
    readonly fault: string | null;
    readonly steps: number | null;
  }[];
}

/**
 * Makes each decision of a log again, and compares it with what was logged: without durations and memory, which no two
 * runs have in common, and without steps where another engine replays. Faults that come from the host's circumstances
 * (`circumstantialFaults`) are taken from the record.
 *
 * @throws {HookwardenError} `log-broken` at the first record that is not as it was written.
 */
export async function* replayLog(
  source: AsyncIterable<Uint8Array>,
  options: ReplayOptions,
): AsyncGenerator<Replayed> {
  const replayer = new Replayer(options);
  for await (const { record, problem } of readChain(source, options)) {
    if (problem) throw new HookwardenError("log-broken", problem.message, { line: problem.line });
    if (record.kind === "start") await replayer.begin(readStart(record));
    else if (record.kind === "pack") replayer.learnPack(readPackRecord(record));
    else if (record.kind === "rules") replayer.learnRules(record);
    else if (record.kind === "decision") yield await replayer.replay(record);
  }
}

interface Run {
  readonly start: LoggedStart;
  readonly sandbox: Sandbox;
  readonly engine: EngineIdentity;
  readonly toolInputs: ToolInputChecks;
}

class Replayer {
  readonly #options: ReplayOptions;
  readonly #packs: ReadonlyMap<string, LoadedPack>;
  readonly #sandboxes = new Map<EngineName, Sandbox>();
  readonly #loggedPacks = new Map<string, LoggedPack>();
  readonly #rules = new Map<string, PlanRules>();
  readonly #plans = new Map<string, Plan>();
  readonly #queue = new KeyedQueue();
  #run: Run | null = null;

  constructor(options: ReplayOptions) {
    if (options.packs.length === 0) throw new HookwardenError("option-invalid", "a replay needs a pack");
    this.#options = options;
    this.#packs = new Map(options.packs.map((pack) => [pack.digest, pack]));
  }

  async begin(start: LoggedStart): Promise<void> {
    const { name } = start.engine;
    const sandbox = this.#sandboxes.get(name) ?? (await this.#options.sandbox(name));
    this.#sandboxes.set(name, sandbox);
    const toolInputs = toolInputChecks(this.#options.tools ?? start.tools ?? {});
    this.#run = { start, sandbox, engine: engineIdentity(sandbox.engine, sandbox.version), toolInputs };
  }

  learnPack(pack: LoggedPack): void {
    this.#loggedPacks.set(pack.pack, pack);
  }

  learnRules(record: LogRecord): void {
    const { rules, means } = readRecord(record.text, record.line);
    this.#rules.set(String(rules), readRules(means, record.line));
  }

  async replay(record: LogRecord): Promise<Replayed> {
    const logged = readDecision(record);
    const run = this.#run;
    if (!run)
      throw new HookwardenError("log-broken", "a decision stands before the beginning of a run", {
        line: record.line,
      });
    const head = {
      n: record.n,
      line: record.line,
      tenant: record.tenant as string,
      seq: record.seq as number,
      decision_id: logged.decision.decision_id,
      hook_event_name: String(logged.event.hook_event_name),
      record: record.hash,
    };
    if (!logged.replayable) {
      return {
        ...head,
        result: "skipped",
        why: logged.why ?? "the record says that it cannot be replayed",
        difference: null,
        proof: null,
      };
    }
    const pack = this.#packs.get(logged.decision.pack) ?? (this.#options.packs[0] as LoadedPack);
    const { decision, calls } = await this.#decideAgain(run, {
      pack,
      logged,
      tenant: head.tenant,
      line: record.line,
    });
    const sameEngine = run.start.engine.name === run.engine.name;
    const before = comparable(logged.decision, sameEngine);
    const after = comparable(decision, sameEngine);
    const found = firstDifference(before, after);
    const difference = found && {
      ...found,
      cause: causeOf({ ...this.#circumstances(run, logged), pack, calls }),
    };
    const proof = proofOf(run.engine, logged, { pack, decision: after, calls });
    return { ...head, result: difference ? "different" : "same", why: null, difference, proof };
  }

  async #decideAgain(run: Run, { pack, logged, tenant, line }: Again) {
    const { event, clock } = readEvent(logged.event, Number.MAX_SAFE_INTEGER, 0);
    const recall = new RecordedState(logged);
    const parts = {
      sandbox: new ReplaySandbox(run.sandbox, recall),
      retries: recall.retries,
      toolInputs: run.toolInputs,
      store: recall,
      queue: this.#queue,
    };
    const { decision, record } = await decide(parts, {
      plan: this.#planOf(pack, logged.rules, line),
      event,
      clock,
      decisionId: logged.decision.decision_id,
      tenant,
      record: true,
      keep: false,
      replayedSkip: recall.skippedCall,
    });
    return { decision, calls: record?.calls ?? [] };
  }

  #planOf(pack: LoadedPack, rules: string | null, line: number): Plan {
    const key = `${pack.digest}\n${rules ?? ""}`;
    let plan = this.#plans.get(key);
    if (!plan) {
      const known = rules === null ? undefined : this.#rules.get(rules);
      if (rules !== null && !known)
        throw new HookwardenError("log-broken", "the rules of a decision are not in the log", { line });
      // Which hooks the time was not enough for stands in the record.
      const patient = { ...pack, budgets: { ...pack.budgets, decisionMs: Number.MAX_SAFE_INTEGER } };
      plan = makePlan(patient, known);
      this.#plans.set(key, plan);
    }
    return plan;
  }

  #circumstances({ start, engine }: Run, logged: LoggedDecision) {
    return {
      logged,
      loggedPack: this.#loggedPacks.get(logged.decision.pack),
      engine:
        start.engine.digest === engine.digest
          ? null
          : `the engine is another one: ${start.engine.version} in the log, ${engine.version} here`,
      catalogue:
        start.catalogue === catalogueDigest()
          ? null
          : `the catalogue is another one: that of version ${start.package} in the log, of ${packageVersion} here`,
      facts: factDifferences(start.facts),
    };
  }
}

/** `sha256:` of a value as canonical JSON. */
export function valueDigest(value: unknown): string {
  return digestOf(canonicalJson(value));
}

/** A logged decision to make again. `line`: where its record is in the log. */
interface Again {
  readonly pack: LoadedPack;
  readonly logged: LoggedDecision;
  readonly tenant: string;
  readonly line: number;
}

function proofOf(
  engine: EngineIdentity,
  logged: LoggedDecision,
  { pack, decision, calls }: { pack: LoadedPack; decision: object; calls: readonly CallRecord[] },
): ReplayProof {
  return {
    pack: pack.digest,
    engine,
    event: valueDigest(logged.event),
    decision: valueDigest(decision),
    calls: calls.map(({ hook, digest, input, output, fault, steps }) => ({
      hook,
      digest,
      input: inputDigest(input),
      output: output === null ? null : digestOf(output),
      fault: fault?.code ?? null,
      steps,
    })),
  };
}
