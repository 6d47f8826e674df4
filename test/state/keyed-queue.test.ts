import { expect, test } from "vitest";
import { KeyedQueue } from "../../src/state/keyed-queue.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a free key is had at once", () => {
  const queue = new KeyedQueue();
  expect(queue.take(["a"])).toBe(true);
  expect(queue.take(["b", "c"])).toBe(true);
});

test("a held key goes to those who wait, in their order", async () => {
  const queue = new KeyedQueue();
  queue.take(["a"]);
  const order: number[] = [];
  for (const index of [1, 2, 3]) {
    void (queue.take(["a"]) as Promise<boolean>).then(() => order.push(index));
  }
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    queue.give(["a"]);
    await turn();
    expect(order).toEqual(expected);
  }
  queue.give(["a"]);
  expect(queue.take(["a"])).toBe(true);
});

test("several keys are taken without two ever waiting for each other", async () => {
  const queue = new KeyedQueue();
  let done = 0;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const keys = index % 2 ? ["a", "b", "c"] : ["c", "a", "b", "a"];
      await queue.take(keys);
      await turn();
      queue.give(keys);
      done++;
    }),
  );
  expect(done).toBe(50);
  expect(queue.take(["a", "b", "c"])).toBe(true);
});

test("too many waiting is said, and leaves nothing taken", async () => {
  const queue = new KeyedQueue(1);
  queue.take(["b"]);
  void queue.take(["b"]);
  expect(await queue.take(["a", "b"])).toBe(false);
  expect(queue.take(["a"])).toBe(true);
});
