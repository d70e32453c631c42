import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { createAccount } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOGGER } from '../injection/providers.js';
import { PendingAccount } from '../tables/pending-account.entity.js';

/**
 * Creates the accounts of new users at users-service. A row is kept until users-service confirms the account, and any
 * instance retries it: creating an account is idempotent.
 */
@Injectable()
export class PendingAccounts implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = this.#runRetries();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Creates the account. Errors: those of `users.create-account`; the account is then retried in the background. */
  async create(account: PendingAccount): Promise<void> {
    const { userId, username, firstName, lastName, email } = account;
    const provenAtUs = Number(account.provenAtUs);
    const request = { userId, username, firstName, lastName, email, provenAtUs };
    await this.client.request(createAccount, request, { key: userId, timeoutMs: LIMITS.auth.usersWaitMs });
    await this.#table.delete({ userId });
  }

  /** Creates the account, or leaves it to a background retry. */
  async createIfPossible(account: PendingAccount): Promise<void> {
    await this.create(account).catch((err: unknown) => this.#warn(err));
  }

  async #runRetries(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(LIMITS.auth.newPeopleEveryMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#retryAll();
    }
  }

  async #retryAll(): Promise<void> {
    try {
      // In random order, so that an account that fails each time does not block the others.
      const accounts = await this.#table
        .createQueryBuilder()
        .orderBy('random()')
        .limit(LIMITS.auth.newPeopleCount)
        .getMany();
      const results = await Promise.allSettled(accounts.map((account) => this.create(account)));
      for (const result of results) if (result.status === 'rejected') this.#warn(result.reason);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(err: unknown): void {
    this.logger.warn({ err }, 'an account could not be created at users-service; retrying');
  }

  get #table() {
    return this.dataSource.getRepository(PendingAccount);
  }
}
