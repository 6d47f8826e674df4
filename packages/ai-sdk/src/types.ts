import type { LanguageModel, ToolSet, wrapLanguageModel } from "ai";

/** The interface of a provider's model in version 7 of `ai`. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ProviderModel["doGenerate"]>[0];
export type GenerateResult = Awaited<ReturnType<ProviderModel["doGenerate"]>>;
export type StreamResult = Awaited<ReturnType<ProviderModel["doStream"]>>;
export type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
export type Content = GenerateResult["content"][number];
export type Prompt = CallOptions["prompt"];
export type PromptMessage = Prompt[number];
export type Usage = GenerateResult["usage"];

/** A model that can be wrapped: any but a name, which the AI SDK looks up itself. */
export type ModelObject = Exclude<LanguageModel, string>;
/** A tool in a tool set. */
export type AnyTool = ToolSet[string];
