import type { PaymentRow } from '../payments/payment-row.js';
import { changedKeysOf } from './changed-keys-of.js';
import type { LedgerBatch } from './ledger-table.js';

const payment = (row: Partial<PaymentRow>) =>
  ({ row: { mode: 'request', targetType: 'user', targetUserId: null, targetAddress: null, ...row } }) as never;

const batch = (changes: Partial<LedgerBatch>) => changedKeysOf({ payments: [], walletLines: [], ...changes });

describe('the keys of what a batch changes', () => {
  it('given lines of wallets, when they are written, then the keys are those of the wallets', () => {
    expect(batch({ walletLines: [{ walletId: '1' }, { walletId: '2' }] as never })).toEqual(['wallet 1', 'wallet 2']);
  });

  it('given a payment between two users, when it is written, then the keys are those of both lists', () => {
    expect(batch({ payments: [payment({ actorId: '1', targetUserId: '2' })] })).toEqual(['payments 1', 'payments 2']);
  });

  it('given a payment to an address, when it is written, then its normalized address is a key, also once it names a user', () => {
    const toAddress = { actorId: '1', targetType: 'email', targetAddress: 'Bob@Example.com' } as const;
    const keys = ['payments 1', 'address email bob@example.com'];
    expect(batch({ payments: [payment(toAddress)] })).toEqual(keys);
    const settled = batch({ payments: [payment({ ...toAddress, targetUserId: '2' })] });
    expect(settled.sort()).toEqual([...keys, 'payments 2'].sort());
  });

  it("given a payment to the sandbox's test user by address, when it is written, then no address is a key", () => {
    const scripted = { actorId: '1', mode: 'scripted', targetType: 'email', targetAddress: 'a@b.co' } as const;
    expect(batch({ payments: [payment(scripted)] })).toEqual(['payments 1']);
  });
});
