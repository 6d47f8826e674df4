/**
 * Types of the guest's globals that no library of the compiler has without those of a browser. Published as
 * `hookwarden/globals`, which the `tsconfig.json` of a new pack names.
 */
export const guestGlobals = `declare const console: Record<"debug" | "error" | "info" | "log" | "warn", (...data: unknown[]) => void>;
declare function escape(text: string): string;
declare function unescape(text: string): string;
`;
