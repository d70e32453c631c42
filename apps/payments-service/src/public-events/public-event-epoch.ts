import type { ClientBase, Pool } from 'pg';

/** What runs SQL on the database of the payments service. */
type Database = Pool | ClientBase;

export interface PublicEventEpoch {
  /** Every record that is published carries it in its header `epoch`. */
  readonly epoch: number;
  /** The topic was last filled under this one; lower than `epoch`: the next publisher empties it and fills it again. */
  readonly filledEpoch: number;
}

/** Records from before the header existed. */
export const FIRST_EPOCH = 1;

const READ_EPOCH = {
  name: 'read-public-event-epoch',
  text: 'select epoch, filled_epoch as "filledEpoch" from public_event_epoch',
};

/**
 * To be called once after each restore of the payments database, before payments-service starts on it: what is in the
 * topic of payment events may contradict the restored ledger. The next instance that publishes empties the topic and
 * fills it from the first event under a higher epoch, by which consumers know that they must begin again.
 * @param database any connection to the database of the payments service, whose migrations have run
 * @returns the epoch that it is raised to; the publisher goes higher still where the topic has seen that one
 */
export async function raisePublicEventEpoch(database: Database): Promise<number> {
  const { rows } = await database.query<{ epoch: number }>(
    'update public_event_epoch set epoch = epoch + 1 returning epoch',
  );
  const [raised] = rows;
  if (raised === undefined) throw new Error('The table public_event_epoch of the payments database holds no row');
  return raised.epoch;
}

/** Whether the topic is still to be emptied and filled under the epoch. */
export const isRaised = ({ epoch, filledEpoch }: PublicEventEpoch): boolean => epoch > filledEpoch;

export async function readPublicEventEpoch(database: Database): Promise<PublicEventEpoch> {
  const { rows } = await database.query<PublicEventEpoch>(READ_EPOCH);
  const [row] = rows;
  if (row === undefined) throw new Error('The table public_event_epoch of the payments database holds no row');
  return row;
}
