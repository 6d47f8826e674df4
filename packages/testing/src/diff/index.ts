/** How two versions of a pack behave differently, over recorded events and over events near them. */
export { type AcceptedFile, acceptedFile, readAccepted } from "./accepted.ts";
export type { ChangeKind } from "./behaviour.ts";
export { diffPacks, type DiffOptions, type PackDiff } from "./diff.ts";
export { type DiffEvent, diffEvent, type Origin } from "./event.ts";
export type { Group } from "./group.ts";
export { diffHtml } from "./html.ts";
export type { Loosening } from "./loosening.ts";
export type { PowerChange } from "./powers.ts";
export { isLoosened } from "./loosening.ts";
