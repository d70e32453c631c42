import { usersState, type UsersStateRecord } from '@settle/contracts';
import { OnEvents, type EventEnvelope, type EventHandler } from '@settle/messaging';
import { Controller, type Type } from '@nestjs/common';
import { Ledgers } from '../ledgers.js';

/**
 * Keeps the copy of the people, following them as a group that belongs to this copy. What was sent to an address before
 * its owner came is theirs at once.
 */
export function peopleFollower(group: string): Type<{ readonly follow: EventHandler }> {
  @Controller()
  class PeopleFollower {
    constructor(private readonly ledgers: Ledgers) {}

    @OnEvents(usersState, group)
    async follow(events: readonly EventEnvelope[]): Promise<void> {
      const { people, live, sandbox } = this.ledgers;
      const records = events
        .map(({ payload }) => payload as UsersStateRecord | null)
        .filter((record) => record !== null);
      const proven = await people.save(records);
      live.worker.proven(proven);
      sandbox.worker.proven(proven);
    }
  }
  return PeopleFollower;
}
