/** A stand-in for the models of agent clients, for proving hooks without a network or credentials. */
export type { Conversation, Json, OfferedTool, Script, ToolCall, Turn } from "./conversation.ts";
export { type ModelServer, startModelServer } from "./server.ts";
