import {
  isOlderRecord,
  usersStateKey,
  type AddressKind,
  type PairRecord,
  type UserRecord,
  type UsersStateRecord,
} from '@settle/contracts';
import { inTransaction } from '@settle/postgres';
import type { Pool } from 'pg';

/** SQL of a record's epoch; `FIRST_RECORD_EPOCH` if it has none. */
const epochIn = (record: string) => `coalesce((${record} ->> 'epoch')::bigint, 1)`;
/** SQL of `isOlderRecord`. Reads the epoch from the record, which older releases store whole. */
const isOlderIn = (table: string) =>
  `(${epochIn(`${table}.record`)}, ${table}.version) < (${epochIn('excluded.record')}, excluded.version)`;

const SAVE_USERS = `
  insert into known_users (user_id, version, record)
  select user_id, version, record from jsonb_to_recordset($1::jsonb) as r(user_id bigint, version int, record jsonb)
  on conflict (user_id) do update set version = excluded.version, record = excluded.record
  where ${isOlderIn('known_users')}
  returning user_id`;
const SAVE_PAIRS = `
  insert into known_pairs (low, high, version, record)
  select low, high, version, record
  from jsonb_to_recordset($1::jsonb) as r(low bigint, high bigint, version int, record jsonb)
  on conflict (low, high) do update set version = excluded.version, record = excluded.record
  where ${isOlderIn('known_pairs')}`;
const DROP_ADDRESSES = `
  delete from known_addresses where user_id = any($1::bigint[]) returning kind, value, user_id, proven_at_us`;
const SAVE_ADDRESSES = `
  insert into known_addresses (kind, value, user_id, proven_at_us)
  select kind, value, user_id, proven_at_us
  from jsonb_to_recordset($1::jsonb) as a(kind text, value text, user_id bigint, proven_at_us bigint)`;

/** An address and the user who has verified it. */
export interface OwnedAddress {
  readonly kind: AddressKind;
  readonly value: string;
  readonly userId: string;
}

export interface SavedRecords {
  /** The addresses whose verification was not stored before. */
  readonly newlyVerified: readonly OwnedAddress[];
  /** All addresses of the users whose records have changed, before and after. */
  readonly addresses: readonly OwnedAddress[];
}

/** Writes whole records in one transaction; a record older than the stored one changes nothing. */
export async function saveRecords(pool: Pool, records: readonly UsersStateRecord[]): Promise<SavedRecords> {
  const newest = newestByKey(records);
  const users = newest.filter((record): record is UserRecord => record.kind === 'user');
  const pairs = newest.filter((record): record is PairRecord => record.kind === 'pair');
  return inTransaction(pool, async (client) => {
    const saved = await client.query<{ user_id: string }>(SAVE_USERS, [
      JSON.stringify(users.map((record) => ({ user_id: record.card.id, version: record.version, record }))),
    ]);
    await client.query(SAVE_PAIRS, [
      JSON.stringify(pairs.map((record) => ({ low: record.low, high: record.high, version: record.version, record }))),
    ]);
    const savedIds = new Set(saved.rows.map(({ user_id }) => user_id));
    const addresses = users.filter(({ card }) => savedIds.has(card.id)).flatMap(addressRows);
    const dropped = await client.query<AddressRow>(DROP_ADDRESSES, [[...savedIds]]);
    await client.query(SAVE_ADDRESSES, [JSON.stringify(addresses)]);
    const known = new Set(dropped.rows.map(verificationKey));
    return {
      newlyVerified: addresses.filter((row) => !known.has(verificationKey(row))).map(toOwnedAddress),
      addresses: [...dropped.rows, ...addresses].map(toOwnedAddress),
    };
  });
}

function newestByKey(records: readonly UsersStateRecord[]): UsersStateRecord[] {
  const newest = new Map<string, UsersStateRecord>();
  for (const record of records) {
    const key = usersStateKey(record);
    const other = newest.get(key);
    if (other === undefined || isOlderRecord(other, record)) newest.set(key, record);
  }
  return [...newest.values()];
}

interface AddressRow extends Pick<OwnedAddress, 'kind' | 'value'> {
  readonly user_id: string;
  readonly proven_at_us: number | string;
}

const toOwnedAddress = ({ kind, value, user_id: userId }: AddressRow): OwnedAddress => ({ kind, value, userId });

const verificationKey = ({ kind, value, user_id, proven_at_us }: AddressRow) =>
  [kind, user_id, proven_at_us, value].join(' ');

function addressRows({ card, addresses }: UserRecord): AddressRow[] {
  return addresses.map(({ kind, value, provenAtUs }) => ({ kind, value, user_id: card.id, proven_at_us: provenAtUs }));
}
