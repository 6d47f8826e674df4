import type { LanguageModel, ToolSet, wrapLanguageModel } from "ai";

/** The interface of a provider's model, as version 7 of the package has it. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ProviderModel["doGenerate"]>[0];
export type GenerateResult = Awaited<ReturnType<ProviderModel["doGenerate"]>>;
export type StreamResult = Awaited<ReturnType<ProviderModel["doStream"]>>;
export type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
export type Content = GenerateResult["content"][number];
export type Prompt = CallOptions["prompt"];
export type PromptMessage = Prompt[number];
export type Usage = GenerateResult["usage"];

/** A model that can be wrapped: any but a name, which the package looks up by itself. */
export type ModelObject = Exclude<LanguageModel, string>;
/** A tool as it stands in a set of tools. */
export type AnyTool = ToolSet[string];
