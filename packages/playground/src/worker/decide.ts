import type { Sandbox } from "@hookwarden/sandbox";
import { forbiddenEventKeys, JsonError, readJson } from "@hookwarden/sandbox/json";
import {
  decide,
  defaultMaxEventBytes,
  eventJsonLimits,
  readEvent,
  RetryCounters,
  makePlan,
  timeOfId,
} from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";
import { checkDispatch } from "hookwarden/warden";
import { completePack, readManifests, scriptPath, type LoadedHook, type LoadedPack } from "hookwarden/pack";
import { memorySource } from "hookwarden/files";
import { KeyedQueue, MemoryStateStore, type StateKey } from "hookwarden/state";
import type { Answer, Library, Problem, Step, Workspace } from "../protocol.ts";
import { Programs } from "./programs.ts";

/** Most events of one workspace. */
const maxEvents = 200;

/**
 * Decides the events of workspaces with the broker's own code. Ids are `case-1`, `case-2` and so on, as in the cases of
 * a pack, so that the same workspace always makes the same decisions.
 */
export class Decider {
  readonly #sandbox: Sandbox & { begin?(): Promise<void> };
  readonly #programs: Programs;

  constructor(sandbox: Sandbox & { begin?(): Promise<void> }, library: Library) {
    this.#sandbox = sandbox;
    this.#programs = new Programs(library);
  }

  /** Never rejects for what stands in a workspace: that is a problem in the answer. */
  async decide(workspace: Workspace): Promise<Answer> {
    let about: Problem["about"] = "pack";
    let ready = true;
    const steps: Step[] = [];
    try {
      await this.#sandbox.begin?.();
      const files = new Map(Object.entries(workspace.files));
      const source = memorySource(new Map([...files].map(([path, text]) => [path, encoder.encode(text)])));
      const { manifest, hooks } = await readManifests(source);
      const made = hooks.map((accepted) =>
        this.#programs.programFor(accepted.hook.name, scriptPath(accepted), files),
      );
      for (const key of this.#programs.keepOnly(made)) this.#sandbox.forget(key);
      ready = made.every((program) => program.ready);
      const pack = completePack(
        manifest,
        hooks,
        made.map(({ program }) => program),
      );

      // Loaded before the clock of a decision runs, as a host's first event has done on a server.
      for (const { program, limits } of pack.hooks)
        await this.#sandbox.inspect(program, limits, workspace.tenant);

      about = "events";
      const events = readEvents(workspace.events);
      const { tenant } = checkDispatch({ tenant: workspace.tenant });
      about = "state";
      const store = new MemoryStateStore();
      putState(store, pack, workspace.state, { tenant, session: sessionOf(events[0]) });
      about = "events";
      const parts = {
        sandbox: this.#sandbox,
        retries: new RetryCounters(),
        toolInputs: new Map(),
        store,
        queue: new KeyedQueue(),
      };
      const plan = makePlan(pack);
      for (const [index, input] of events.entries()) {
        const decisionId = `case-${index + 1}`;
        const { event, clock } = readEvent(input, defaultMaxEventBytes, timeOfId(decisionId));
        const request = { plan, event, clock, decisionId, tenant, record: false, keep: false };
        const { decision } = await decide(parts, request);
        steps.push({ decision, states: statesAfter(store, pack, { tenant, session: event.session_id }) });
      }
      return { steps, problem: null, ready };
    } catch (error) {
      return { steps, problem: problemOf(error, about), ready };
    }
  }
}

const encoder = new TextEncoder();

/** One event as JSON text, a list of them, or one a line. Texts are read by the broker, as strictly as ever. */
function readEvents(text: string): readonly (object | string)[] {
  const trimmed = text.trim();
  if (trimmed === "") throw new HookwardenError("event-not-json", "there is no event");
  if (trimmed.startsWith("[")) {
    const list = strictJson(text) as unknown[];
    if (list.length > maxEvents) throw tooMany();
    return list.map((event) => event as object);
  }
  if (looksLikeLines(trimmed)) {
    const lines = trimmed.split("\n").filter((line) => line.trim() !== "");
    if (lines.length > maxEvents) throw tooMany();
    return lines;
  }
  return [text];
}

function looksLikeLines(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => /^\s*\{.*\}\s*$/.test(line));
}

function tooMany(): HookwardenError {
  return new HookwardenError("event-invalid", `there are more than ${maxEvents} events`);
}

function strictJson(text: string): unknown {
  try {
    return readJson(text, {
      ...eventJsonLimits(8 * defaultMaxEventBytes),
      forbiddenKeys: forbiddenEventKeys,
    });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    throw new HookwardenError("event-not-json", `the text ${error.message}`, { line, column, pointer });
  }
}

function sessionOf(event: object | string | undefined): string {
  try {
    const read = typeof event === "string" ? (strictJson(event) as object) : event;
    return String((read as { session_id?: unknown } | undefined)?.session_id ?? "");
  } catch {
    return "";
  }
}

/** Puts the state that a workspace begins with: it belongs to the one hook that keeps some. */
function putState(store: MemoryStateStore, pack: LoadedPack, text: string, whose: Whose): void {
  if (text.trim() === "") return;
  const value = JSON.stringify(strictJson(text));
  if (value === "null") return;
  const keeping = pack.hooks.filter((hook) => hook.state !== null);
  const [hook] = keeping;
  if (!hook || keeping.length > 1) {
    throw new HookwardenError(
      "cases-invalid",
      hook ? "more than one hook keeps state: leave it empty" : "no hook declares a `state`: leave it empty",
    );
  }
  if (encoder.encode(value).length > (hook.state?.maxBytes ?? 0)) {
    const most = hook.state?.maxBytes ?? 0;
    throw new HookwardenError(
      "cases-invalid",
      `the state is larger than the ${most} bytes that the hook declares`,
    );
  }
  const key = keyOf(hook, whose);
  if (key) store.commit([{ key, value, expected: 0 }]);
}

function statesAfter(store: MemoryStateStore, pack: LoadedPack, whose: Whose): Step["states"] {
  const states = pack.hooks.flatMap((hook): [string, string | null][] => {
    const key = keyOf(hook, whose);
    return key ? [[hook.name, store.read(key)?.value ?? null]] : [];
  });
  return Object.fromEntries(states);
}

/** Whose state a session's hooks see. */
interface Whose {
  readonly tenant: string;
  readonly session: string;
}

function keyOf({ name: hook, state }: LoadedHook, { tenant, session }: Whose): StateKey | null {
  if (!state) return null;
  const { scope } = state;
  return { tenant, hook, scope, session: scope === "session" ? session : "" };
}

function problemOf(error: unknown, about: Problem["about"]): Problem {
  if (error instanceof HookwardenError) {
    const { code, message, place } = error;
    return { code, message, place, about };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, place: {}, about: "page" };
}
