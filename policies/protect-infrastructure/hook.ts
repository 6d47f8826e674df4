import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, short, tooLarge } from "../lib/findings.ts";
import { lossesByProgram, lossOf } from "../lib/losses.ts";
import { type Invocation, invocationsOf } from "../lib/commands.ts";
import { losses, sqlPrograms } from "./commands.ts";
import { sqlFindings } from "./sql.ts";

interface Config {
  readonly destroy?: Finding["verdict"];
}

const lossRows = lossesByProgram(losses);

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const input = event.tool_input ?? {};
  const found: Finding[] = [];
  const { tool, shell } = event.facts;
  const isSearch = tool.ok && /^(?:search|fetch|read)$/.test(tool.kind);
  for (const query of isSearch
    ? []
    : [input["sql"], input["query"], input["statement"], input["statements"]].flat()) {
    if (typeof query === "string") found.push(...inQuery(query));
  }
  found.push(...tooLarge(shell));
  for (const invocation of invocationsOf(shell)) found.push(...inCommand(invocation));
  const destroy = ctx.config?.destroy ?? "deny";
  return decide(
    found.map((finding) => (finding.verdict === "deny" ? { ...finding, verdict: destroy } : finding)),
  );
};

export default hook;

function inQuery(query: string): readonly Finding[] {
  return sqlFindings(query).map(({ verdict, what }) => ({ verdict, reason: `${short(query)} ${what}` }));
}

function inCommand(invocation: Invocation): readonly Finding[] {
  const { name, args, input } = invocation;
  const loss = lossOf(invocation, lossRows);
  if (loss !== undefined) return [loss];
  if (!sqlPrograms.has(name)) return [];
  // `-cDROP …` and `--command=DROP …` carry a statement too.
  const texts = args.map((arg) => arg.replace(/^(?:--[a-z-]{1,20}=|-[A-Za-z](?=[A-Za-z]{3}))/, ""));
  return [...texts, input?.text ?? ""].flatMap(inQuery);
}
