/**
 * Works on all rows in their order, at most `lanes` of them at once. After a failure, which it rejects with, no
 * further row is begun.
 */
export async function inLanes<Row>(
  rows: readonly Row[],
  lanes: number,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  const left = oneByOne(rows);
  const lane = async () => {
    for (const row of left) await work(row);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, rows.length) }, lane));
}

/** Unlike an array's own iterator, it ends for everybody when one reader leaves its loop. */
function* oneByOne<Row>(rows: readonly Row[]): Generator<Row> {
  yield* rows;
}
