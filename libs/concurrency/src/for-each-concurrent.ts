/**
 * Runs `work` for all items in their order, at most `concurrency` at a time. After the first failure, with which it
 * rejects, it starts no further item.
 */
export async function forEachConcurrent<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = oneByOne(items);
  const runSlot = async () => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runSlot));
}

/** Unlike an array's own iterator, it ends for all its readers when one of them leaves its loop. */
function* oneByOne<Item>(items: readonly Item[]): Generator<Item> {
  yield* items;
}
