import { FEES_ACCOUNT, feeEntry, fundingAccount, transitAccount, walletAccount, walletEntry } from './journal.js';
import { createdIn } from '../test/samples.fixture.js';
import type { WalletEvent } from './wallet-events.js';

const fact = { paymentId: 'p', amountCents: 1000, balanceCents: 5, atUs: 1 };
const both = { ...fact, feeCents: 25 };
const source = { ...fact, sourceId: 'card', attempt: 1 };

describe('walletEntry', () => {
  it.each<[WalletEvent, string, string, number]>([
    [{ type: 'WalletOpened', data: { paymentId: null, balanceCents: 0, atUs: 1 } }, 'wallet:ann', 'wallet:ann', 0],
    [{ type: 'FundingRequested', data: source }, 'wallet:ann', 'wallet:ann', 0],
    [{ type: 'FundingDeclined', data: source }, 'wallet:ann', 'wallet:ann', 0],
    [{ type: 'DebitRefused', data: source }, 'wallet:ann', 'wallet:ann', 0],
    [{ type: 'FundsAdded', data: source }, 'funding:ann', 'wallet:ann', 1000],
    [{ type: 'FundsAdded', data: { ...source, paymentId: null } }, 'funding:ann', 'wallet:ann', 1000],
    [{ type: 'FundsWithdrawn', data: source }, 'wallet:ann', 'funding:ann', 1000],
    [{ type: 'FundsDebited', data: both }, 'wallet:ann', 'transit:p', 1025],
    [{ type: 'FundsReturned', data: both }, 'transit:p', 'wallet:ann', 1025],
    [{ type: 'FundsCredited', data: fact }, 'transit:p', 'wallet:ann', 1000],
  ])(
    'given %j, when it is entered, then from %s to %s: %d cents',
    (event, debitAccount, creditAccount, amountCents) => {
      expect(walletEntry('ann', event)).toEqual({ debitAccount, creditAccount, amountCents });
    },
  );
});

describe('feeEntry', () => {
  it('given a payment with a fee, when it is settled, then the fee goes from transit to the fees; without, nothing', () => {
    const entry = { debitAccount: transitAccount('p'), creditAccount: FEES_ACCOUNT, amountCents: 25 };
    expect(feeEntry('p', createdIn('hold').data)).toEqual(entry);
    expect(feeEntry('p', createdIn('hold', { feeCents: 0 }).data)).toBeNull();
  });
});

it('given the kinds of accounts, when they are named, then no two share a name', () => {
  expect([walletAccount('1'), transitAccount('1'), fundingAccount('1'), FEES_ACCOUNT]).toEqual([
    ...['wallet:1', 'transit:1', 'funding:1', 'fees'],
  ]);
});
