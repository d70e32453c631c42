import type { EntityManager } from 'typeorm';
import { discardResetCodes } from '../verification/verification-codes.js';
import { LoginAddress } from '../tables/login-address.entity.js';

/**
 * Locks the address before any row. The row may not exist yet: a transaction that found none and then met a concurrent
 * insert would wait for it while holding other rows, out of lock order.
 */
const LOCK_ADDRESS = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;
/** The newest verification wins, regardless of arrival order. */
const UPSERT_ADDRESS = `
  insert into login_addresses (kind, value, user_id, proven_at_us, spelling) values ($1, $2, $3, $4, $5)
  on conflict (kind, value) do update set
    user_id = excluded.user_id, proven_at_us = excluded.proven_at_us, spelling = excluded.spelling
  where login_addresses.proven_at_us < excluded.proven_at_us
  returning user_id`;
/** The addresses of the user who verified the address and of its previous owner. */
const SELECT_AFFECTED = `
  select kind, value, spelling, user_id as "userId" from login_addresses
  where user_id = $3 or user_id = (select user_id from login_addresses where kind = $1 and value = $2)
  order by kind, value for update`;
const DELETE_ADDRESS = `
  with deleted as (
    delete from login_addresses where kind = $1 and value = $2 and user_id = $3::bigint
    returning proven_at_us, spelling)
  select proven_at_us::text as "provenAtUs", spelling from deleted`;

type AffectedAddress = Omit<LoginAddress, 'provenAtUs'>;
type OwnedAddress = Pick<LoginAddress, 'kind' | 'value' | 'userId'>;

/** The result of assigning an address to a user, with the addresses to notify. */
export interface AddressAssignment {
  /** False if nothing changed. */
  readonly isAdded: boolean;
  /** Where to notify the new owner. */
  readonly added: readonly AffectedAddress[];
  /** Where to notify the previous owner. */
  readonly lost: readonly AffectedAddress[];
}

/** Assigns a verified address to a user, who becomes the only one to sign in with it. Call it within a transaction. */
export async function assignLoginAddress(manager: EntityManager, address: LoginAddress): Promise<AddressAssignment> {
  const { kind, value, spelling, userId, provenAtUs } = address;
  await manager.query(LOCK_ADDRESS, [`${kind}:${value}`]);
  const affected = await manager.query<AffectedAddress[]>(SELECT_AFFECTED, [kind, value, userId]);
  const previous = affected.find((entry) => entry.kind === kind && entry.value === value);
  const row = [kind, value, userId, provenAtUs, spelling];
  const isNewer = (await manager.query<unknown[]>(UPSERT_ADDRESS, row)).length > 0;
  if (!isNewer || previous?.userId === userId) return { isAdded: false, added: [], lost: [] };
  // The destination of a code is not stored, so all reset codes of the previous owner end.
  if (previous !== undefined) await discardResetCodes(manager, previous.userId);
  const added = affected.filter((entry) => entry.userId === userId);
  return { isAdded: true, added, lost: affected.filter((entry) => entry.userId !== userId) };
}

/**
 * Ends sign-in with the address and voids the user's password reset codes. Returns the removed address, or null if it
 * did not belong to the user.
 */
export async function removeLoginAddress(
  manager: EntityManager,
  { kind, value, userId }: OwnedAddress,
): Promise<LoginAddress | null> {
  await manager.query(LOCK_ADDRESS, [`${kind}:${value}`]);
  type Removed = Omit<LoginAddress, keyof OwnedAddress>;
  const [removed] = await manager.query<Removed[]>(DELETE_ADDRESS, [kind, value, userId]);
  await discardResetCodes(manager, userId);
  return removed === undefined ? null : { kind, value, userId, ...removed };
}
