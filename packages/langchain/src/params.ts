import { onlyParams } from "@hookwarden/mediator";

/** Parameters of a request that hooks may see and set. */
const settableParams = [
  "temperature",
  "topP",
  "topK",
  "maxTokens",
  "maxOutputTokens",
  "stop",
  "seed",
] as const;

/** The name by which hooks know a model. */
export function nameOf(model: unknown): string {
  const {
    model: name,
    modelName,
    getName,
  } = model as { model?: unknown; modelName?: unknown; getName?: () => string };
  for (const one of [name, modelName]) if (typeof one === "string" && one !== "") return one;
  return getName?.call(model) ?? "unknown";
}

/** The parameters of a request that hooks are shown. */
export function shownParams(settings: { readonly [name: string]: unknown }): { [name: string]: unknown } {
  return Object.fromEntries(
    settableParams.flatMap((name) => (name in settings ? [[name, settings[name]]] : [])),
  );
}

/** A request's settings with the parameters that hooks set. */
export function withParams(settings: object, set: { readonly [name: string]: unknown }): object {
  const next: Record<string, unknown> = { ...settings };
  for (const name of settableParams) delete next[name];
  return { ...next, ...onlyParams(set, settableParams) };
}
