import { TOPICS } from '@settle/contracts';
import type { ClientBase, Pool, QueryConfig } from 'pg';
import type { FencedCheckpoint } from './fenced-checkpoint.js';

/** A connection to the database of the payments service. */
type Database = Pool | ClientBase;

export interface PublicEventEpoch {
  /** Value of the header `epoch` of every published record, of every topic. */
  readonly epoch: number;
  /** Epoch under which a topic was filled; if it is lower than `epoch`, the next publisher empties the topic and fills it again. */
  readonly filledEpoch: number;
}

/** Epoch of records without the header. */
export const FIRST_EPOCH = 1;

/** The column with the epoch under which each topic was filled. */
const FILLED_COLUMNS = {
  [TOPICS.paymentsEvents]: 'filled_epoch',
  [TOPICS.ledgerEntries]: 'entries_filled_epoch',
  [TOPICS.usersLifecycle]: 'lifecycle_filled_epoch',
} as const;

/** A topic that is published from the event log. */
export type FilledTopic = keyof typeof FILLED_COLUMNS;

/**
 * Raises the epoch. Call it once after each restore of the payments database, before payments-service starts on it: the
 * public topics may contradict the restored ledger. The next publisher empties them and fills them from the first event
 * under a higher epoch, at which consumers drop their tables and begin again. Statuses of users that the restored log lacks
 * are recorded again.
 * @param database a connection to the migrated database of the payments service
 * @returns the raised epoch; the publisher goes higher if a topic has that one already
 */
export async function raisePublicEventEpoch(database: Database): Promise<number> {
  const raise = `
    with queued as (insert into due_user_statuses (user_id) select user_id from known_users)
    update public_event_epoch set epoch = epoch + 1 returning epoch`;
  return (await queryRow<{ epoch: number }>(database, raise)).epoch;
}

/**
 * Raises the epoch above the one that a topic had when the cluster lost it, unless that is done: publishers of several lost
 * topics agree on one epoch. Returns the epoch.
 */
export async function raiseEpochAbove(database: Database, lostEpoch: number): Promise<number> {
  const text = 'update public_event_epoch set epoch = greatest(epoch, $1::int + 1) returning epoch';
  return (await queryRow<{ epoch: number }>(database, { text, values: [lostEpoch] })).epoch;
}

/** Whether the topic has yet to be emptied and filled under the epoch. */
export const isRaised = ({ epoch, filledEpoch }: PublicEventEpoch): boolean => epoch > filledEpoch;

export function readPublicEventEpoch(database: Database, topic: FilledTopic): Promise<PublicEventEpoch> {
  return queryRow(database, {
    name: `read-epoch-of-${topic}`,
    text: `select epoch, ${FILLED_COLUMNS[topic]} as "filledEpoch" from public_event_epoch`,
  });
}

async function queryRow<Row extends object>(database: Database, query: string | QueryConfig): Promise<Row> {
  const [row] = (await database.query<Row>(query)).rows;
  if (row === undefined) throw new Error('The table public_event_epoch of the payments database holds no row');
  return row;
}

/**
 * Records that the empty topic is being filled under this epoch; call it before the first record. Returns false if
 * another instance has claimed the checkpoint.
 */
export async function startFilling(
  database: Database,
  { topic, epoch }: { readonly topic: FilledTopic; readonly epoch: number },
  { name, fence }: Pick<FencedCheckpoint, 'name' | 'fence'>,
): Promise<boolean> {
  const { rowCount } = await database.query({
    name: `fill-under-epoch-${topic}`,
    text: `
      update public_event_epoch set epoch = greatest(epoch, $3), ${FILLED_COLUMNS[topic]} = $3
      where exists (select from checkpoints where name = $1 and fence = $2)`,
    values: [name, fence, epoch],
  });
  return rowCount === 1;
}
