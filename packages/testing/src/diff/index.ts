/** How two versions of a pack behave differently, over recorded events and over events near them. */
export { type AcceptedFile, acceptedFile, readAccepted } from "./accepted.ts";
export type { ChangeKind } from "./behaviour.ts";
export { diffPacks, type DiffOptions, type PackDiff } from "./diff.ts";
export { type DiffEvent, diffEvent, type Origin } from "./event.ts";
export type { Group } from "./group.ts";
export { diffHtml } from "./html.ts";
export type { Opening } from "./opening.ts";
export type { PowerChange } from "./powers.ts";
export { leavesOf, withValue } from "./explore/leaves.ts";
export { matcherNames } from "./explore/neighbours.ts";
export { wordsOf } from "./explore/regex-words.ts";
export { isOpened } from "./opening.ts";
