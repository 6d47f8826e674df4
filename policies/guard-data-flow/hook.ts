import {
  ask,
  deny,
  type PostToolUse,
  type PreToolUse,
  setState,
  type UserPromptSubmit,
} from "hookwarden/hook";
import { short } from "../lib/findings.ts";
import { isSecret } from "../lib/secret-paths.ts";
import { type Act, actsOf } from "./acts.ts";
import { isListed, matchOf, type Rule } from "./rules.ts";

interface Config {
  readonly allow?: readonly string[];
  readonly trust?: readonly string[];
  readonly private?: readonly string[];
  readonly rules?: readonly Rule[];
}

/** What a session has met so far. Subagents share it with the session that they belong to. */
interface Flow {
  /** Where untrusted content was first read. */
  readonly tainted: string | null;
  /** What private was first read. */
  readonly exposed: string | null;
  /** Rules whose `after` has happened, by name, and what it was. */
  readonly begun: { readonly [rule: string]: string };
  /** Destinations that a person has let through. */
  readonly approved: readonly string[];
  /** What was asked about, by the id of the call. */
  readonly asked: readonly {
    readonly call: string;
    readonly destination: string;
  }[];
}

const nothing: Flow = {
  tainted: null,
  exposed: null,
  begun: {},
  approved: [],
  asked: [],
};
const verbs: ReadonlyMap<string, string> = new Map([
  ["connect", "connects to"],
  ["tool", "uses"],
  ["write", "writes to"],
]);
const nouns: ReadonlyMap<string, string> = new Map([
  ["write", "a write to "],
  ["connect", "a connection to "],
  ["run", "the command "],
  ["tool", "a result of "],
]);
const mostApproved = 32;
const mostAsked = 16;

const PreToolUse: PreToolUse<Flow, Config | undefined> = (event, ctx) => {
  const config = ctx.config ?? {};
  const before = { ...nothing, ...ctx.state };
  const acts = actsOf(event);
  const flow = after(before, acts, config);
  for (const rule of config.rules ?? []) {
    const began = flow.begun[rule.name];
    const act = began === undefined ? undefined : matchOf(rule.never, acts);
    if (act === undefined) continue;
    const text = `the rule ${short(rule.name)} forbids ${shown(act)} after ${began}`;
    return [rule.verdict === "ask" ? ask(text) : deny(text), setState<Flow>(flow)];
  }
  const act = leaving(acts, config).find(({ what }) => what === "" || !flow.approved.includes(what));
  // What this call itself fetches cannot have steered it; what it reads, it can send.
  if (act === undefined || before.tainted === null || flow.exposed === null) return changed(before, flow);
  const call = event.tool_use_id ?? JSON.stringify(act);
  const asked = [...flow.asked, { call, destination: act.what }].slice(-mostAsked);
  return [
    ask(
      `data may leave: this call ${verbs.get(act.kind) ?? ""} ${act.what === "" ? "a place that it does not name" : short(act.what)}, after the session has read ${flow.exposed}, which is private, and ${before.tainted}, which anybody may have written`,
    ),
    setState<Flow>({ ...flow, asked }),
  ];
};

/** A call that was asked about and has run was approved: its destination needs no question again, and no other does. */
const PostToolUse: PostToolUse<Flow, Config | undefined> = (event, ctx) => {
  const before = { ...nothing, ...ctx.state };
  if (before.asked.length === 0) return undefined;
  const acts = actsOf(event);
  const calls = [event.tool_use_id, ...acts.map((act) => JSON.stringify(act))];
  const entry = before.asked.find(({ call }) => calls.includes(call));
  if (entry === undefined) return undefined;
  const approved =
    entry.destination === "" ? before.approved : [...before.approved, entry.destination].slice(-mostApproved);
  return setState<Flow>({
    ...before,
    approved,
    asked: before.asked.filter((other) => other !== entry),
  });
};

const UserPromptSubmit: UserPromptSubmit<Flow, Config | undefined> = (_event, ctx) => {
  const before = { ...nothing, ...ctx.state };
  const ended = (ctx.config?.rules ?? []).filter(
    ({ name, until }) => until?.prompt && Object.hasOwn(before.begun, name),
  );
  return ended.length === 0 ? undefined : setState<Flow>({ ...before, begun: without(before.begun, ended) });
};

export default { PreToolUse, PostToolUse, UserPromptSubmit };

/** What the session has met once a call is made. It counts when it is asked for: a result may come late, or to a subagent. */
function after(before: Flow, acts: readonly Act[], config: Config): Flow {
  const ended = (config.rules ?? []).filter(
    ({ until }) => until !== undefined && matchOf(until, acts) !== undefined,
  );
  const begun: Record<string, string> = without(before.begun, ended);
  for (const { name, after: pattern } of config.rules ?? []) {
    const act = matchOf(pattern, acts);
    if (act !== undefined && !Object.hasOwn(begun, name)) begun[name] = shown(act);
  }
  const untrusted = before.tainted === null ? acts.find((act) => isUntrusted(act, config)) : undefined;
  const secret = before.exposed === null ? acts.find((act) => isPrivate(act, config)) : undefined;
  return {
    ...before,
    begun,
    tainted: untrusted === undefined ? before.tainted : shown(untrusted),
    exposed: secret === undefined ? before.exposed : shown(secret),
  };
}

function without(begun: Flow["begun"], rules: readonly Rule[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(begun).filter(([name]) => !rules.some((rule) => rule.name === name)),
  );
}

function changed(before: Flow, flow: Flow) {
  return JSON.stringify(before) === JSON.stringify(flow) ? undefined : setState<Flow>(flow);
}

function shown({ kind, what }: Act): string {
  return `${nouns.get(kind) ?? ""}${what === "" ? "a place that is not known" : short(what)}`;
}

/** Tools whose results come from other people, besides those of MCP servers. */
const foreignTool = /fetch|web|browse|search_web|http|crawl|scrape|navigate/i;
/** Commands that print what other people have written. */
const foreignCommand =
  /^(?:gh (?:issue|pr|api|gist|release|search|repo view|run view)|glab (?:issue|mr|api)|curl|wget|http|https|xh|lynx|w3m|links|aria2c|git (?:clone|pull|fetch|submodule)|npm view|mail|himalaya|mutt)\b/;

function isUntrusted({ kind, what, inside, mcp }: Act, { trust }: Config): boolean {
  if (isListed(trust, what)) return false;
  if (kind === "tool") return mcp === true || foreignTool.test(what);
  if (kind === "run")
    return foreignCommand.test(what) && !what.split(" ").some((word) => isListed(trust, hostIn(word)));
  return (
    kind === "read" && inside === false && /^\/(?:tmp|var\/tmp|mnt|media|Volumes)\/|\/Downloads\//.test(what)
  );
}

function hostIn(word: string): string {
  return /^[a-z]+:\/\/([^/:?#]+)/i.exec(word)?.[1] ?? word;
}

/** Tools that read what belongs to a person or a company. */
const privateTool =
  /mail|inbox|messages?|slack|teams|drive|docs?|calendar|contacts?|customers?|crm|payroll|bank|account|transaction|database|sql|query|secret|vault|passwords?|health|patient|notes?|notion|jira|confluence|private/i;

function isPrivate({ kind, what, inside, mcp }: Act, config: Config): boolean {
  if (kind === "tool") return isListed(config.private, what) || (mcp === true && privateTool.test(what));
  if (kind !== "read") return false;
  if (isListed(config.private, what) || what === "secrets of the environment") return true;
  if (isSecret(what, [], [])) return true;
  return (
    inside === false &&
    /^\/(?:home|Users|root)\b/.test(what) &&
    !/\/\.(?:cache|npm|cargo|rustup|nvm|local\/share)\//.test(what)
  );
}

/** Folders for temporary files, and devices that keep nothing. */
const here = /^\/(?:tmp|var\/tmp|private\/tmp|dev)\//;

/** The acts of a call that may carry data to a place that no rule allows. */
function leaving(acts: readonly Act[], { allow }: Config): readonly Act[] {
  const hosts = acts.filter(({ kind, leaves }) => kind === "connect" && leaves);
  const tools = acts.filter(({ kind, leaves }) => kind === "tool" && leaves);
  const writes = acts.filter(
    ({ kind, what, inside }) => kind === "write" && inside === false && !here.test(what),
  );
  // A fetching tool is judged by its address, where it names one.
  return [...hosts, ...(hosts.length > 0 ? [] : tools), ...writes].filter(
    ({ what }) => !isListed(allow, what),
  );
}
