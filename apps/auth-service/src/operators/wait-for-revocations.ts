import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { DataSource } from 'typeorm';

/** Selects the tokens of an app or of a user. */
export type TokenFilter = { readonly appId: string } | { readonly userId: string };

const UNPUBLISHED = `
  (select from tokens
   where revoked_at <= now() and revocation_published_at is null
     and ($1::text is null or app_id = $1) and ($2::bigint is null or user_id = $2) limit 1)
  union all
  (select from token_rechecks join tokens using (sha256)
   where ($1::text is null or app_id = $1) and ($2::bigint is null or user_id = $2) limit 1)`;

/**
 * Waits until the running auth-service has published the revocations and rechecks of the tokens to the gateways. Error:
 * `outcome_unknown` if that takes too long; the change is stored nevertheless.
 */
export async function waitForRevocations(dataSource: DataSource, filter: TokenFilter): Promise<void> {
  const values = ['appId' in filter ? filter.appId : null, 'userId' in filter ? filter.userId : null];
  const deadlineMs = performance.now() + LIMITS.auth.revocationWaitMs;
  while ((await dataSource.query<object[]>(UNPUBLISHED, values)).length > 0) {
    if (performance.now() >= deadlineMs) {
      throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
    }
    await pause(LIMITS.outbox.waiterPollMs);
  }
}
