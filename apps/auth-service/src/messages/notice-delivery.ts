import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { ADDRESS_KINDS, type AddressKind } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOGGER } from '../injection/providers.js';
import type { Message } from './message.js';
import { MessageQueue, classifySendFault } from './message-queue.js';

type Notice = Message & { readonly id: string; readonly tries: number };

/**
 * Claims due notices by scheduling their next attempt: two instances never send the same notice at once, and if an
 * instance ends while sending, another one retries.
 */
const CLAIM_DUE = `
  update notices set tries = tries + 1,
    next_try_at = now() + least($3 * 2 ^ least(tries, 20), $4::float8) * interval '1 millisecond'
  where id in (
    select id from notices where kind = $1 and next_try_at <= now() order by next_try_at limit $2
    for update skip locked)
  returning id, kind, sent_to as "to", subject, text, tries`;

/**
 * Sends the stored notices of each kind, and deletes those that the provider accepts. Retries with increasing delay for
 * 7 days. A notice arrives twice if the process ends between sending and deleting it.
 */
@Injectable()
export class NoticeDelivery implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #shutdown = new AbortController();
  #running: Promise<void[]> = Promise.resolve([]);

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: MessageQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = Promise.all(ADDRESS_KINDS.map((kind) => this.#run(kind)));
  }

  async onModuleDestroy(): Promise<void> {
    this.#shutdown.abort();
    await this.#running;
  }

  async #run(kind: AddressKind): Promise<void> {
    const { signal } = this.#shutdown;
    const { noticesEveryMs, messagesInProgress } = LIMITS.auth;
    while (!signal.aborted) {
      const sent = await this.#sendDue(kind).catch((err: unknown) => {
        this.logger.warn({ err }, 'could not read notices; retrying');
        return 0;
      });
      if (sent < messagesInProgress) await pause(noticesEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns the number of due notices. */
  async #sendDue(kind: AddressKind): Promise<number> {
    const { messagesInProgress, noticeRetryMs, longestNoticeRetryMs } = LIMITS.auth;
    const values = [kind, messagesInProgress, noticeRetryMs, longestNoticeRetryMs];
    const [due] = await this.dataSource.query<[Notice[], number]>(CLAIM_DUE, values);
    await Promise.all(due.map((notice) => this.#send(notice)));
    return due.length;
  }

  async #send({ id, tries, ...message }: Notice): Promise<void> {
    try {
      await this.queue.sendNow(message);
    } catch (error) {
      this.logger.warn(
        { kind: message.kind, tries, fault: classifySendFault(error) },
        'could not send a notice; retrying later',
      );
      return;
    }
    await this.dataSource.query('delete from notices where id = $1', [id]);
  }
}
