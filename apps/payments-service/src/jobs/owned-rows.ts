import { LIMITS } from '@settle/config';

/** Work that failed waits this long, so that other work comes first. */
export const PUT_OFF_US = 10_000_000;

/** A page of rows, the oldest first. */
type ReadPage<Row> = (limit: number, offset: number) => Promise<{ readonly rows: readonly Row[] }>;

/** Returns at most `limit` rows of this instance, from a bounded number of pages of all instances' rows. */
export async function findOwnedRows<Row>(
  readPage: ReadPage<Row>,
  isOwned: (row: Row) => boolean,
  limit: number,
): Promise<Row[]> {
  const { workerRows: pageRows, workerPages } = LIMITS.payments;
  const owned: Row[] = [];
  for (let page = 0; page < workerPages && owned.length < limit; page += 1) {
    const { rows } = await readPage(pageRows, page * pageRows);
    owned.push(...rows.filter(isOwned));
    if (rows.length < pageRows) break;
  }
  return owned.slice(0, limit);
}
