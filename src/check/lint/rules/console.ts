import { quote } from "@hookwarden/sandbox/json";
import { excerpt, globalMember } from "../nodes.ts";
import { report, type Rule } from "../rule.ts";
import { nodesOf } from "../syntax.ts";

/** Data of the event on the console. */
export const consoleEvent: Rule = function* (subject) {
  for (const node of nodesOf(subject, "CallExpression")) {
    if (globalMember(subject, node.callee)?.[0] !== "console") continue;
    if (!node.arguments.some((argument) => subject.event.has(argument))) continue;
    yield report("console-event", node, `${quote(excerpt(subject, node))} writes data of the event`);
  }
};
