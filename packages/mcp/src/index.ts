/** A transparent proxy for the Model Context Protocol, in which hooks decide what tools may do and what models see. */
export type { Approval, ApprovalRequest } from "./approval-request.ts";
export type { ListenOptions } from "./http-listener.ts";
export type { ServerUrl } from "./http-server.ts";
export { createMcpProxy, defaultMaxMessageBytes, type McpProxy, type McpProxyOptions } from "./proxy.ts";
export type { ServerCommand, ServerExit } from "./server-process.ts";
export type { SessionEnd } from "./session.ts";
