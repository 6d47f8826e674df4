/** Mutating events: their texts and numbers, changed copies, and words that scripts and matchers react to. */
export { fieldsOfFacts, leavesOf, valueAt, withValue } from "./event-leaves.ts";
export { matcherNames } from "./matcher-names.ts";
export { wordsOf } from "./regex-words.ts";
