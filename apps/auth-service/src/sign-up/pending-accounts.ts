import { PeriodicTask } from '@settle/concurrency';
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
  readonly #retries = new PeriodicTask({
    run: () => this.#retryAll(),
    everyMs: LIMITS.auth.newUsersEveryMs,
    isDelayed: true,
    onError: (error) => this.#warn(error),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#retries.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#retries.stop();
  }

  /** Creates the account. Errors: those of `users.create-account`; the account is then retried in the background. */
  async create(account: PendingAccount): Promise<void> {
    const { userId } = account;
    const request = { ...account, provenAtUs: Number(account.provenAtUs) };
    await this.client.request(createAccount, request, { key: userId, timeoutMs: LIMITS.auth.usersWaitMs });
    await this.#table.delete({ userId });
  }

  /** Creates the account, or leaves it to a background retry. */
  async createIfPossible(account: PendingAccount): Promise<void> {
    await this.create(account).catch((err: unknown) => this.#warn(err));
  }

  async #retryAll(): Promise<void> {
    // In random order, so that an account that fails each time does not block the others.
    const due = this.#table.createQueryBuilder().orderBy('random()').limit(LIMITS.auth.newUsersCount);
    await Promise.all((await due.getMany()).map((account) => this.createIfPossible(account)));
  }

  #warn(err: unknown): void {
    this.logger.warn({ err }, 'an account could not be created at users-service; retrying');
  }

  get #table() {
    return this.dataSource.getRepository(PendingAccount);
  }
}
