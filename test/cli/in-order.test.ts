import { describe, expect, it } from "vitest";
import { inOrder } from "../../src/cli/in-order.ts";

interface Job {
  readonly key: string;
  readonly id: number;
}

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe("work in order", () => {
  it("yields in the order of the items, whichever ends first", async () => {
    const jobs = Array.from({ length: 200 }, (_, id) => ({ id, key: String(id) }));
    const work = async ({ id }: Job): Promise<number> => {
      for (let wait = (id * 7) % 11; wait > 0; wait--) await turn();
      return id;
    };
    expect(await all(inOrder(from(jobs), ({ key }) => key, work, 8))).toEqual(jobs.map(({ id }) => id));
  });

  it("does not begin an item before the one with the same key has ended", async () => {
    const busy = new Set<string>();
    let overlaps = 0;
    const work = async ({ key, id }: Job): Promise<void> => {
      if (busy.has(key)) overlaps++;
      busy.add(key);
      for (let wait = id % 5; wait >= 0; wait--) await turn();
      busy.delete(key);
    };
    const jobs = Array.from({ length: 100 }, (_, id) => ({ id, key: String(id % 3) }));
    await all(inOrder(from(jobs), ({ key }) => key, work, 16));
    expect(overlaps).toBe(0);
  });

  it("holds no more than it may, and more than one", async () => {
    let now = 0;
    let most = 0;
    const work = async ({ id }: Job): Promise<number> => {
      most = Math.max(most, ++now);
      for (let wait = id % 7; wait >= 0; wait--) await turn();
      now--;
      return id;
    };
    const jobs = Array.from({ length: 100 }, (_, id) => ({ id, key: String(id) }));
    await all(inOrder(from(jobs), ({ key }) => key, work, 4));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  it("passes a failure on in its turn, and ends the source", async () => {
    let ended = false;
    async function* source(): AsyncGenerator<Job> {
      try {
        for (let id = 0; ; id++) yield { id, key: "" };
      } finally {
        ended = true;
      }
    }
    const work = async ({ id }: Job): Promise<number> => {
      if (id === 3) throw new Error("third");
      return id;
    };
    const found: number[] = [];
    const run = async (): Promise<void> => {
      for await (const id of inOrder(source(), ({ key }) => key, work, 4)) found.push(id);
    };
    await expect(run()).rejects.toThrow("third");
    expect(found).toEqual([0, 1, 2]);
    expect(ended).toBe(true);
  });
});
