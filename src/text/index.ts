export { noReadableReason, noReadableText, sanitizeText, sanitizeVisibleText } from "./sanitize-text.ts";
