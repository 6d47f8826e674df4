import { v8StackKb } from "../v8-stack.ts";

/**
 * Every function of the engine that runs has a frame on V8's stack, and most have another one on the engine's own stack
 * in linear memory, which is the one that `stackKb` limits. V8's overflow cannot be caught by the guest, and comes
 * earlier or later with the compiler that made the code. So V8's stack must always be the larger one by as much as its
 * frames can be larger: the most that was measured (`npm run measure:stack`) is 24 times while a module is parsed, and
 * 13 times in what a call can do.
 */
const v8PerGuest = { load: 28, run: 15 } as const;

/** V8's stack, in KiB, that is large enough for any guest to reach its limit of `stackKb` first. */
export function v8StackFor(stackKb: number): number {
  return stackKb * v8PerGuest.load;
}

/**
 * The guest's stack in bytes, while a module is loaded and while it is called: what `stackKb` says, or less where this
 * process has too little stack, as where the engine runs in the host's own process.
 */
export function guestStackBytes(stackKb: number): { readonly load: number; readonly run: number } {
  const available = v8StackKb();
  const bytes = (ratio: number): number => Math.min(stackKb, Math.floor(available / ratio)) * 1_024;
  return { load: bytes(v8PerGuest.load), run: bytes(v8PerGuest.run) };
}
