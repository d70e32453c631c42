/**
 * Runs `work` for all items in their order, at most `concurrency` at a time. After a failure it starts no further item,
 * and rejects with it once no work is running any more.
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
  const slots = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, runSlot));
  const failed = slots.find((slot) => slot.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Unlike an array's own iterator, it ends for all its readers when one of them leaves its loop. */
function* oneByOne<Item>(items: readonly Item[]): Generator<Item> {
  yield* items;
}
