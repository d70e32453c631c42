import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { createAccount } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOGGER } from '../providers.js';
import { NewPerson } from '../tables/new-person.entity.js';

/**
 * Tells users-service of people who have signed up. A row stays until that is confirmed, over every restart, and is
 * told again by whichever instance: making an account twice makes one.
 */
@Injectable()
export class NewPeople implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = this.#untilStopped();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Errors: those of `users.create-account`; then it is tried again behind the caller's back. */
  async tell(person: NewPerson): Promise<void> {
    const { userId, username, firstName, lastName, email } = person;
    const provenAtUs = Number(person.provenAtUs);
    const request = { userId, username, firstName, lastName, email, provenAtUs };
    await this.client.request(createAccount, request, { key: userId, timeoutMs: LIMITS.auth.usersWaitMs });
    await this.#table.delete({ userId });
  }

  /** The same; when it does not succeed it is tried again later. */
  async tellIfPossible(person: NewPerson): Promise<void> {
    await this.tell(person).catch((err: unknown) => this.#warn(err));
  }

  async #untilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(LIMITS.auth.newPeopleEveryMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#tellAll();
    }
  }

  async #tellAll(): Promise<void> {
    try {
      // Whichever: one who is refused each time must not keep the others waiting.
      const people = await this.#table
        .createQueryBuilder()
        .orderBy('random()')
        .limit(LIMITS.auth.newPeopleCount)
        .getMany();
      const told = await Promise.allSettled(people.map((person) => this.tell(person)));
      for (const each of told) if (each.status === 'rejected') this.#warn(each.reason);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(err: unknown): void {
    this.logger.warn({ err }, 'A new person could not be told of; trying again');
  }

  get #table() {
    return this.dataSource.getRepository(NewPerson);
  }
}
