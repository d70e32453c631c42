import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, tokensRevoked } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import { Lease } from '@settle/postgres';
import type { Pool } from 'pg';
import { IS_ONLY_INSTANCE, LOGGER, POOL } from '../providers.js';

const BATCH_ROWS = 1_000;

/** Tokens that live on, but about which gateways are to ask anew, go out with them: gateways forget what they are sent. */
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
const UNTOLD_RECHECK = 'select from token_rechecks where id <= $1 limit 1';

const UNTOLD = `select from tokens
                where sha256 in (select decode(unnest($1::text[]), 'hex'))
                  and revoked_at is not null and revocation_published_at is null limit 1`;

/**
 * Tells every gateway of tokens that were revoked, and of those whose grant has changed. The tokens' own rows and
 * `token_rechecks` are the outbox: what is committed there is published by one loop of one instance at a time, which
 * also says, every 250 ms, up to when it has published everything.
 */
@Injectable()
export class Revocations implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #lease: Lease;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** The rounds, one after the other. */
  #round: Promise<void> = Promise.resolve();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly client: MessageClient,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(IS_ONLY_INSTANCE) isOnlyInstance: boolean,
  ) {
    const onHeld = () => this.#beat();
    const onLost = () => clearTimeout(this.#timer);
    this.#lease = new Lease({ pool, name: 'revocations', logger, isOnlyInstance, onHeld, onLost });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#lease.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  /** Ends the running round and tells no more: another instance does, at once. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#round.catch(() => undefined);
    await this.#lease.stop();
  }

  /**
   * Tells of tokens whose revocation is committed. Resolves once it is published, by whichever instance; when that
   * fails it goes out with the next round. Errors: `outcome_unknown` when nobody has published it in time.
   */
  async tell(tokenSha256s: readonly string[]): Promise<void> {
    if (tokenSha256s.length === 0) return;
    // A bus that is away is no refusal: the revocation is stored, and is told as soon as it can be.
    await this.#publishAll().catch((err: unknown) => this.logger.warn({ err }, 'a revocation goes out later'));
    await this.#untilTold(UNTOLD, tokenSha256s);
  }

  /** Tells of tokens whose grant has changed, as far as that is committed. Resolves and rejects as `tell`. */
  async tellRechecks(): Promise<void> {
    const { rows } = await this.pool.query<{ id: string | null }>(NEWEST_RECHECK);
    const newest = rows[0]?.id ?? null;
    if (newest === null) return;
    await this.#publishAll().catch((err: unknown) => this.logger.warn({ err }, 'a revocation goes out later'));
    await this.#untilTold(UNTOLD_RECHECK, newest);
  }

  async #untilTold(untold: string, what: unknown): Promise<void> {
    const deadlineMs = performance.now() + LIMITS.auth.revocationWaitMs;
    while ((await this.pool.query(untold, [what])).rowCount !== 0) {
      if (performance.now() >= deadlineMs) {
        throw new SettleError('outcome_unknown', 'The change is stored and takes effect shortly.');
      }
      await pause(LIMITS.outbox.waiterPollMs);
    }
  }

  /** Publishes what was revoked and not told yet, after whatever round is running. */
  #publishAll(): Promise<void> {
    const round = this.#round.catch(() => undefined).then(() => this.#publishRound());
    this.#round = round;
    return round;
  }

  async #publishRound(): Promise<void> {
    // Read before the rows: whatever was revoked before this instant is among them, or was published before it.
    const completeUpToMs = Date.now();
    while (this.#lease.isHeld) {
      const { rows } = await this.pool.query<{ sha256: string; recheckId: string | null }>(TO_PUBLISH);
      const tokenSha256s = rows.map((row) => row.sha256);
      const isLast = rows.length < BATCH_ROWS;
      // Before the last batch nothing is complete yet, and the epoch promises nothing.
      await this.client.publish(tokensRevoked, '', { tokenSha256s, completeUpToMs: isLast ? completeUpToMs : 0 });
      const revoked = rows.filter(({ recheckId }) => recheckId === null);
      const rechecks = rows.filter(({ recheckId }) => recheckId !== null);
      if (revoked.length > 0) await this.pool.query(REVOCATIONS_PUBLISHED, [revoked.map(({ sha256 }) => sha256)]);
      if (rechecks.length > 0) await this.pool.query(RECHECKS_PUBLISHED, [rechecks.map(({ recheckId }) => recheckId)]);
      if (isLast) return;
    }
  }

  #beat(): void {
    void this.#publishAll()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'Revocations could not be published; trying again'))
      .finally(() => {
        clearTimeout(this.#timer);
        if (this.#isStopping || !this.#lease.isHeld) return;
        this.#timer = setTimeout(() => this.#beat(), LIMITS.auth.heartbeatEveryMs).unref();
      });
  }
}
