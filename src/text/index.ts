export { neutralise, neutraliseVisible, noReadableReason, noReadableText } from "./sanitize.ts";
