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
    const { people, worker } = this.ledger;
    const records = events.map(({ payload }) => payload as UsersStateRecord | null).filter((record) => record !== null);
    worker.proven(await people.save(records));
  }
}
