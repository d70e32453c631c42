import { usersState, type UsersStateRecord } from '@settle/contracts';
import { OnEvents, type EventEnvelope, type EventHandler } from '@settle/messaging';
import { Controller, type Type } from '@nestjs/common';
import { Ledgers } from '../ledger/ledgers.js';

/**
 * Returns the consumer of users' records, in the consumer group of this database's replica. Payments to an address that
 * its owner has just verified are settled soon after.
 */
export function usersStateController(group: string): Type<{ readonly follow: EventHandler }> {
  @Controller()
  class UsersStateController {
    constructor(private readonly ledgers: Ledgers) {}

    @OnEvents(usersState, group)
    async follow(events: readonly EventEnvelope[]): Promise<void> {
      const { users, live, sandbox } = this.ledgers;
      const records = events
        .map(({ payload }) => payload as UsersStateRecord | null)
        .filter((record) => record !== null);
      const proven = await users.save(records);
      live.worker.queueVerified(proven);
      sandbox.worker.queueVerified(proven);
    }
  }
  return UsersStateController;
}
