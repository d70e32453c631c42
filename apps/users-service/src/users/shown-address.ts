import { normalizeAddress, normalizeEmail, type AddressKind, type VerifiedAddress } from '@settle/contracts';
import type { User } from '../storage/user.entity.js';

type Shown = Pick<User, 'email' | 'emailNormalized' | 'phone'>;

/** An address that a user has just verified or lost. */
export interface ChangedAddress {
  readonly kind: AddressKind;
  readonly spelling: string;
  readonly value: string;
}

/**
 * Returns the address that a user shows, of the kind of the changed one: the current one while the user has it, otherwise
 * the newest verified one. An unverified address stays until the user verifies another.
 * @param verified all verified addresses of the user
 */
export function selectShownAddress(
  user: Shown,
  verified: readonly VerifiedAddress[],
  changed: ChangedAddress,
): Partial<Shown> {
  const { kind } = changed;
  const shown = user[kind] && normalizeAddress(kind, user[kind]);
  const own = verified.filter((address) => address.kind === kind);
  if (own.some(({ value }) => value === shown)) return {};
  const newest = own.toSorted((left, right) => right.provenAtUs - left.provenAtUs)[0];
  if (newest !== undefined) return show(kind, newest.value === changed.value ? changed.spelling : newest.value);
  return shown === changed.value ? show(kind, null) : {};
}

function show(kind: AddressKind, address: string | null): Partial<Shown> {
  return kind === 'phone'
    ? { phone: address }
    : { email: address, emailNormalized: address && normalizeEmail(address) };
}
