/**
 * Works on items concurrently and yields the results in the order of the items. Items with the same key are worked on
 * one after another. A result is yielded as soon as it and all before it are there, also while the source is silent.
 *
 * @param most how many items may be under way or waiting to be yielded.
 */
export async function* inOrder<Item, Result>(
  source: AsyncIterable<Item>,
  keyOf: (item: Item) => string,
  work: (item: Item) => Promise<Result>,
  most: number,
): AsyncGenerator<Result> {
  const lasts = new Map<string, Promise<unknown>>();
  const results: Promise<Result>[] = [];
  const start = (item: Item): void => {
    const key = keyOf(item);
    const before = lasts.get(key);
    const result = before ? before.then(() => work(item)) : work(item);
    // The consumer of the result gets the failure; the work queued behind it goes on.
    const last = result
      .catch(() => undefined)
      .then(() => {
        if (lasts.get(key) === last) lasts.delete(key);
      });
    lasts.set(key, last);
    results.push(result);
  };
  const items = source[Symbol.asyncIterator]();
  try {
    let next: Promise<IteratorResult<Item>> | null = items.next();
    while (next || results.length > 0) {
      const first = results[0];
      const ready: Event<Item, Result> = await Promise.race([
        ...(first ? [first.then((result) => ({ result }))] : []),
        ...(next && results.length < most ? [next.then((read) => ({ read }))] : []),
      ]);
      if ("result" in ready) {
        results.shift();
        yield ready.result;
      } else if (ready.read.done) {
        next = null;
      } else {
        start(ready.read.value);
        next = items.next();
      }
    }
  } finally {
    // These have no consumer any more.
    for (const result of results) result.catch(() => undefined);
    await items.return?.();
  }
}

type Event<Item, Result> = { readonly result: Result } | { readonly read: IteratorResult<Item> };
