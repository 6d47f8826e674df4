import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { createWarden, type Warden } from "hookwarden/warden";

/** What a hook may read for its answer to depend on the tool's name alone. */
const nameOnly: ReadonlySet<string> = new Set(["tool_name", "hook_event_name"]);
const refusals: ReadonlySet<string> = new Set(["deny", "skip", "halt"]);

/**
 * Finds the tools that would be refused whatever their input is. That can be known of hooks that read nothing of a call but
 * the tool's name, and keep no state: they are asked about the name, and what they refuse now they refuse at each call.
 * Other hooks are not asked, because what they say of one input says nothing of the next.
 */
export class ToolFilter {
  readonly #warden: Warden;
  #asked: LoadedPack | null = null;
  #judge: Promise<Warden | null> = Promise.resolve(null);

  constructor(warden: Warden) {
    this.#warden = warden;
  }

  /**
   * Whether no call of a tool would pass.
   *
   * @param name as hooks see it.
   * @param askable whether a hook's `ask` could be answered; where it cannot, it is a refusal.
   */
  async refuses(
    name: string,
    askable: boolean,
    session: { sessionId: string; tenant: string },
  ): Promise<boolean> {
    const judge = await this.#current();
    if (!judge) return false;
    const event = {
      hook_event_name: "PreToolUse",
      session_id: session.sessionId,
      tool_name: name,
      tool_input: {},
    };
    const { verdict, decided_by, trace } = await judge.dispatch(event, { tenant: session.tenant });
    // A fault may not happen again at the next call.
    if (trace.some(({ hook, outcome }) => hook === decided_by && outcome === "faulted")) return false;
    return refusals.has(verdict) || (verdict === "ask" && !askable);
  }

  /** A warden of those hooks alone, in the same sandbox: it writes no log, and has no state to change. */
  #current(): Promise<Warden | null> {
    const { pack, sandbox } = this.#warden;
    if (pack === this.#asked) return this.#judge;
    this.#asked = pack;
    const hooks = pack.hooks.filter(knowsByName);
    this.#judge =
      hooks.length === 0 ? Promise.resolve(null) : createWarden({ pack: { ...pack, hooks }, sandbox });
    return this.#judge;
  }
}

function knowsByName({ on, reads, state, mode, granted }: LoadedHook): boolean {
  return (
    mode === "sequential" &&
    state === null &&
    on.some(({ event }) => event === "PreToolUse") &&
    reads.every((path) => nameOnly.has(path)) &&
    [...refusals, "ask"].some((action) => granted.has(action as "deny"))
  );
}
