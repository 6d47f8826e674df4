import { describe, expect, test } from "vitest";
import { hook } from "../../../test/adapters/contract/adapter.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, guarded, modes } from "./agent.ts";

async function agent(
  mode: (typeof modes)[number],
  hooks: readonly FakeHook[],
  script: readonly Answer[],
  options: object = {},
  config: object = {},
): ReturnType<typeof guarded> {
  const { warden } = await fakeWarden(hooks);
  return guarded(mode, script, { warden, ...options }, config);
}

describe.each(modes)("a model in %s", (mode) => {
  test("set_params sets what it names, and leaves the other settings", async () => {
    const { model, error } = await agent(
      mode,
      [
        hook(["PreModelRequest"], (event) => ({
          action: "set_params",
          params: { ...event.params, temperature: 0.25 },
        })),
      ],
      ["done"],
      {},
      { modelSettings: { maxTokens: 9 } },
    );
    expect(error).toBeNull();
    expect(model.requests[0]?.modelSettings).toMatchObject({ temperature: 0.25, maxTokens: 9 });
  });
});
