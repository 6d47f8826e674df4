import { expect, test } from "vitest";
import { KeyedQueue } from "../../src/state/keyed-queue.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a free key is had at once", () => {
  const queue = new KeyedQueue();
  expect(queue.acquire(["a"])).toBe(true);
  expect(queue.acquire(["b", "c"])).toBe(true);
});

test("a held key goes to those who wait, in their order", async () => {
  const queue = new KeyedQueue();
  queue.acquire(["a"]);
  const order: number[] = [];
  for (const index of [1, 2, 3]) {
    void (queue.acquire(["a"]) as Promise<boolean>).then(() => order.push(index));
  }
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    queue.release(["a"]);
    await turn();
    expect(order).toEqual(expected);
  }
  queue.release(["a"]);
  expect(queue.acquire(["a"])).toBe(true);
});

test("several keys are taken without two ever waiting for each other", async () => {
  const queue = new KeyedQueue();
  let done = 0;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const keys = index % 2 ? ["a", "b", "c"] : ["c", "a", "b", "a"];
      await queue.acquire(keys);
      await turn();
      queue.release(keys);
      done++;
    }),
  );
  expect(done).toBe(50);
  expect(queue.acquire(["a", "b", "c"])).toBe(true);
});

test("too many waiting is said, and leaves nothing taken", async () => {
  const queue = new KeyedQueue(1);
  queue.acquire(["b"]);
  void queue.acquire(["b"]);
  expect(await queue.acquire(["a", "b"])).toBe(false);
  expect(queue.acquire(["a"])).toBe(true);
});
