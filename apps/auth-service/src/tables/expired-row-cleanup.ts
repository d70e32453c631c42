import { PeriodicTask } from '@settle/concurrency';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { LOGGER, POOL } from '../injection/providers.js';

const INTERVAL_MS = 60_000;
const BATCH_ROWS = 1_000;

/** Tokens are kept for a week, so that their app gets `expired_token` and not `invalid_token`. */
const STATEMENTS = [
  ['tokens', 'sha256', "expires_at < now() - interval '7 days'"],
  ['authorizations', 'id', "ends_at < now() - interval '7 days'"],
  ['refresh_tokens', 'sha256', 'expires_at < now()'],
  ['consent_requests', 'id_sha256', 'expires_at < now()'],
  ['sessions', 'id_sha256', 'expires_at < now()'],
  ['source_requests', 'state_sha256', 'expires_at < now()'],
  ['funding_notices', 'key', "created_at < now() - interval '90 days'"],
  ['sign_ups', 'browser_sha256', 'expires_at < now()'],
  ['codes', 'id_sha256', 'expires_at < now()'],
  ['wrong_codes', 'address_sha256', "since < now() - interval '1 day'"],
  ['sent_codes', 'key_sha256', "since < now() - interval '1 day'"],
  ['known_browsers', 'key_sha256', 'expires_at < now()'],
  ['notices', 'id', "created_at < now() - interval '7 days'"],
  ['mailbox_messages', 'id', "sent_at < now() - interval '1 day'"],
  ['sign_in_tries', 'key_sha256', "last_at < now() - interval '15 minutes'"],
].map(
  ([table, key, condition]) =>
    `delete from ${table} where ${key} in (select ${key} from ${table} where ${condition} limit ${BATCH_ROWS})`,
);

/** Deletes expired rows every minute. */
@Injectable()
export class ExpiredRowCleanup implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #task = new PeriodicTask({
    run: (signal) => this.deleteExpired(signal),
    everyMs: INTERVAL_MS,
    isDelayed: true,
    onError: (err) => this.logger.warn({ err }, 'expired rows could not be deleted; retrying'),
  });

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#task.stop();
  }

  /** Deletes every expired row, 1,000 per statement to keep locks short. */
  async deleteExpired(signal?: AbortSignal): Promise<void> {
    for (const statement of STATEMENTS) {
      let deleted: number | null;
      do {
        ({ rowCount: deleted } = await this.pool.query(statement));
      } while (deleted === BATCH_ROWS && signal?.aborted !== true);
    }
  }
}
