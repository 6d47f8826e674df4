import type { HostsFact } from "hookwarden/hook";
import type { Invocation } from "../lib/commands.ts";
import { type Finding, quoted } from "../lib/findings.ts";
import { isShell } from "../lib/programs.ts";

/**
 * Programs that connect or listen and start a shell themselves, such as a one-liner with a socket and `/bin/sh`. A shell
 * that another machine is asked to start, as by `ssh`, is none.
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
    return starts
      ? [{ verdict: "deny", reason: `${quoted(invocation)} hands a shell to another machine` }]
      : [];
  });
}

/** Programs whose commands run on the other machine, or that only run scripts of their own. */
const elsewhere: ReadonlySet<string> = new Set(
  "ssh rsync git docker podman kubectl npm pnpm yarn npx uv poetry conda bundle vagrant gcloud aws az heroku fly sshpass".split(
    " ",
  ),
);
