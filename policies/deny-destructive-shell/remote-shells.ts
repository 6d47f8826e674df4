import type { HostsFact } from "hookwarden/hook";
import type { Invocation } from "../lib/commands.ts";
import { type Finding, quoted } from "../lib/findings.ts";
import { isShell, shellCall } from "../lib/programs.ts";

/**
 * Programs that connect or listen and start a shell themselves, such as a one-liner with a socket and `/bin/sh`, or that
 * a shell without a script pipes into. A shell that another machine is asked to start, as by `ssh`, is none.
 */
export function remoteShells(hosts: HostsFact, invocations: readonly Invocation[]): readonly Finding[] {
  if (!hosts.ok) return [];
  const indices = new Set([...hosts.hosts.map(({ command }) => command), ...hosts.unnamed]);
  return [...indices].flatMap((index): readonly Finding[] => {
    const invocation = index === null ? undefined : invocations[index];
    if (index === null || invocation === undefined || elsewhere.has(invocation.name)) return [];
    const starts = invocations.some(
      ({ name, through }, at) => at > index && isShell(name) && through.at(-1) === invocation.name,
    );
    return starts || invocation.input?.from.some(isOpenShell)
      ? [{ verdict: "deny", reason: `${quoted(invocation)} hands a shell to another machine` }]
      : [];
  });
}

/** Whether a command is a shell that runs what it reads. */
function isOpenShell(invocation: Invocation): boolean {
  const call = shellCall(invocation);
  return call !== undefined && call.code === undefined && call.script === undefined;
}

/** Programs whose commands run on the other machine, or that only run scripts of their own. */
const elsewhere: ReadonlySet<string> = new Set(
  "ssh rsync git docker podman kubectl npm pnpm yarn npx uv poetry conda bundle vagrant gcloud aws az heroku fly sshpass".split(
    " ",
  ),
);
