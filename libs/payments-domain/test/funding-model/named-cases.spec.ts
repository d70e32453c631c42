import { DEPOSIT, WITHDRAWAL, only } from './focuses.fixture.js';
import { RULES } from './rules.fixture.js';
import type { Scenario } from './scenario.fixture.js';
import { walk } from './walk.fixture.js';

const RUNS = 150;
const HELD: Partial<Scenario> = { ...only('hold'), declines: 0 };

/** Each event is found after the one before it in the log. */
const CASES: readonly [string, Partial<Scenario>, readonly RegExp[]][] = [
  [
    'a cancel against an approval',
    { ...only('request'), declines: 0 },
    [
      /wallet-ann FundingRequested/,
      /payment-p1 PaymentCancelled/,
      /wallet-ann FundsDebited/,
      /wallet-ann FundsReturned/,
    ],
  ],
  [
    'a claim against open funding',
    HELD,
    [/wallet-ann FundingRequested/, /wallet-ann FundsDebited/, /payment-p1 PaymentSettled/, /FundsCredited/],
  ],
  [
    'a cancel of a held pay whose funding is open',
    HELD,
    [/FundingRequested/, /PaymentCancelled .*"refundId":null/, /FundsDebited/, /FundsReturned/],
  ],
  [
    'a reversal before FundsAdded',
    { ...DEPOSIT, declines: 0, reverses: 1 },
    [/reversal-v1 ReversalOpened/, /wallet-ann FundsAdded/, /wallet-ann FundsReversed/],
  ],
  [
    'a reversed hold that is cancelled',
    { ...HELD, reverses: 1 },
    [/wallet-ann FundsReversed/, /payment-p1 PaymentCancelled/, /wallet-ann FundsReturned/],
  ],
  [
    'a payout that is returned after it was paid',
    { ...WITHDRAWAL, returns: 1 },
    [/withdrawal-w1 WithdrawalPaid/, /withdrawal-w1 WithdrawalReturned/, /WithdrawalReversed .*"wasPaid":true/],
  ],
  [
    'a withdrawal that loses the last cent to a payment',
    { ...WITHDRAWAL, payments: only('transfer').payments ?? [], hasSource: false },
    [/withdrawal-w1 WithdrawalRequested/, /wallet-ann FundsDebited/, /withdrawal-w1 WithdrawalFailed/],
  ],
  [
    'a payment that loses the last cent to a withdrawal',
    { ...WITHDRAWAL, payments: only('transfer').payments ?? [], hasSource: false },
    [/wallet-ann FundsWithdrawn/, /wallet-ann DebitRefused/, /payment-p1 PaymentFailed/],
  ],
  [
    'a repayment that fails after it was accepted',
    { ...HELD, refuses: 0.3 },
    [/FundsWithdrawn .*"repaymentKey":"p1:ann:refund"/, /WithdrawalReversed .*"repaymentKey":"p1:ann:refund"/],
  ],
];

function isInOrder(log: readonly string[], expected: readonly RegExp[]): boolean {
  let at = 0;
  for (const line of log) if (expected[at]?.test(line) === true) at += 1;
  return at === expected.length;
}

describe('money from a provider', () => {
  it.each(CASES)('given %s, when everything is answered, then the books agree', (_name, focus, expected) => {
    const logs = Array.from({ length: RUNS }, (_, seed) => walk((seed + 1) * 7919, RULES, focus).log);
    expect(logs.filter((log) => isInOrder(log, expected)).length).toBeGreaterThan(0);
  });
});
