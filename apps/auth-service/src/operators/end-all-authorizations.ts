import type { DataSource } from 'typeorm';
import { endAuthorizations, type EndedAuthorizations, type EndedBatch } from '../oauth/end-authorizations.js';

/** Ends all of them, a thousand a transaction. Returns how many those were. */
export async function endAllAuthorizations(dataSource: DataSource, which: EndedAuthorizations): Promise<number> {
  let count = 0;
  let ended: EndedBatch;
  do {
    ended = await dataSource.transaction((manager) => endAuthorizations(manager, which));
    count += ended.count;
  } while (ended.isFull);
  return count;
}
