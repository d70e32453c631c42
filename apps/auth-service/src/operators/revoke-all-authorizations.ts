import type { DataSource } from 'typeorm';
import { revokeAuthorizations, type AuthorizationFilter, type RevokedBatch } from '../oauth/revoke-authorizations.js';

/** Revokes every matching authorization, a thousand per transaction. Returns their number. */
export async function revokeAllAuthorizations(dataSource: DataSource, filter: AuthorizationFilter): Promise<number> {
  let count = 0;
  let batch: RevokedBatch;
  do {
    batch = await dataSource.transaction((manager) => revokeAuthorizations(manager, filter));
    count += batch.count;
  } while (batch.isFull);
  return count;
}
