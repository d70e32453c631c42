import type { ChangeTracker } from '@settle/concurrency';
import { idsOfUsersStateKey } from '@settle/contracts';
import type { EntityManager, EntitySubscriberInterface, TransactionCommitEvent } from 'typeorm';

/** In the data of a query runner: the users whose records its transaction has written. */
const ANNOUNCED = 'announcedUserIds';

/** Notes the users of a record that the transaction of `manager` writes. @param key of the record */
export function noteAnnounced({ queryRunner }: EntityManager, key: string): void {
  if (queryRunner === undefined) throw new Error('A record is written outside of a transaction');
  const ids = (queryRunner.data[ANNOUNCED] ??= new Set<string>()) as Set<string>;
  for (const id of idsOfUsersStateKey(key) ?? []) ids.add(id);
}

/** Records the users whose records a transaction of this process has written, once it is committed. */
export class CommittedChanges implements EntitySubscriberInterface {
  constructor(private readonly changes: ChangeTracker) {}

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    this.changes.record((queryRunner.data[ANNOUNCED] ?? []) as Iterable<string>);
  }
}
