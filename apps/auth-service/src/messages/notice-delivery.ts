import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { ADDRESS_KINDS, type AddressKind } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOGGER } from '../providers.js';
import type { Message } from './message.js';
import { MessageQueue, faultOf } from './message-queue.js';

type Notice = Message & { readonly id: string; readonly tries: number };

/**
 * Takes notices that are due and sets their next try: an instance that ends while it sends leaves it to the next one,
 * and no two instances send the same notice at once.
 */
const TAKE = `
  update notices set tries = tries + 1,
    next_try_at = now() + least($3 * 2 ^ least(tries, 20), $4::float8) * interval '1 millisecond'
  where id in (
    select id from notices where kind = $1 and next_try_at <= now() order by next_try_at limit $2
    for update skip locked)
  returning id, kind, sent_to as "to", subject, text, tries`;

/**
 * Sends the stored notices, each kind on its own, and deletes what was taken on. What fails is tried again, later each
 * time, for 7 days. A notice may arrive twice when the process ends between the two.
 */
@Injectable()
export class NoticeDelivery implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #stopping = new AbortController();
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
    this.#stopping.abort();
    await this.#running;
  }

  async #run(kind: AddressKind): Promise<void> {
    const { signal } = this.#stopping;
    const { noticesEveryMs, messagesInProgress } = LIMITS.auth;
    while (!signal.aborted) {
      const sent = await this.#sendDue(kind).catch((err: unknown) => {
        this.logger.warn({ err }, 'notices could not be read; retrying');
        return 0;
      });
      if (sent < messagesInProgress) await pause(noticesEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns how many were due. */
  async #sendDue(kind: AddressKind): Promise<number> {
    const { messagesInProgress, noticeRetryMs, longestNoticeRetryMs } = LIMITS.auth;
    const values = [kind, messagesInProgress, noticeRetryMs, longestNoticeRetryMs];
    const [due] = await this.dataSource.query<[Notice[], number]>(TAKE, values);
    await Promise.all(due.map((notice) => this.#send(notice)));
    return due.length;
  }

  async #send({ id, tries, ...message }: Notice): Promise<void> {
    try {
      await this.queue.deliver(message);
    } catch (error) {
      this.logger.warn(
        { kind: message.kind, tries, fault: faultOf(error) },
        'a notice could not be sent; retrying later',
      );
      return;
    }
    await this.dataSource.query('delete from notices where id = $1', [id]);
  }
}
