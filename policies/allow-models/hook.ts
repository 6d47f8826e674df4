import { block, type PreModelRequest } from "hookwarden/hook";
import { short } from "../lib/findings.ts";
import { globMatches } from "../lib/paths.ts";

interface Config {
  readonly models?: readonly string[];
  readonly except?: readonly string[];
}

const hook: PreModelRequest<unknown, Config | undefined> = (event, ctx) => {
  const { models = ["*"], except = [] } = ctx.config ?? {};
  const model = event.model.toLowerCase();
  const isOn = (list: readonly string[]): boolean =>
    list.some((pattern) => globMatches(pattern.toLowerCase(), model));
  if (isOn(models) && !isOn(except)) return undefined;
  return block(`the model ${short(event.model)} is not on the list of models that this team uses`);
};

export default hook;
