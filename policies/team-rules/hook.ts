import { addContext, type PreCompact, type SessionStart, type SubagentStart } from "hookwarden/hook";

interface Config {
  readonly rules?: readonly string[];
}

const PreCompact: PreCompact<unknown, Config | undefined> = (_event, ctx) =>
  withRules("Keep these rules of the team in the summary:", ctx.config);
const SessionStart: SessionStart<unknown, Config | undefined> = (_event, ctx) =>
  withRules("Rules of the team:", ctx.config);
const SubagentStart: SubagentStart<unknown, Config | undefined> = (_event, ctx) =>
  withRules("Rules of the team:", ctx.config);

export default { SessionStart, SubagentStart, PreCompact };

function withRules(title: string, config: Config | undefined) {
  const rules = config?.rules ?? [];
  return rules.length > 0 ? addContext([title, ...rules.map((rule) => `- ${rule}`)].join("\n")) : undefined;
}
