import type { AddressKind } from '@settle/contracts';

/** Keys of what responses are read from, under which changes are tracked. */
export const CHANGED_KEY = {
  /** The payments that name this user as actor or target. */
  payments: (userId: string) => `payments ${userId}`,
  /** The journal lines of a wallet. */
  wallet: (walletId: string) => `wallet ${walletId}`,
  /** The record of a user in the user replica. */
  user: (userId: string) => `user ${userId}`,
  /** The payments to a normalized address, and the users who have verified it. */
  address: (kind: AddressKind, value: string) => `address ${kind} ${value}`,
} as const;
