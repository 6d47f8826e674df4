import { quote } from "@hookwarden/sandbox/json";

/**
 * Names that differ only in case. Readers such as Go's `encoding/json` and .NET's web defaults match the members of an
 * object without regard to case, and the last one wins. For them `Method` is `method`, and a message that has both says
 * something else than what hooks have judged. So the names of the protocol have one spelling, and the input of a tool
 * has no two keys that are one for such a reader.
 */

/** Members of the messages of JSON-RPC. */
export const envelopeMembers: ReadonlySet<string> = new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
]);

/** The members that the protocol names anywhere in parameters, results and errors. */
export const protocolMembers: ReadonlySet<string> = new Set(
  (
    "_meta action annotations argument arguments audience blob call cancel capabilities clientInfo code " +
    "completion completions content contents context costPriority create createMessage createdAt cursor data " +
    "description destructiveHint elicitation elicitationId elicitations error execution experimental extensions " +
    "form hasMore hints icons id idempotentHint includeContext input inputSchema instructions " +
    "intelligencePriority isError jsonrpc lastModified lastUpdatedAt level list listChanged logger logging " +
    "maxTokens message messages metadata method mimeType mode model modelPreferences name nextCursor " +
    "openWorldHint outputSchema params pollInterval priority progress progressToken prompts protocolVersion " +
    "readOnlyHint reason ref requestId requestedSchema requests required resource resourceTemplates resources " +
    "result role roots sampling serverInfo size sizes speedPriority src status statusMessage stopReason " +
    "stopSequences structuredContent subscribe systemPrompt task taskId taskSupport tasks temperature text theme " +
    "title toolChoice toolUseId tools total ttl type uri uriTemplate url value values version websiteUrl"
  ).split(" "),
);

/** Members whose content is not the protocol's, but a tool's, a server's or a schema's. */
const freeMembers: ReadonlySet<string> = new Set([
  "arguments",
  "data",
  "experimental",
  "extensions",
  "input",
  "inputSchema",
  "metadata",
  "outputSchema",
  "requestedSchema",
  "structuredContent",
]);

/**
 * A text without its case: equal for two texts that any reader takes for one, among them Go's simple folding (U+017F is
 * an `s`, U+212A a `k`) and full upper and lower case.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

const foldedEnvelope = foldedNames(envelopeMembers);
const foldedProtocol = foldedNames(protocolMembers);

function foldedNames(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...names].map((name) => [foldCase(name), name]));
}

/** Why a message is refused that has a member of JSON-RPC in another case; `null` where it has none. */
export function envelopeProblem(message: object): string | null {
  for (const key of Object.keys(message)) {
    if (envelopeMembers.has(key)) continue;
    const meant = foldedEnvelope.get(foldCase(key));
    if (meant !== undefined) return differs(key, meant);
  }
  return null;
}

/**
 * Why parameters, a result or an error are refused: a name of the protocol in another case, at any level that is the
 * protocol's.
 *
 * @param free members that are not looked into, beside those that never are.
 * @returns `null` where there is none.
 */
export function memberProblem(value: unknown, free?: string): string | null {
  if (Array.isArray(value)) {
    for (const one of value) {
      const problem = memberProblem(one, free);
      if (problem !== null) return problem;
    }
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const key of Object.keys(value)) {
    const known = protocolMembers.has(key);
    const meant = known ? undefined : foldedProtocol.get(foldCase(key));
    if (meant !== undefined) return differs(key, meant);
    const inner = (value as { readonly [key: string]: unknown })[key];
    if (typeof inner !== "object" || inner === null || freeMembers.has(key) || key === free) continue;
    // The keys of `_meta` are names of the protocol; what is behind them may be anybody's.
    const problem = key === "_meta" ? metaProblem(inner) : memberProblem(inner, free);
    if (problem !== null) return problem;
  }
  return null;
}

function metaProblem(meta: object): string | null {
  for (const key of Object.keys(meta)) {
    if (key !== "progressToken" && foldCase(key) === "PROGRESSTOKEN") return differs(key, "progressToken");
  }
  return null;
}

/** Two keys of one object, at any level, that differ only in case; `null` where there are none. */
export function twinKeys(value: unknown): readonly [string, string] | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value)) {
    const keys = Object.keys(value);
    if (keys.length > 1) {
      const seen = new Map<string, string>();
      for (const key of keys) {
        const folded = foldCase(key);
        const other = seen.get(folded);
        if (other !== undefined) return [other, key];
        seen.set(folded, key);
      }
    }
  }
  for (const inner of Object.values(value)) {
    const twins = twinKeys(inner);
    if (twins !== null) return twins;
  }
  return null;
}

function differs(key: string, meant: string): string {
  return `the member ${quote(key)} differs from ${quote(meant)} only in case`;
}
