import {
  runTool,
  type ToolOutcome,
  beforeAsking,
  type ToolRefused,
  type ToolRuns,
} from "@hookwarden/mediator";
import { decide, type GuardSession, Tickets } from "./session.ts";

/** How the package asks whether a call needs a person. */
export type Approve = (runContext: never, action: never, callId?: string) => Promise<boolean>;

/** What a tool that acts on this machine is asked to do. */
type Act = object;

/**
 * Asks hooks in the place where the package asks about approval, which knows the call's id, and again where the tool
 * acts, if it was not asked about that very action.
 */
export class Gate {
  private readonly tickets = new Tickets<Act>();
  private readonly session: GuardSession;
  private readonly name: string;

  constructor(session: GuardSession, name: string) {
    this.session = session;
    this.name = name;
  }

  approval(host: Approve | undefined): Approve {
    return async (runContext, action, callId) => {
      const { mediator } = this.session;
      const call = { name: this.name, input: action as unknown, id: callId };
      let before = await decide(mediator, call);
      let needed = false;
      if (before.kind !== "refused") {
        needed =
          before.kind === "ask" || (!before.allowed && (await host?.(runContext, action, callId)) === true);
        const asked = needed ? await beforeAsking(mediator, call) : null;
        if (asked?.kind === "refused") before = asked;
        needed = asked?.kind === "ask";
        // Whoever runs it then has been told yes: by a person, or by a hook in their place.
        if (before.kind === "ask") before = { ...before, kind: "run" };
      }
      this.tickets.keep(action as Act, before);
      return needed;
    };
  }

  /** @param approved a person has said yes to this very action. */
  async run(action: Act, act: (input: unknown) => unknown, approved = false): Promise<ToolOutcome> {
    const { session, name } = this;
    const before: ToolRuns | ToolRefused =
      this.tickets.take(action) ?? (await decide(session.mediator, { name, input: action }));
    return runTool({
      mediator: session.mediator,
      call: { name, input: action },
      before,
      approved,
      run: act,
      keepMessages: (messages) => session.pending.push(...messages),
    });
  }
}

/** What is said in place of a result. */
export function textOf(outcome: Exclude<ToolOutcome, { kind: "result" }>): string {
  if (outcome.kind === "ask")
    return outcome.reason ?? "hookwarden: a person must approve this tool call first.";
  return outcome.text;
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
