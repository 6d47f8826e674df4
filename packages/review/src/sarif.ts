import { reviewTable, type Severity } from "./codes.ts";
import type { ReviewFinding, ReviewReport } from "./report.ts";

const levels: { readonly [S in Severity]: "error" | "warning" | "note" } = {
  high: "error",
  medium: "warning",
  low: "note",
  info: "note",
};
/** Where rules are explained, from the root of a repository's documentation. */
const help = "https://github.com/hookwarden/hookwarden/blob/main/docs/review-codes.md";

/**
 * A report as SARIF 2.1.0, for code scanning. Places are paths in the pack's own files; findings without one are about the
 * manifest. Accepted findings are suppressed, with the reviewer's reason.
 */
export function reviewSarif({ findings, tool }: ReviewReport): object {
  const [name = "hookwarden", version = "0"] = tool.split(" ");
  const used = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name,
            version,
            informationUri: help,
            rules: used.map((id) => ({
              id,
              shortDescription: { text: sentence(reviewTable[id].means) },
              fullDescription: { text: `${sentence(reviewTable[id].means)} ${reviewTable[id].advice}` },
              helpUri: `${help}#${id}`,
              defaultConfiguration: { level: levels[reviewTable[id].severity] },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, used.indexOf(finding.code))),
      },
    ],
  };
}

function resultOf(
  { code, severity, hook, message, place, fingerprint, accepted }: ReviewFinding,
  ruleIndex: number,
): object {
  const own = place?.module?.startsWith("pack:") ? place.module.slice("pack:".length) : null;
  const uri = own ?? (hook === null ? "hookwarden.json" : `${hook}/hook.json`);
  const line = own === null ? 1 : (place?.moduleLine ?? 1);
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: `${hook === null ? "" : `${hook}: `}${message}` },
    partialFingerprints: { "hookwarden/v1": fingerprint },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(uri), uriBaseId: "%SRCROOT%" },
          region: { startLine: line },
        },
      },
    ],
    ...(accepted === null
      ? {}
      : { suppressions: [{ kind: "external", status: "accepted", justification: accepted.reason }] }),
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
