declare const console: Record<"debug" | "error" | "info" | "log" | "warn", (...data: unknown[]) => void>;
declare function escape(text: string): string;
declare function unescape(text: string): string;
