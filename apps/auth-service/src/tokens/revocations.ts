import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { tokensRevoked } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { LOGGER, POOL } from '../providers.js';

const BATCH_ROWS = 1_000;

const TO_PUBLISH = {
  name: 'revocations-to-publish',
  text: `select encode(sha256, 'hex') as sha256 from tokens
         where revoked_at is not null and revocation_published_at is null order by revoked_at limit ${BATCH_ROWS}`,
};

const PUBLISHED = `update tokens set revocation_published_at = now()
                   where sha256 in (select decode(unnest($1::text[]), 'hex'))`;

/**
 * Takes tokens back, and tells every gateway. The tokens' own rows are the outbox: a revocation is committed first
 * and published by one loop, which also says, every 250 ms, up to when it has published everything.
 */
@Injectable()
export class Revocations implements OnApplicationBootstrap, OnModuleDestroy {
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** The rounds, one after the other. */
  #round: Promise<void> = Promise.resolve();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly client: MessageClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#beat();
  }

  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#round.catch(() => undefined);
  }

  /**
   * Revokes tokens for good; those that are unknown or revoked already are left as they are. Resolves once the
   * revocation is published; when that fails it is stored all the same and goes out with the next round.
   */
  async revoke(tokenSha256s: readonly string[]): Promise<void> {
    await this.pool.query(
      `update tokens set revoked_at = now()
       where revoked_at is null and sha256 in (select decode(unnest($1::text[]), 'hex'))`,
      [tokenSha256s],
    );
    await this.#publishAll();
  }

  /** Publishes what was revoked and not told yet, after whatever round is running. */
  #publishAll(): Promise<void> {
    const round = this.#round.catch(() => undefined).then(() => this.#publishRound());
    this.#round = round;
    return round;
  }

  async #publishRound(): Promise<void> {
    // Read before the rows: whatever was revoked before this instant is among them.
    const completeUpToMs = Date.now();
    for (;;) {
      const { rows } = await this.pool.query<{ sha256: string }>(TO_PUBLISH);
      const tokenSha256s = rows.map((row) => row.sha256);
      const isLast = rows.length < BATCH_ROWS;
      // Before the last batch nothing is complete yet, and the epoch promises nothing.
      await this.client.publish(tokensRevoked, '', { tokenSha256s, completeUpToMs: isLast ? completeUpToMs : 0 });
      if (rows.length > 0) await this.pool.query(PUBLISHED, [tokenSha256s]);
      if (isLast) return;
    }
  }

  #beat(): void {
    void this.#publishAll()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'Revocations could not be published; trying again'))
      .finally(() => {
        if (!this.#isStopping) this.#timer = setTimeout(() => this.#beat(), LIMITS.auth.heartbeatEveryMs).unref();
      });
  }
}
