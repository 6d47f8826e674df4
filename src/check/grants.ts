import type { LimitName } from "@hookwarden/sandbox";
import { type ActionName, type EventName, actionRows, eventNames, legalActions } from "../catalogue/index.ts";
import {
  type AcceptedHook,
  canReturnStrongVerdict,
  hookManifestFile,
  packManifestFile,
  type Grant,
  type PackManifest,
} from "../pack/index.ts";
import { type Finding, finding } from "./finding.ts";

/** What is asked for or granted, and can never count. */
export function checkGrants(manifest: PackManifest, hooks: readonly AcceptedHook[]): readonly Finding[] {
  return hooks.flatMap((accepted) => {
    const { name } = accepted.hook;
    const grant = manifest.grants && Object.hasOwn(manifest.grants, name) ? manifest.grants[name] : undefined;
    return [...uselessActions(accepted), ...(grant ? uselessGrants(accepted, grant) : [])];
  });
}

function uselessActions({ folder, hook }: AcceptedHook): Finding[] {
  const events = [...new Set(hook.on.map(({ event }) => event))];
  return hook.manifest.actions.flatMap((action, index) => {
    if (events.some((event) => legalActions(event).has(action))) return [];
    const message = `\`${action}\` is legal at none of the hook's events (${events.join(", ")})`;
    return [
      finding("action-useless", hook.name, message, {
        file: `${folder}/${hookManifestFile}`,
        pointer: `/actions/${index}`,
      }),
    ];
  });
}

function uselessGrants({ hook }: AcceptedHook, grant: Grant): Finding[] {
  const place = (part: string) => ({ file: packManifestFile, pointer: `/grants/${hook.name}/${part}` });
  const actions = (grant.actions ?? []).filter((action) => !hook.asked.has(action));
  const findings = actions.map((action) =>
    finding(
      "grant-useless",
      hook.name,
      `the pack grants \`${action}\`, which the hook does not ask for`,
      place("actions"),
    ),
  );
  if (grant.roles?.includes("system") && !hook.asked.has("inject")) {
    findings.push(
      finding(
        "grant-useless",
        hook.name,
        "the pack grants the role `system`, and the hook does not inject",
        place("roles"),
      ),
    );
  }
  if (grant.onFailure && hook.manifest.onFailure !== "open") {
    findings.push(
      finding(
        "grant-useless",
        hook.name,
        "the pack grants `onFailure: open`, which the hook does not ask for",
        place("onFailure"),
      ),
    );
  }
  const limits = Object.keys(grant.limits ?? {}) as LimitName[];
  for (const limit of limits) {
    if (hook.manifest.limits?.[limit] !== undefined || hook.limits[limit] === grant.limits?.[limit]) continue;
    const message = `the pack grants up to ${grant.limits?.[limit]} for \`${limit}\`, which the hook does not set`;
    findings.push(finding("grant-useless", hook.name, message, place(`limits/${limit}`)));
  }
  return findings;
}

/** Hooks that decide and rewrite at an event where a later one rewrites too. */
export function checkOrder(hooks: readonly AcceptedHook[]): readonly Finding[] {
  const ordered = hooks
    .filter(({ hook }) => hook.mode === "sequential")
    .toSorted((a, b) => a.hook.priority - b.hook.priority || a.hook.order - b.hook.order);
  return ordered.flatMap((accepted, index) => {
    const { folder, hook } = accepted;
    const both = eventNames.filter(
      (event) => listens(accepted, event) && rewrites(event, hook.granted) && decides(event, hook.granted),
    );
    for (const later of ordered.slice(index + 1)) {
      const event = both.find((name) => listens(later, name) && rewrites(name, later.hook.granted));
      if (!event) continue;
      const message = `at ${event} the hook decides and rewrites, and \`${later.hook.name}\` rewrites after it`;
      return [
        finding("rewrite-then-guard", hook.name, message, {
          file: `${folder}/${hookManifestFile}`,
          pointer: "/priority",
        }),
      ];
    }
    return [];
  });
}

function listens({ hook }: AcceptedHook, event: EventName): boolean {
  return hook.on.some((subscription) => subscription.event === event);
}

function rewrites(event: EventName, granted: ReadonlySet<ActionName>): boolean {
  return [...granted].some(
    (action) => legalActions(event).has(action) && actionRows.get(action)?.kind === "change",
  );
}

function decides(event: EventName, granted: ReadonlySet<ActionName>): boolean {
  const verdicts = [...granted].filter((action) => actionRows.get(action)?.kind === "verdict");
  return canReturnStrongVerdict(event, new Set(verdicts));
}
