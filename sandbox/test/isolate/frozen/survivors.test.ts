/**
 * The survey of survivors: everything that two programs in one realm can both reach is frozen and has no state that a
 * method could change. It walks the graph of objects instead of a list of names, so that an intrinsic of a new V8 that
 * is not frozen fails it.
 */
import { expect, it } from "vitest";
import { createIsolateSandbox } from "../../../src/isolate/index.ts";
import { harnessOf } from "../../../../test/support/contract/harness.ts";
import { reachableSource } from "./reachable.ts";

/** Ways to read the hidden state of an object; each throws where the object has none of its kind. */
const hidden = `{
  map: (o) => Map.prototype.has.call(o, 1), set: (o) => Set.prototype.has.call(o, 1), weakMap: (o) => WeakMap.prototype.has.call(o, o), weakSet: (o) => WeakSet.prototype.has.call(o, o),
  date: (o) => Date.prototype.getTime.call(o), buffer: (o) => ArrayBuffer.prototype.slice.call(o), view: (o) => DataView.prototype.getInt8.call(o, 0),
  typedArray: (o) => { if (Reflect.apply(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get, o, []) === undefined) throw 0; },
  regexp: (o) => { if (o === RegExp.prototype) throw 0; Reflect.apply(Object.getOwnPropertyDescriptor(RegExp.prototype, "global").get, o, []); },
  promise: (o) => Promise.prototype.then.call(o, () => 0, () => 0), error: (o) => { if (!Error.isError(o)) throw 0; },
  generator: (o) => (function* () {})().next.call(o), arrayIterator: (o) => [].values().next.call(o), mapIterator: (o) => new Map().values().next.call(o),
  setIterator: (o) => new Set().values().next.call(o), stringIterator: (o) => ""[Symbol.iterator]().next.call(o), matches: (o) => "".matchAll(/x/g).next.call(o),
}`;

const source = `${reachableSource}
  const hidden = ${hidden};
  export default () => {
    // What is the same object in two walks was not made by either of them.
    const first = reachable(), second = reachable();
    let shared = 0;
    const unfrozen = [], stateful = [];
    for (const [object, path] of first) {
      if (!second.has(object)) continue;
      shared++;
      if (!Object.isFrozen(object)) unfrozen.push(path);
      for (const kind of Object.keys(hidden)) { let has = true; try { hidden[kind](object); } catch { has = false; } if (has) stateful.push(path + " " + kind); }
    }
    return { all: first.size, shared, unfrozen, stateful };
  };`;

it("finds nothing that programs share and that could hold something", async () => {
  await using sandbox = await createIsolateSandbox();
  const { value } = harnessOf(sandbox);
  const survey = (await value(source, { limits: { memoryKb: 65_536, wallMs: 10_000 } })) as {
    readonly all: number;
    readonly shared: number;
    readonly unfrozen: readonly string[];
    readonly stateful: readonly string[];
  };
  expect(survey.shared).toBeGreaterThan(800);
  expect(survey.all).toBeGreaterThan(survey.shared);
  // The one object that is the call's own and is found twice.
  expect(survey.unfrozen).toEqual(["globalThis"]);
  expect(survey.stateful).toEqual([]);
});

it("finds plenty in a realm that is not frozen", async () => {
  await using sandbox = await createIsolateSandbox({ realm: "fresh" });
  const { value } = harnessOf(sandbox);
  const survey = (await value(source.replaceAll("Object.getPrototypeOf(globalThis)", "globalThis"), {
    limits: { memoryKb: 65_536, wallMs: 10_000 },
  })) as { readonly unfrozen: readonly string[] };
  expect(survey.unfrozen.length).toBeGreaterThan(500);
});
