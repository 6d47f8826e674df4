import { type NotKnown, notKnown } from "../fact.ts";
import type { ShellFact } from "../shell/row.ts";
import { clean, toWord, withoutGlobs } from "../shell/text.ts";
import type { ToolFact } from "../tool/row.ts";
import { addressesOf } from "./address.ts";
import { connectionsOf } from "./programs.ts";
import { hostLimits, type HostRole, type HostsFact, type HostUse } from "./row.ts";

/** Derives `facts.hosts`. */
export function deriveHosts(tool: ToolFact, shell: ShellFact): HostsFact {
  const unknown: NotKnown | undefined = [tool, shell].find((fact): fact is NotKnown => !fact.ok);
  if (unknown || !tool.ok || !shell.ok) return notKnown(unknown?.why ?? "absent");
  const hosts: HostUse[] = [];
  const unnamed: number[] = [];
  const add = (written: string, role: HostRole, command: number | null): void => {
    for (const { host, scope, port, scheme, ambiguous } of addressesOf(withoutGlobs(written)))
      hosts.push({
        host: toWord(host),
        scope,
        port,
        scheme,
        role,
        ambiguous,
        written: toWord(written),
        command,
      });
  };
  const inTexts =
    tool.kind === "fetch" ? tool.queries.flatMap((text) => text.match(/https?:\/\/\S+/gi) ?? []) : [];
  for (const url of [...tool.urls, ...inTexts]) if (!/^file:/i.test(url)) add(clean(url), "connect", null);
  shell.commands.forEach((command, index) => {
    const found = connectionsOf(command);
    for (const [address, role] of found.uses) add(address, role, index);
    if (found.unnamed) unnamed.push(index);
  });
  if (hosts.length > hostLimits.hosts.maximum) return notKnown("too-many");
  return { ok: true, hosts, unnamed, complete: shell.complete };
}
