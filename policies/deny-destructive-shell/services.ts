import type { Invocation } from "../lib/commands.ts";
import { type Finding, quoted } from "../lib/findings.ts";
import { services } from "./losses.ts";

const finders: ReadonlySet<string> = new Set(["pgrep", "pidof", "cat", "head", "ps"]);
/** A name of a service, alone or as a pattern, or the file with its number. */
const named = new RegExp(
  `^(?:\\^|\\[)?(?:${services})\\$?$|^/(?:var/)?run/\\S{0,80}?(?:${services})\\S{0,20}\\.pid$`,
  "i",
);

/** `kill` of the numbers that another command finds for a service of the machine: `kill $(pgrep sshd)`. */
export function stoppedServices(invocations: readonly Invocation[]): readonly Finding[] {
  // `kill -0` and `kill -l` only look.
  const kills = invocations.some(
    ({ name, args }) => name === "kill" && !/^-(?:0|l|L|-list)$/.test(args[0] ?? ""),
  );
  const found = kills
    ? invocations.find(({ name, args }) => finders.has(name) && args.some((arg) => named.test(arg)))
    : undefined;
  return found === undefined
    ? []
    : [{ verdict: "ask", reason: `it stops a service of the machine, which ${quoted(found)} finds` }];
}
