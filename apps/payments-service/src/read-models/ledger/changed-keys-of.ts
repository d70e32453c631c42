import { CHANGED_KEY } from '../../storage/changed-keys.js';
import { addressOf } from '../payments/payment-row.js';
import type { LedgerBatch } from './ledger-table.js';

/** Returns the keys of what responses show differently once a batch is written. */
export function changedKeysOf({ payments, walletLines }: Pick<LedgerBatch, 'payments' | 'walletLines'>): string[] {
  const keys = walletLines.map(({ walletId }) => CHANGED_KEY.wallet(walletId));
  for (const { row } of payments) {
    keys.push(CHANGED_KEY.payments(row.actorId));
    if (row.targetUserId !== null) keys.push(CHANGED_KEY.payments(row.targetUserId));
    const address = addressOf(row);
    // While it is pending, the payment is in the list of the owner of the address.
    if (address !== null) keys.push(CHANGED_KEY.address(address.kind, address.key));
  }
  return keys;
}
