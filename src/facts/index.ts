/** Facts: values that trusted code derives from an event. */
export {
  type CostClass,
  type Fact,
  type FactRow,
  type FactType,
  type NotKnown,
  type UnknownReason,
  unknownReasons,
} from "./fact.ts";
export { hostFactOf, type HostFactRecord, hostFactsField, hostPrefix, isHostFactName } from "./host-fact.ts";
export { type LinkResolver, linksName, resolveLinks } from "./links.ts";
export { type FactDeriver, FactSet, type FactValues } from "./fact-set.ts";
export {
  type Condition,
  conditionLimits,
  conditionProblem,
  type ConditionTest,
  conditionText,
  factsOfCondition,
  operators as conditionOperators,
} from "./routing/condition.ts";
export { deriveInThread, startFactThreadSoon } from "./fact-thread.ts";
export { lightLimits } from "./weight.ts";
export { type Route, type RouteMemory, Router } from "./routing/router.ts";
export { compileMatcher, type Matcher, matcherLimits } from "./matcher.ts";
export { factDifferences, factProblem, factsRead, factVersions, type FactVersions } from "./pins.ts";
export type { HostsFact, HostUse } from "./hosts/row.ts";
export type { PathsFact, PathUse } from "./paths/row.ts";
export type { ShellCommand, ShellFact, ShellWord, ShellWordPart } from "./shell/row.ts";
export type { PlainText, TextEdit, TextFact, TextSource } from "./text/row.ts";
export { type FactName, factNames, factRows, facts, factsOf, majorOf } from "./table.ts";
export {
  clientTools,
  comparableToolName,
  kindOfTool,
  roleOfInputField,
  toolInputFields,
  type ToolInputRole,
  type ToolKind,
  toolKinds,
} from "./tool/clients.ts";
export type { ToolFact } from "./tool/row.ts";
