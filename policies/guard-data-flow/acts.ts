import type { PostToolUseEvent, PreToolUseEvent, ShellWord } from "hookwarden/hook";
import { type Invocation, invocationsOf, textOf } from "../lib/commands.ts";
import { gitCall } from "../lib/git.ts";
import { changesFile } from "../lib/tools.ts";

/** The kinds of things that a tool call does, as rules name them. */
export type ActKind = "read" | "write" | "connect" | "run" | "tool";

/** One thing that a tool call does. */
export interface Act {
  readonly kind: ActKind;
  /** A path, a host, a command line or the name of a tool; empty where it is not known. */
  readonly what: string;
  /** Whether a path lies in the workspace; `undefined` where that is not known. */
  readonly inside?: boolean;
  /** Whether it may carry data away: a connection, a push, a message. */
  readonly leaves?: true;
  /** Whether it is a tool of an MCP server, or one of which the facts know nothing. */
  readonly mcp?: true;
}

type Event = Pick<PreToolUseEvent | PostToolUseEvent, "tool_name"> & Pick<PreToolUseEvent, "facts">;

/** All that a tool call does, as far as the facts tell. */
export function actsOf({ tool_name: name, facts }: Event): readonly Act[] {
  const { tool, shell, paths, hosts } = facts;
  const invocations = invocationsOf(shell);
  const acts: Act[] = [
    {
      kind: "tool",
      what: name,
      ...(tool.ok && tool.kind !== "mcp" ? {} : { mcp: true as const }),
      ...(isSending(name, tool.ok ? tool.kind : "other") ? { leaves: true as const } : {}),
    },
  ];
  for (const invocation of invocations) acts.push(...ofCommand(invocation));
  for (const { path, access, inside } of paths.ok ? paths.paths : []) {
    const isWrite =
      access === "write" || access === "delete" || (access === "any" && changesFile("any", name));
    acts.push({
      kind: isWrite ? "write" : "read",
      what: shown(path),
      ...(inside === null ? {} : { inside }),
    });
  }
  for (const { host, role, scope } of hosts.ok ? hosts.hosts : []) {
    if (role !== "listen" && scope !== "loopback")
      acts.push({ kind: "connect", what: shown(host), leaves: true });
  }
  const unnamed = hosts.ok ? hosts.unnamed : [];
  for (const index of unnamed) {
    const command = invocations[index];
    const destination = command === undefined ? "" : destinationOf(command);
    if (!receiving.test(destination)) acts.push({ kind: "connect", what: destination, leaves: true });
  }
  return acts;
}

/** Where a command connects that names no host: its remote, or its service. */
function destinationOf(invocation: Invocation): string {
  const git = gitCall(invocation);
  if (git === undefined) {
    const command = invocation.args.find((arg) => /^[a-z]/.test(arg));
    return command === undefined ? invocation.name : `${invocation.name} ${command}`;
  }
  const remote = git.args.find((arg) => !arg.startsWith("-"));
  return `git ${git.command}${remote === undefined ? "" : ` ${remote}`}`;
}

/** What only brings data here, from places that its settings name. */
const receiving =
  /^(?:git (?:fetch|pull|clone|ls-remote|submodule|remote|init|status|log|diff)|(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|poetry|conda|cargo|go|gem|bundle|apt|apt-get|brew|dnf|yum|apk|composer|mvn|gradle|docker|podman)(?: (?!publish|push|upload|login|deploy|run|exec).*)?$)/;

function shown(word: ShellWord): string {
  return textOf(word);
}

/** Commands that show secrets which lie in no file. */
const revealing =
  /^(?:printenv|env|set|export -p|security find-|vault (?:kv |read)|op (?:read|item get)|pass (?:show )?|gh auth token|aws configure get|aws secretsmanager get|gcloud auth print|az account get-access-token|kubectl get secrets?|docker inspect|doppler secrets)/;

function ofCommand(invocation: Invocation): readonly Act[] {
  const line = [invocation.name, ...invocation.args].join(" ").trim();
  const acts: Act[] = line === "" ? [] : [{ kind: "run", what: line }];
  if (revealing.test(line) && !(invocation.name === "env" && invocation.args.length > 0)) {
    acts.push({
      kind: "read",
      what: "secrets of the environment",
      inside: false,
    });
  }
  return acts;
}

const sending =
  /send|post|publish|upload|push|create|update|write|comment|reply|message|mail|tweet|share|invite|submit|transfer|pay|book|schedule|add|append|insert|put|delete|notify|merge/i;

/** Whether a tool's name says that it carries data away. A fetching tool does: its address can. */
function isSending(name: string, kind: string): boolean {
  if (kind === "fetch") return true;
  const local = /^(?:shell|read|write|edit|delete|search|task)$/.test(kind);
  return !local && sending.test(name.slice(name.lastIndexOf("__") + 1));
}
