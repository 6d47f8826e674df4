import type { EventName } from "../../src/catalogue/events.ts";
import type { DecidingWarden } from "@hookwarden/mediator";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import { loadPackFromFiles } from "../../src/pack/load.ts";
import { FakeFault } from "../support/fake-sandbox.ts";
import { fakeWarden } from "../support/fake-warden.ts";

/** A warden that fails at one event, until it is disposed of. */
export interface Failing extends AsyncDisposable {
  readonly warden: DecidingWarden;
}

const nothing = (): Promise<void> => Promise.resolve();

/** What the hook does wrong, in real code in a real sandbox. */
type Wrong = "throws" | "hangs" | "lies";

/** One warden for all: what its hook does wrong, and where, stands in the session's name. */
let made: Promise<Warden> | undefined;

async function real(event: EventName, wrong: Wrong): Promise<Failing> {
  const warden = await (made ??= makeReal());
  return {
    warden: {
      get pack() {
        return warden.pack;
      },
      dispatch: (input, options) =>
        warden.dispatch({ ...(input as object), session_id: `${wrong} ${event}` }, options),
    },
    [Symbol.asyncDispose]: nothing,
  };
}

const hookCode = `export default (event) => {
  const [wrong, at] = event.session_id.split(" ");
  if (event.hook_event_name !== at) return;
  if (wrong === "throws") throw new Error("oops");
  if (wrong === "hangs") for (;;);
  return { action: "add_context", text: 7 };
};`;

async function makeReal(): Promise<Warden> {
  const on = ["UserPromptSubmit", "PreModelRequest", "PostModelResponse", "PreToolUse", "PostToolUse"];
  const manifest = {
    apiVersion: 1,
    name: "h",
    version: "1.0.0",
    entry: "hook.js",
    on: on.map((event) => ({ event })),
    reads: ["*"],
    actions: ["deny", "block"],
    limits: { steps: 100_000 },
  };
  const files: readonly (readonly [string, string])[] = [
    ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: ["h"] })],
    ["h/hook.json", JSON.stringify(manifest)],
    ["h/hook.js", hookCode],
  ];
  const pack = await loadPackFromFiles(new Map(files.map(([path, text]) => [path, Buffer.from(text)])));
  return createWarden({ pack, isolation: "inline" });
}

/** A warden like another one, that does something else at one event. */
async function bent(event: EventName, dispatch: (close: () => Promise<void>) => unknown): Promise<Failing> {
  const { warden } = await fakeWarden([{ name: "watcher", on: [event], run: () => null }]);
  const close = (): Promise<void> => warden[Symbol.asyncDispose]();
  return {
    warden: {
      get pack() {
        return warden.pack;
      },
      dispatch: async (input, options) => {
        if ((input as { hook_event_name?: unknown }).hook_event_name === event) {
          const answer = await dispatch(close);
          if (answer !== undefined) return answer as never;
        }
        return warden.dispatch(input, options);
      },
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Every way for a step to have no decision, or one that is no permission. */
export const faults: readonly { readonly name: string; make(event: EventName): Promise<Failing> }[] = [
  { name: "a hook that throws", make: (event) => real(event, "throws") },
  { name: "a hook that hangs", make: (event) => real(event, "hangs") },
  { name: "a hook that lies", make: (event) => real(event, "lies") },
  {
    name: "a sandbox that crashes",
    make: async (event) => {
      const { warden } = await fakeWarden([
        {
          name: "guard",
          on: [event],
          run: () => {
            throw new FakeFault("crashed");
          },
        },
      ]);
      return { warden, [Symbol.asyncDispose]: () => warden[Symbol.asyncDispose]() };
    },
  },
  { name: "a warden that was closed", make: (event) => bent(event, (close) => close()) },
  {
    name: "a dispatch that throws",
    make: (event) =>
      bent(event, () => {
        throw new TypeError("undefined is not a function");
      }),
  },
  { name: "a dispatch that never answers", make: (event) => bent(event, () => new Promise(() => undefined)) },
  { name: "a dispatch that answers nonsense", make: (event) => bent(event, () => ({ verdict: "sure" })) },
  {
    name: "a verdict that has no meaning there",
    make: (event) =>
      bent(event, () => ({
        verdict: "drop_chunk",
        hook_event_name: event,
        reason: null,
        feedback: null,
        decided_by: null,
        changes: {},
        additions: { augment: null, messages: [], context: [], notices: [] },
      })),
  },
];

/** No fault at all, to show that the others are one. */
export async function noFault(): Promise<Failing> {
  const { warden } = await fakeWarden([]);
  return { warden, [Symbol.asyncDispose]: nothing };
}
