// An engine without an engine: answers with its first argument.
export async function createSandbox() {
  return {
    engine: "quickjs",
    version: "echo",
    call: (call) => ({
      ok: true,
      output: call.args[0] ?? null,
      steps: 1,
      durationUs: 1,
      memoryBytes: 0,
      logs: [],
    }),
    inspect: async () => ({ ok: true, handlers: null }),
    forget() {},
    async [Symbol.asyncDispose]() {},
  };
}
