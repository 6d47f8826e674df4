import { expectTypeOf, test } from "vitest";
import {
  addContext,
  allow,
  ask,
  augment,
  block,
  deny,
  dropChunk,
  halt,
  type Hook,
  type HookAction,
  type HookContext,
  type HookEvent,
  type Hooks,
  inject,
  modifyInput,
  type ModelResponseChunk,
  notify,
  type PermissionRequest,
  type PostToolUse,
  type PostToolUseAction,
  type PreToolUse,
  type PreToolUseAction,
  type PreToolUseEvent,
  proceed,
  replaceResult,
  retry,
  type SessionEnd,
  setState,
  type Stop,
  type SubagentStart,
} from "../../src/hook/index.ts";

test("a handler returns what is legal at its event", () => {
  expectTypeOf((event: PreToolUseEvent) =>
    event.tool_name === "Bash" ? deny("no") : undefined,
  ).toExtend<PreToolUse>();
  expectTypeOf(() => [modifyInput({}), addContext("x"), notify("y")]).toExtend<PreToolUse>();
  expectTypeOf(async () => ask("sure?")).toExtend<PreToolUse>();
  expectTypeOf(() => allow()).toExtend<PreToolUse>();
  expectTypeOf(() => {}).toExtend<PreToolUse>();
  expectTypeOf(() => null).toExtend<PreToolUse>();
  expectTypeOf(() => proceed()).toExtend<SessionEnd>();
  expectTypeOf(() => setState({ calls: 1 })).toExtend<SessionEnd>();
  expectTypeOf(() => augment("x")).toExtend<PostToolUse>();
  expectTypeOf(() => retry("again")).toExtend<Stop>();
  expectTypeOf(() => dropChunk()).toExtend<ModelResponseChunk>();
});

test("a handler cannot return what is illegal at its event", () => {
  expectTypeOf(() => augment("x")).not.toExtend<PreToolUse>();
  expectTypeOf(async () => augment("x")).not.toExtend<PreToolUse>();
  expectTypeOf(() => [deny("no"), augment("x")]).not.toExtend<PreToolUse>();
  expectTypeOf(() => deny("no")).not.toExtend<PostToolUse>();
  expectTypeOf(() => replaceResult("x")).not.toExtend<PreToolUse>();
  expectTypeOf(() => block("no")).not.toExtend<PreToolUse>();
  expectTypeOf(() => modifyInput({})).not.toExtend<PermissionRequest>();
  expectTypeOf(() => halt("no")).not.toExtend<SessionEnd>();
  expectTypeOf(() => dropChunk()).not.toExtend<PostToolUse>();
  expectTypeOf(() => deny("no")).not.toExtend<SubagentStart>();
  expectTypeOf(() => "deny").not.toExtend<PreToolUse>();
  expectTypeOf(() => true).not.toExtend<PreToolUse>();

  // @ts-expect-error augment is legal only after a tool has run
  const augmented: PreToolUse = () => augment("x");
  // @ts-expect-error the same, written as an object
  const written: PreToolUse = () => ({ action: "augment", text: "x" });
  // @ts-expect-error the same, in an object of handlers
  const hooks: Hooks = { PreToolUse: () => augment("x") };
  // @ts-expect-error no such event
  const unknown: Hooks = { preToolUse: () => undefined };
  // @ts-expect-error a reason is required
  const silent: PreToolUse = () => ({ action: "deny" });
  void [augmented, written, hooks, unknown, silent];
});

test("helpers take what their action carries", () => {
  // @ts-expect-error a reason is a text
  deny(1);
  // @ts-expect-error a reason is required
  halt();
  // @ts-expect-error an input is an object
  modifyInput("ls");
  // @ts-expect-error role assistant cannot be injected
  inject([{ role: "assistant", content: "x" }]);
  // @ts-expect-error no such option
  inject([{ role: "user", content: "x" }], { durabel: true });
});

test("an event has its own fields", () => {
  const hook: PreToolUse = (event) => {
    expectTypeOf(event.hook_event_name).toEqualTypeOf<"PreToolUse">();
    expectTypeOf(event.tool_input).toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf(event.cwd).toEqualTypeOf<string | undefined>();
    // @ts-expect-error a prompt belongs to another event
    void event.prompt;
  };
  const subagent: SubagentStart = (event) => {
    expectTypeOf(event.agent_id).toEqualTypeOf<string>();
  };
  void [hook, subagent];
});

test("one function for all events distinguishes them by their name", () => {
  const hook: Hook = (event) => {
    if (event.hook_event_name === "UserPromptSubmit") {
      expectTypeOf(event.prompt).toEqualTypeOf<string>();
      return block("no");
    }
    return augment("x");
  };
  void hook;
  expectTypeOf<PreToolUseEvent>().toExtend<HookEvent>();
  expectTypeOf<PreToolUseAction | PostToolUseAction>().toExtend<HookAction>();
});

test("state and configuration are the author's own types", () => {
  interface Count {
    calls: number;
  }
  interface Config {
    most: number;
  }
  const counting: PreToolUse<Count, Config> = (_event, ctx) => {
    expectTypeOf(ctx).toEqualTypeOf<HookContext<Count, Config>>();
    expectTypeOf(ctx.state).toEqualTypeOf<Count | null>();
    const calls = (ctx.state?.calls ?? 0) + 1;
    return calls > ctx.config.most ? [deny("too many calls"), setState({ calls })] : setState({ calls });
  };
  const clearing: PreToolUse<Count> = () => setState(null);
  // @ts-expect-error another state than the hook has
  const wrong: PreToolUse<Count> = () => setState({ cals: 1 });
  void [counting, clearing, wrong];

  const plain: PreToolUse = (_event, ctx) => {
    expectTypeOf(ctx.state).toEqualTypeOf<unknown>();
    expectTypeOf(ctx.time).toEqualTypeOf<string>();
  };
  void plain;
});
