/** Puts items to single policies, each alone in a pack: in the shipped pack the first refusal ends a decision. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWarden, type Warden } from "hookwarden/warden";
import type { EventInput } from "hookwarden/broker";
import type { Item, Kind } from "./item.ts";

const policies = fileURLToPath(new URL("../../../policies/", import.meta.url));
const copies = fileURLToPath(
  new URL("../../../node_modules/.cache/hookwarden-measure/packs/", import.meta.url),
);

/** The policies that items of a kind are put to. */
export const judges: { readonly [K in Kind]: readonly string[] } = {
  "shell-attack": shellPolicies(),
  "shell-benign": shellPolicies(),
  secret: ["redact-secrets"],
  lookalike: ["redact-secrets"],
  prompt: ["no-secrets-in-prompts"],
  clean: ["flag-prompt-injection", "redact-secrets"],
  injection: ["flag-prompt-injection"],
};

function shellPolicies(): readonly string[] {
  const { hooks } = JSON.parse(readFileSync(join(policies, "hookwarden.json"), "utf8")) as {
    hooks: string[];
  };
  const known = /^(?:deny-destructive|keep-writes|protect-|ask-before-)/;
  return hooks.filter((hook) => known.test(hook));
}

/** A warden with one policy of the shipped pack, with the configuration that it has there. */
export async function only(policy: string): Promise<Warden> {
  const folder = join(copies, policy);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const skipped = new Set(["cases.json", "test", "scripts", "node_modules"]);
  cpSync(policies, folder, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  const manifest = JSON.parse(readFileSync(join(policies, "hookwarden.json"), "utf8")) as {
    config?: { readonly [hook: string]: unknown };
  };
  const config = policy in (manifest.config ?? {}) ? { [policy]: manifest.config?.[policy] } : {};
  writeFileSync(join(folder, "hookwarden.json"), JSON.stringify({ ...manifest, hooks: [policy], config }));
  return createWarden({ pack: folder, isolation: "inline", maxEventBytes: 16_777_216 });
}

/** What a policy made of an item. */
export interface Judgement {
  /** `deny` and `ask` of a guard, `changed` for a redaction, `flagged` for a warning, `none`. */
  readonly result: "deny" | "ask" | "changed" | "flagged" | "none";
  readonly why: string;
  readonly steps: number;
  readonly fault: string | undefined;
}

/** Decides an item with one policy. */
export async function judge(warden: Warden, kind: Kind, item: Item): Promise<Judgement> {
  const decision = await warden.dispatch(eventOf(kind, item));
  const [trace] = decision.trace;
  const base = { steps: trace?.steps ?? 0, fault: trace?.fault?.code };
  const { verdict, reason } = decision;
  if (verdict === "deny" || verdict === "block") return { ...base, result: "deny", why: reason ?? "" };
  if (verdict === "ask") return { ...base, result: "ask", why: reason ?? "" };
  const changed = JSON.stringify(decision.changes);
  if (item.secret !== undefined) {
    const gone = changed !== "{}" && !changed.includes(JSON.stringify(item.secret).slice(1, -1));
    return { ...base, result: gone ? "changed" : "none", why: changed.slice(0, 200) };
  }
  if (changed !== "{}") return { ...base, result: "changed", why: redactions(changed) };
  const { augment } = decision.additions;
  return {
    ...base,
    result: augment ? "flagged" : "none",
    why: typeof augment === "string" ? augment : (augment?.text ?? ""),
  };
}

function redactions(changed: string): string {
  return [...changed.matchAll(/.{0,40}\[redacted: [^\]]*\]/g)]
    .map(([text]) => text)
    .join(" … ")
    .slice(0, 300);
}

function eventOf(kind: Kind, { text }: Item): EventInput {
  const base = { session_id: "measure", cwd: "/home/u/proj" };
  if (kind === "prompt") return { ...base, hook_event_name: "UserPromptSubmit", prompt: text };
  if (kind === "shell-attack" || kind === "shell-benign") {
    return { ...base, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: text } };
  }
  return {
    ...base,
    hook_event_name: "PostToolUse",
    tool_name: "WebFetch",
    tool_input: { url: "https://example.org/" },
    tool_response: text,
  };
}
