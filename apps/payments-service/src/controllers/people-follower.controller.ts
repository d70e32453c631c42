import { usersState, type UsersStateRecord } from '@settle/contracts';
import { OnEvents, type EventEnvelope } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { Ledger } from '../ledger.js';

/** Keeps the copy of the people. What was sent to an address before its owner came is theirs at once. */
@Controller()
export class PeopleFollower {
  constructor(private readonly ledger: Ledger) {}

  @OnEvents(usersState, 'payments')
  async follow(events: readonly EventEnvelope[]): Promise<void> {
    const { people, worker, logger } = this.ledger;
    const records = events.map(({ payload }) => payload as UsersStateRecord | null).filter((record) => record !== null);
    const proven = await people.save(records);
    if (proven.length === 0) return;
    // The record is taken in; what it sets free follows on its own, and the worker's sweep finds what fails here.
    worker.claim(proven).catch((err: unknown) => logger.error({ err }, 'claims of a proven address are put off'));
  }
}
