import { PeriodicTask, forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { UserRecord } from '@settle/contracts';
import { NO_STREAM, executeCommand, type EventStore, type StoredEvent } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import { nextUserEvent, statusAfter, type UserEvent } from '@settle/payments-domain';
import { inTransaction } from '@settle/postgres';
import type { ClientBase, Pool } from 'pg';
import type { Clock } from '../storage/clock.js';
import { newUserEvent } from '../storage/step-ids.js';
import { readUserEvent, userStream } from '../storage/streams.js';
import { userStatusOf } from '../user-replica/user-status.js';

const { userStatusPollMs, userStatusRows, userStatusConcurrency } = LIMITS.payments;

/** Rows that another instance works on are skipped; they become free if it dies. */
const TAKE = {
  name: 'take-due-user-statuses',
  text: 'select id, user_id as "userId" from due_user_statuses limit $1 for update skip locked',
};
const READ_RECORDS = {
  name: 'read-due-user-records',
  text: 'select record from known_users where user_id = any($1::bigint[])',
};
const REMOVE = { name: 'remove-due-user-statuses', text: 'delete from due_user_statuses where id = any($1::uuid[])' };

export interface UserStatusRecorderDependencies {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  /** Sees the live tables. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Stores in the event log who joined, was frozen, thawed and closed, from the user replica. The database queues each user
 * whose record has changed. A user leaves the queue once the newest event and the record agree, so that every change has
 * its event after any fault, and several instances may work at once.
 */
export class UserStatusRecorder {
  readonly #rounds: PeriodicTask;

  constructor(private readonly dependencies: UserStatusRecorderDependencies) {
    const { logger } = dependencies;
    this.#rounds = new PeriodicTask({
      everyMs: userStatusPollMs,
      run: async () => ((await this.runRound()) === userStatusRows ? 'repeat' : undefined),
      onError: (err) => logger.error({ err }, 'statuses of users not recorded; retrying'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Waits for the round in progress. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Records the statuses of queued users. Returns the number of queued rows that are done. Errors: those of the database and the store. */
  runRound(): Promise<number> {
    return inTransaction(this.dependencies.pool, async (client) => {
      const { rows } = await client.query<{ id: string; userId: string }>({ ...TAKE, values: [userStatusRows] });
      await this.#record(client, new Set(rows.map(({ userId }) => userId)));
      if (rows.length > 0) await client.query({ ...REMOVE, values: [rows.map(({ id }) => id)] });
      return rows.length;
    });
  }

  /** Reads the records again until they agree with the log: they may change while an event is stored. */
  async #record(client: ClientBase, userIds: Iterable<string>): Promise<void> {
    for (let left = [...userIds]; left.length > 0;) {
      const { rows } = await client.query<{ record: UserRecord }>({ ...READ_RECORDS, values: [left] });
      const changed: string[] = [];
      await forEachConcurrent(rows, userStatusConcurrency, async ({ record }) => {
        if (await this.#appendNext(record)) changed.push(record.card.id);
      });
      left = changed;
    }
  }

  /** Appends the next event of a user. Returns whether there was one. */
  async #appendNext(record: UserRecord): Promise<boolean> {
    const stream = userStream(record.card.id);
    const { answer } = await executeCommand(this.dependencies.store, {
      load: async () => (await this.dependencies.store.readStream(stream, { direction: 'backwards', limit: 1 }))[0],
      decide: (newest) => {
        const event = this.#decide(record, newest);
        if (event === null) return { unit: [], answer: false };
        const expectedRevision = newest?.revision ?? NO_STREAM;
        const events = [newUserEvent(record.card.id, expectedRevision + 1, event)];
        return { unit: [{ stream, expectedRevision, events }], answer: true };
      },
    });
    return answer;
  }

  #decide(record: UserRecord, newest: StoredEvent | undefined): UserEvent | null {
    const former = newest === undefined ? null : readUserEvent(newest);
    const type = nextUserEvent(former === null ? null : statusAfter(former.type), userStatusOf(record));
    if (type === null) return null;
    const joinedAtUs = former?.data.joinedAtUs ?? record.card.dateJoinedUs;
    return { type, data: { atUs: this.dependencies.clock.nowUs(), joinedAtUs } };
  }
}
