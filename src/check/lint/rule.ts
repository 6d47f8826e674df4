import type { AnyNode, Node } from "acorn";
import type { Flow } from "./flow.ts";
import type { Syntax } from "./syntax.ts";
import type { LintCode } from "./table.ts";

/** What a rule looks at. The flows are worked out when they are asked for. */
export interface Subject extends Syntax {
  /** Where the event's data goes. */
  readonly event: Flow;
  /** Where tenant, session, agent and time go. */
  readonly identity: Flow;
}

/** A place in the program that breaks a rule. */
export interface Report {
  readonly code: LintCode;
  readonly node: Node;
  readonly message: string;
}

/** Looks through a program for one kind of risk. */
export type Rule = (subject: Subject) => Iterable<Report>;

export function report(code: LintCode, node: AnyNode, message: string): Report {
  return { code, node, message };
}
