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

interface ConfirmationPagesParts {
  readonly pool: Pool;
  /** Requests an e-mail to the user about a charge; repeated, it sends no other one. */
  readonly notify: (userId: string, chargeKey: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Stores the pages of the provider on which users must confirm charges, so that every instance can show them, and has the
 * users notified. Both can be lost: the next answer names the page again.
 */
export class ConfirmationPages {
  constructor(private readonly parts: ConfirmationPagesParts) {}

  /** Returns the provider, with the pages in its answers to charges stored. Its calls never reject. */
  recordedFrom(provider: FundingProvider): FundingProvider {
    return {
      repay: (call) => provider.repay(call),
      payout: (call) => provider.payout(call),
      charge: async (call) => {
        const answer = await provider.charge(call);
        if (typeof answer !== 'string' && answer.nextAction !== null) {
          await this.#store(call.key, answer.nextAction);
          // The answer to the payment does not wait for an e-mail.
          void this.#notify(call.userId, call.key);
        }
        return answer;
      },
    };
  }

  async #store(chargeKey: string, { url, expires_at }: ProviderNextAction): Promise<void> {
    const { pool, clock, logger } = this.parts;
    const nowUs = clock.nowUs();
    const untilUs = Math.min(Date.parse(expires_at) * US_PER_MS, nowUs + pagesKeptMs * US_PER_MS);
    try {
      await pool.query({ ...STORE, values: [chargeKey, url, expires_at, untilUs] });
      await pool.query({ ...REMOVE_OLD, values: [nowUs, pagesPerDelete] });
    } catch (err) {
      logger.warn({ err, chargeKey }, 'page of a charge not stored; the next answer of the provider names it again');
    }
  }

  async #notify(userId: string, chargeKey: string): Promise<void> {
    try {
      await this.parts.notify(userId, chargeKey);
    } catch (err) {
      this.parts.logger.warn(
        { err, chargeKey },
        'e-mail about a charge to confirm not requested; the next answer repeats it',
      );
    }
  }
}
