import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, tokensRevoked } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import { Lease } from '@settle/postgres';
import type { Pool } from 'pg';
import { IS_ONLY_INSTANCE, LOGGER, POOL } from '../injection/providers.js';

const BATCH_ROWS = 1_000;

/** Includes tokens that stay valid but must be checked anew: gateways drop every published token from their cache. */
const TO_PUBLISH = {
  name: 'revocations-to-publish',
  text: `(select encode(sha256, 'hex') as sha256, null::bigint as "recheckId" from tokens
          where revoked_at <= now() and revocation_published_at is null order by revoked_at limit ${BATCH_ROWS})
         union all
         (select encode(sha256, 'hex'), id from token_rechecks order by id limit ${BATCH_ROWS})`,
};

const REVOCATIONS_PUBLISHED = `update tokens set revocation_published_at = now()
                               where sha256 in (select decode(unnest($1::text[]), 'hex'))`;
const RECHECKS_PUBLISHED = 'delete from token_rechecks where id = any($1)';

const NEWEST_RECHECK = 'select max(id) as id from token_rechecks';
const UNPUBLISHED_RECHECK = 'select from token_rechecks where id <= $1 limit 1';

const UNPUBLISHED = `select from tokens
                where sha256 in (select decode(unnest($1::text[]), 'hex'))
                  and revoked_at is not null and revocation_published_at is null limit 1`;

/**
 * Publishes revoked tokens, and tokens whose grant has changed, to every gateway. The rows of `tokens` and
 * `token_rechecks` are the outbox. One instance at a time publishes them; every 250 ms it also publishes the time up to
 * which the revocations are complete.
 */
@Injectable()
export class RevocationPublisher implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #lease: Lease;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** The current round; rounds run one after the other. */
  #round: Promise<void> = Promise.resolve();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly client: MessageClient,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(IS_ONLY_INSTANCE) isOnlyInstance: boolean,
  ) {
    const onHeld = () => this.#runHeartbeat();
    const onLost = () => clearTimeout(this.#timer);
    this.#lease = new Lease({ pool, name: 'revocations', logger, isOnlyInstance, onHeld, onLost });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#lease.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  /** Finishes the current round and releases the lease, so that another instance takes over at once. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#round.catch(() => undefined);
    await this.#lease.stop();
  }

  /**
   * Publishes tokens whose revocation is committed. Resolves once any instance has published it; a failed round is
   * retried with the next one. Error: `outcome_unknown` if it is not published in time.
   */
  async publish(tokenSha256s: readonly string[]): Promise<void> {
    if (tokenSha256s.length === 0) return;
    await this.#publishAndWait(UNPUBLISHED, tokenSha256s);
  }

  /** Publishes tokens whose changed grant is committed. Resolves and rejects as `publish`. */
  async publishRechecks(): Promise<void> {
    const { rows } = await this.pool.query<{ id: string | null }>(NEWEST_RECHECK);
    const newest = rows[0]?.id ?? null;
    if (newest !== null) await this.#publishAndWait(UNPUBLISHED_RECHECK, newest);
  }

  /** Waits until `query` with `value` finds no unpublished row. */
  async #publishAndWait(query: string, value: unknown): Promise<void> {
    // If the bus is unavailable, the stored revocation is published by a later round.
    await this.#publishAll().catch((err: unknown) =>
      this.logger.warn({ err }, 'revocations could not be published; retrying with the next round'),
    );
    const deadlineMs = performance.now() + LIMITS.auth.revocationWaitMs;
    while ((await this.pool.query(query, [value])).rowCount !== 0) {
      if (performance.now() >= deadlineMs) {
        throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
      }
      await pause(LIMITS.outbox.waiterPollMs);
    }
  }

  /** Publishes every unpublished revocation, after the current round has ended. */
  #publishAll(): Promise<void> {
    const round = this.#round.catch(() => undefined).then(() => this.#publishRound());
    this.#round = round;
    return round;
  }

  async #publishRound(): Promise<void> {
    // Read before the rows: everything revoked before this time is among them or already published.
    const completeUpToMs = Date.now();
    while (this.#lease.isHeld) {
      const { rows } = await this.pool.query<{ sha256: string; recheckId: string | null }>(TO_PUBLISH);
      const tokenSha256s = rows.map((row) => row.sha256);
      const isLast = rows.length < BATCH_ROWS;
      // Before the last batch the revocations are incomplete, which 0 says.
      await this.client.publish(tokensRevoked, '', { tokenSha256s, completeUpToMs: isLast ? completeUpToMs : 0 });
      const revoked = rows.filter(({ recheckId }) => recheckId === null);
      const rechecks = rows.filter(({ recheckId }) => recheckId !== null);
      if (revoked.length > 0) await this.pool.query(REVOCATIONS_PUBLISHED, [revoked.map(({ sha256 }) => sha256)]);
      if (rechecks.length > 0) await this.pool.query(RECHECKS_PUBLISHED, [rechecks.map(({ recheckId }) => recheckId)]);
      if (isLast) return;
    }
  }

  #runHeartbeat(): void {
    void this.#publishAll()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'revocations could not be published; retrying'))
      .finally(() => {
        clearTimeout(this.#timer);
        if (this.#isStopping || !this.#lease.isHeld) return;
        this.#timer = setTimeout(() => this.#runHeartbeat(), LIMITS.auth.heartbeatEveryMs).unref();
      });
  }
}
