import {
  type CallRecord,
  type DecisionRecord,
  type PlanRules,
  sanitizeText,
  type ToolSchemas,
} from "../broker/index.ts";
import { factVersions } from "../facts/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import { catalogueDigest, type EngineIdentity, packageVersion } from "./identity.ts";
import { asciiJson, digestOf } from "./line.ts";
import { maskEvent } from "./mask.ts";
import { maskRecord } from "./mask-record.ts";
import { plainRules } from "./rules.ts";

/** What decisions of one warden have in common. */
export interface LogContext {
  readonly engine: EngineIdentity;
  readonly tools: ToolSchemas | undefined;
  /** `false` where sandboxes keep contexts: such decisions cannot be replayed. */
  readonly pristine: boolean;
}

/** How a log goes on that was there already. */
export interface Recovery {
  /** Whether it had been closed in order. Otherwise records that were not flushed are missing. */
  readonly closed: boolean;
  /** Bytes behind the last whole record, their digest, and the name of the file they were moved to. */
  readonly torn: { readonly bytes: number; readonly digest: string; readonly file: string } | null;
}

/** The members of a record, as ASCII JSON text without the closing brace. */
export type Body = string;

function body(members: object): Body {
  return asciiJson(JSON.stringify(members)).slice(0, -1);
}

/** The first record of each run: what holds for the decisions behind it. */
export function startBody(log: string, context: LogContext, recovery: Recovery | null): Body {
  const { engine, tools, pristine } = context;
  return body({
    kind: "start",
    format: 1,
    log,
    opened: new Date().toISOString(),
    package: packageVersion,
    catalogue: catalogueDigest(),
    facts: factVersions(),
    engine,
    pristine,
    tools: tools ? Object.fromEntries(tools instanceof Map ? tools : Object.entries(tools)) : null,
    recovery,
  });
}

/** Stands before the first decision of a pack. */
export function packBody(pack: LoadedPack): Body {
  const { name = null, version = null } = pack.manifest;
  const hooks = pack.hooks.map(({ name: hook, version: of, digest }) => ({
    name: hook,
    version: of,
    digest,
  }));
  return body({ kind: "pack", pack: pack.digest, name, version, hooks });
}

/** Rules of a host's own way to speak of events, once before the first decision that is made with them. */
export interface IdentifiedRules {
  readonly digest: string;
  readonly body: Body;
}

const named = new WeakMap<PlanRules, IdentifiedRules>();

export function identifyRules(rules: PlanRules): IdentifiedRules {
  let made = named.get(rules);
  if (!made) {
    const plain = plainRules(rules);
    const digest = digestOf(JSON.stringify(plain));
    made = { digest, body: body({ kind: "rules", rules: digest, means: plain }) };
    named.set(rules, made);
  }
  return made;
}

/** The last record of a run that ended in order. */
export function endBody(): Body {
  return body({ kind: "end", closed: new Date().toISOString() });
}

/** Records of what people did. */
export type NoteKind = "approval" | "degraded";

export function noteBody(kind: NoteKind, members: object): Body {
  return body({ kind, time: new Date().toISOString(), ...members });
}

/** A decision with all that it takes to make it again. */
export function decisionBody(
  record: DecisionRecord,
  context: LogContext,
  masks: readonly (readonly string[])[],
  rules: string | null,
): Body {
  const { decision, event, calls, skipped, priorState, retries, reruns } = record;
  const masked = masks.length === 0 ? null : maskEvent(event, masks);
  const { pristine } = context;
  const why = masked ? "values are masked" : pristine ? undefined : "contexts were kept between calls";
  return body({
    kind: "decision",
    time: event.time,
    package: packageVersion,
    catalogue: catalogueDigest(),
    engine: context.engine.digest,
    rules,
    replayable: why === undefined,
    why,
    ...(masked
      ? { masked: masked.pointers, ...maskRecord(record, masked) }
      : { event, decision, calls: calls.map(callMembers), skipped, state: priorState }),
    retries,
    reruns,
  });
}

function callMembers({ hook, digest, recheck, input, seed, output, fault, steps, logs }: CallRecord): object {
  const members = {
    hook,
    digest,
    recheck,
    input: inputDigest(input),
    seed,
    output: output === null ? null : digestOf(output),
    steps,
    fault,
    output_text: output,
  };
  // Where the trace has it all, the raw lines would only be repeated here.
  return logs.every(({ text }) => sanitizeText(text) === text) ? members : { ...members, logs };
}

/** `sha256:` of both arguments of a call, with a line feed between them: JSON text holds none that is not escaped. */
export function inputDigest([event, context]: readonly [string, string]): string {
  return digestOf(`${event}\n${context}`);
}
