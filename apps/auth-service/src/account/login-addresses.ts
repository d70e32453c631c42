import type { EntityManager } from 'typeorm';
import type { ContactAddress } from '../verification/code-messages.js';
import { discardResetCodes } from '../verification/verification-codes.js';
import { LoginAddress } from '../tables/login-address.entity.js';

/**
 * Comes first: there may be no row to lock yet, and whoever has found none and then meets one would wait for it with
 * the rows of people in hand, out of their order.
 */
const LOCK_ADDRESS = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;
/** Newer proofs win, in whatever order they arrive. */
const LET_SIGN_IN = `
  insert into login_addresses (kind, value, user_id, proven_at_us, spelling) values ($1, $2, $3, $4, $5)
  on conflict (kind, value) do update set
    user_id = excluded.user_id, proven_at_us = excluded.proven_at_us, spelling = excluded.spelling
  where login_addresses.proven_at_us < excluded.proven_at_us
  returning user_id`;
/** What the owner of a new proof has, and what the one has whose address it was. */
const HELD = `
  select kind, value, spelling, user_id as "userId" from login_addresses
  where user_id = $3 or user_id = (select user_id from login_addresses where kind = $1 and value = $2)
  order by kind, value for update`;
const TAKE_AWAY = `
  with taken as (
    delete from login_addresses where kind = $1 and value = $2 and user_id = $3::bigint
    returning proven_at_us, spelling)
  select proven_at_us::text as "provenAtUs", spelling from taken`;

type Held = Omit<LoginAddress, 'provenAtUs'>;
type Owned = Pick<LoginAddress, 'kind' | 'value' | 'userId'>;

/** Who is to be told that an address has another owner: each at what they held before. */
export interface ChangeOfOwner {
  /** False: it is as it was. */
  readonly isAdded: boolean;
  readonly added: readonly Held[];
  readonly lost: readonly Held[];
}

/** Lets somebody sign in with an address that they have proven, and nobody else; within a transaction. */
export async function letSignIn(manager: EntityManager, address: LoginAddress): Promise<ChangeOfOwner> {
  const { kind, value, spelling, userId, provenAtUs } = address;
  await manager.query(LOCK_ADDRESS, [`${kind}:${value}`]);
  const held = await manager.query<Held[]>(HELD, [kind, value, userId]);
  const before = held.find((one) => one.kind === kind && one.value === value);
  const row = [kind, value, userId, provenAtUs, spelling];
  const isNewer = (await manager.query<unknown[]>(LET_SIGN_IN, row)).length > 0;
  if (!isNewer || before?.userId === userId) return { isAdded: false, added: [], lost: [] };
  // Where a code was sent to is kept nowhere, so all of them end.
  if (before !== undefined) await discardResetCodes(manager, before.userId);
  const added = held.filter((one) => one.userId === userId);
  return { isAdded: true, added, lost: held.filter((one) => one.userId !== userId) };
}

/** Lets nobody sign in with the address any more, nor reset the password with what was sent to it. Null: it was not theirs. */
export async function takeAway(manager: EntityManager, { kind, value, userId }: Owned): Promise<LoginAddress | null> {
  await manager.query(LOCK_ADDRESS, [`${kind}:${value}`]);
  const [taken] = await manager.query<Omit<LoginAddress, keyof Owned>[]>(TAKE_AWAY, [kind, value, userId]);
  await discardResetCodes(manager, userId);
  return taken === undefined ? null : { kind, value, userId, ...taken };
}

/** Where messages to the owner of a login address go. */
export function reachableAt({ kind, value, spelling }: Omit<Held, 'userId'>): ContactAddress {
  return { kind, value: spelling ?? value };
}
