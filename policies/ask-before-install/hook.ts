import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, quoted, short, tooLarge } from "../lib/findings.ts";
import { globMatches } from "../lib/paths.ts";
import { type Invocation, invocationsOf } from "../lib/commands.ts";
import { installationOf, registriesOf } from "./managers.ts";

interface Config {
  readonly allow?: readonly string[];
  readonly indexes?: readonly string[];
}

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const { shell } = event.facts;
  return decide([
    ...tooLarge(shell),
    ...invocationsOf(shell).flatMap((invocation) => findingsOf(invocation, ctx.config ?? {})),
  ]);
};

export default hook;

function findingsOf(invocation: Invocation, config: Config): readonly Finding[] {
  const found: Finding[] = [];
  for (const { address, why } of registriesOf(invocation)) {
    if (!(config.indexes ?? []).includes(address))
      found.push({ verdict: "deny", reason: `${short(address)} ${why}` });
  }
  const installation = installationOf(invocation);
  if (installation === undefined) return found;
  for (const name of installation.packages) {
    if (isHere(name)) continue;
    if (isAddress(name)) {
      found.push({
        verdict: "deny",
        reason: `${quoted(invocation)} installs from ${short(name)}, which no registry vouches for`,
      });
    } else if (!(config.allow ?? []).some((pattern) => globMatches(pattern, bareName(name)))) {
      const what = installation.runs ? "fetches and runs" : "installs";
      found.push({
        verdict: "ask",
        reason: `it ${what} the package ${short(name)}`,
      });
    }
  }
  return found;
}

/** A folder or an archive of this machine. */
function isHere(name: string): boolean {
  return /^(?:\.{1,2}(?:\/|$|\[)|\/|file:)/.test(name);
}

/** A package by its address, whose content today has not been checked. */
function isAddress(name: string): boolean {
  return /^(?:git\+|git@|https?:|git:|ssh:|github:|gitlab:|bitbucket:|[A-Za-z0-9_-]+\/[A-Za-z0-9._-]+$)/.test(
    name,
  );
}

/** The name of a package without its version: `left-pad@1`, `@scope/name@^2`, `requests[socks]==2.0`. */
function bareName(name: string): string {
  return name.replace(/(?<=.)@.*$/, "").replace(/[[=<>~!;].*$/, "");
}
