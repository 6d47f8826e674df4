import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultCode } from "@hookwarden/sandbox";
import type { Decision } from "../../src/broker/decision.ts";
import { legalActions } from "../../src/catalogue/index.ts";

/** One attack, as INDEX.json lists it. */
export interface HostileScript {
  readonly file: string;
  readonly class: string;
  readonly event: string;
  readonly expect: readonly string[];
  readonly note: string;
}

const folder = new URL("../hostile/", import.meta.url);

export const hostileScripts = JSON.parse(
  readFileSync(new URL("INDEX.json", folder), "utf8"),
) as readonly HostileScript[];

/** Input schemas of the tools that the attacks speak of. */
export const hostileTools = JSON.parse(readFileSync(new URL("tools.json", folder), "utf8")) as Record<
  string,
  object
>;

/** The faults that satisfy an expected word; README.md of the corpus has the same table. */
const wordFaults: ReadonlyMap<string, readonly FaultCode[]> = new Map<string, readonly FaultCode[]>([
  ["error", ["load-failed", "threw", "stack-exceeded", "crashed"]],
  ["timeout", ["steps-exceeded", "timeout"]],
  ["memory", ["memory-exceeded", "crashed"]],
  ["illegal-action", ["illegal-action", "ungranted-action"]],
  ["invalid-output", ["invalid-output", "output-too-large", "output-too-deep", "injection-overflow"]],
]);

/** Writes a pack with one attack as its hook, which may do whatever a host can grant but `allow`. */
export function writeHostilePack(into: string, script: HostileScript): string {
  const pack = join(into, script.file.replace(/\.js$/, ""));
  const hook = join(pack, "hostile");
  mkdirSync(hook, { recursive: true });
  cpSync(new URL(`scripts/${script.file}`, folder), join(hook, "hook.js"));
  const actions = [...legalActions(script.event)].filter(
    (action) => action !== "allow" && action !== "continue",
  );
  // What counts is how a call ends, not how long it takes on a machine that does other work as well: where the clock is
  // not what has to end it, it has time.
  const wallMs = script.expect.includes("timeout") ? 250 : 8_000;
  const manifest = {
    apiVersion: 1,
    name: "hostile",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: script.event }],
    reads: ["*"],
    actions,
    state: { scope: "session", maxBytes: 4_096 },
    limits: { wallMs },
  };
  writeFileSync(join(hook, "hook.json"), JSON.stringify(manifest));
  writeFileSync(
    join(pack, "hookwarden.json"),
    JSON.stringify({ apiVersion: 1, hooks: ["hostile"], budgets: { decisionMs: 10_000 } }),
  );
  return pack;
}

/** The fault of the attack in a decision: its own, or that of a refused output. */
export function faultOf(decision: Decision): FaultCode | null {
  const entry = decision.trace.find(({ hook }) => hook === "hostile");
  return (
    entry?.fault?.code ??
    (entry?.refused.find(({ code }) => code !== "retry-limit")?.code as FaultCode) ??
    null
  );
}

/**
 * Outcomes that the corpus does not list and that are right here, each with its reason. Keep it short: an entry is a
 * decision, not a way out.
 */
const alsoRight: ReadonlyMap<string, { readonly fault: FaultCode; readonly reason: string }> = new Map([
  [
    "eng-012-regexp-lastindex-recompile.js",
    {
      fault: "memory-exceeded",
      reason:
        "QuickJS takes a `length` of -1 from a custom `exec` for 2^32 captures and fills its memory. The hook catches the failed allocation, but memory that the host refused is a fault whatever the guest makes of it.",
    },
  ],
]);

/** Whether a fault, or the lack of one, is an expected outcome. */
export function isExpected(script: HostileScript, fault: FaultCode | null): boolean {
  if (fault !== null && alsoRight.get(script.file)?.fault === fault) return true;
  return script.expect.some((word) =>
    fault === null ? word === "harmless" || word === "sanitised" : wordFaults.get(word)?.includes(fault),
  );
}

/** Whether a decision says that the attack wanted to change built-in objects, which a frozen realm refuses by design. */
export function isRefusedChange(decision: Decision): boolean {
  const message = decision.trace.find(({ hook }) => hook === "hostile")?.fault?.message;
  return message?.includes('`realm: "fresh"`') ?? false;
}

/** Whether a file plainly returns an action of this name. */
export function returnsAction(script: HostileScript, action: string): boolean {
  return readFileSync(new URL(`scripts/${script.file}`, folder), "utf8").includes(`'${action}'`);
}

// Control characters but newline and tab, bidi controls, tag characters, lone surrogates.
const forbidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]|\p{Cs}/u;

/** Every text of hooks in a decision that still holds a character which must not reach a sink. */
export function unsanitised(decision: Decision): string[] {
  const { reason, feedback, additions, trace } = decision;
  const texts = [
    reason,
    feedback,
    additions.augment?.text,
    ...(additions.augment?.parts ?? []).map(({ text }) => text),
    ...additions.messages.map(({ text }) => text),
    ...additions.context.map(({ text }) => text),
    ...additions.notices.map(({ text }) => text),
    ...trace.flatMap(({ fault, logs, refused }) => [
      fault?.message,
      ...logs.map(({ text }) => text),
      ...refused.flatMap(({ action, message }) => [action, message]),
    ]),
  ];
  return texts.filter((text): text is string => typeof text === "string" && forbidden.test(text));
}
