import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { ProviderNextAction } from '@settle/provider-api';
import type { Pool } from 'pg';
import type { Clock } from '../storage/clock.js';
import type { FundingProvider } from '../transfer/provider-calls.js';

const { pagesKeptMs, pagesPerDelete } = LIMITS.provider;
const US_PER_MS = 1_000;

const STORE = {
  name: 'store-funding-page',
  text: `insert into funding_pages (charge_key, url, expires_at, until_us) values ($1, $2, $3, $4)
    on conflict (charge_key) do update set url = excluded.url, expires_at = excluded.expires_at,
      until_us = excluded.until_us`,
};
const REMOVE_OLD = {
  name: 'remove-old-funding-pages',
  text: `delete from funding_pages where charge_key in (
    select charge_key from funding_pages where until_us < $1 order by until_us limit $2)`,
};

/**
 * Stores the pages of the provider on which users must confirm charges, so that every instance can show them. They can be
 * lost: the next answer names them again.
 */
export class ConfirmationPages {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Returns the provider, with the pages in its answers to charges stored. Its calls never reject. */
  recordedFrom(provider: FundingProvider): FundingProvider {
    return {
      repay: (call) => provider.repay(call),
      payout: (call) => provider.payout(call),
      charge: async (call) => {
        const answer = await provider.charge(call);
        if (typeof answer !== 'string' && answer.nextAction !== null) await this.#store(call.key, answer.nextAction);
        return answer;
      },
    };
  }

  async #store(chargeKey: string, { url, expires_at }: ProviderNextAction): Promise<void> {
    const nowUs = this.clock.nowUs();
    const untilUs = Math.min(Date.parse(expires_at) * US_PER_MS, nowUs + pagesKeptMs * US_PER_MS);
    try {
      await this.pool.query({ ...STORE, values: [chargeKey, url, expires_at, untilUs] });
      await this.pool.query({ ...REMOVE_OLD, values: [nowUs, pagesPerDelete] });
    } catch (err) {
      this.logger.warn(
        { err, chargeKey },
        'page of a charge not stored; the next answer of the provider names it again',
      );
    }
  }
}
