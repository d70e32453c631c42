import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { DataSource } from 'typeorm';

/** Whose tokens: those of an app, or of a user. */
export type TokensOf = { readonly appId: string } | { readonly userId: string };

const UNPUBLISHED = `
  (select from tokens
   where revoked_at <= now() and revocation_published_at is null
     and ($1::text is null or app_id = $1) and ($2::bigint is null or user_id = $2) limit 1)
  union all
  (select from token_rechecks join tokens using (sha256)
   where ($1::text is null or app_id = $1) and ($2::bigint is null or user_id = $2) limit 1)`;

/**
 * Waits until the running auth-service has published to the gateways which tokens were revoked, or are to be asked about
 * anew. Error: `outcome_unknown` when that takes too long; what was done is stored all the same.
 */
export async function untilGatewaysAreTold(dataSource: DataSource, whose: TokensOf): Promise<void> {
  const values = ['appId' in whose ? whose.appId : null, 'userId' in whose ? whose.userId : null];
  const deadlineMs = performance.now() + LIMITS.auth.revocationWaitMs;
  while ((await dataSource.query<object[]>(UNPUBLISHED, values)).length > 0) {
    if (performance.now() >= deadlineMs) {
      throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
    }
    await pause(LIMITS.outbox.waiterPollMs);
  }
}
