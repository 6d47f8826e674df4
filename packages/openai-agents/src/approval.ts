import {
  beforeAsking,
  runTool,
  type ToolOutcome,
  type ToolRefused,
  type ToolRuns,
} from "@hookwarden/mediator";
import { CallDecisions, decide } from "./decisions.ts";
import type { GuardState } from "./state.ts";

/** The SDK's `needsApproval`: whether a person must approve a call. */
export type Approve = (runContext: never, action: never, callId?: string) => Promise<boolean>;

/** The action of a tool that acts on this machine. */
type Act = object;

/**
 * Has hooks decide where the SDK asks about approval, since the call's id is known there, and again where the tool acts
 * if they have not decided on that action.
 */
export class ActionGuard {
  readonly #decisions = new CallDecisions<Act>();
  readonly #state: GuardState;
  readonly #name: string;

  constructor(state: GuardState, name: string) {
    this.#state = state;
    this.#name = name;
  }

  approval(host: Approve | undefined): Approve {
    return async (runContext, action, callId) => {
      const { mediator } = this.#state;
      const call = { name: this.#name, input: action as unknown, id: callId };
      let before = await decide(mediator, call);
      let needed = false;
      if (before.kind !== "refused") {
        needed =
          before.kind === "ask" || (!before.allowed && (await host?.(runContext, action, callId)) === true);
        const asked = needed ? await beforeAsking(mediator, call) : null;
        if (asked?.kind === "refused") before = asked;
        needed = asked?.kind === "ask";
        // If it runs after this, a person approved it, or a hook did in their place.
        if (before.kind === "ask") before = { ...before, kind: "run" };
      }
      this.#decisions.keep(action as Act, before);
      return needed;
    };
  }

  /** @param approved whether a person approved exactly this action. */
  async run(action: Act, act: (input: unknown) => unknown, approved = false): Promise<ToolOutcome> {
    const name = this.#name;
    const before: ToolRuns | ToolRefused =
      this.#decisions.take(action) ?? (await decide(this.#state.mediator, { name, input: action }));
    return runTool({
      mediator: this.#state.mediator,
      call: { name, input: action },
      before,
      approved,
      run: act,
      keepMessages: (messages) => this.#state.pending.push(...messages),
    });
  }
}
