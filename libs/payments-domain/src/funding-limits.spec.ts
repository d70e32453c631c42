import fc from 'fast-check';
import {
  exceededSourceLimit,
  heldCentsOf,
  sourceTimeUs,
  withdrawableCents,
  withdrawalBlock,
  type WithdrawalTerms,
} from './funding-limits.js';
import type { WalletEvent } from './wallet-events.js';

const LIMITS = { perDayCents: 500, declinesPerDay: 5 };
const at = { paymentId: 'p', balanceCents: 9, atUs: 100 };
const source = { attempt: 1, amountCents: 5, sourceId: 'card' };

describe('exceededSourceLimit', () => {
  it.each([
    [0, 0, 500, null],
    [0, 0, 501, 'amount'],
    [499, 4, 1, null],
    [499, 4, 2, 'amount'],
    [0, 5, 1, 'declines'],
    [500, 6, 1, 'declines'],
  ])(
    'given %i used and %i declined or open, when %i more is requested, then: %s',
    (usedCents, declinedOrOpen, cents, exceeded) => {
      expect(exceededSourceLimit({ usedCents, declinedOrOpen }, cents, LIMITS)).toBe(exceeded);
    },
  );

  it('given any charges, when each is taken only if it is admitted, then their sum never exceeds the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 600 })), (charges) => {
        let usedCents = 0;
        for (const cents of charges) {
          if (exceededSourceLimit({ usedCents, declinedOrOpen: 0 }, cents, LIMITS) === null) usedCents += cents;
        }
        expect(usedCents).toBeLessThanOrEqual(LIMITS.perDayCents);
      }),
    );
  });
});

describe('withdrawableCents', () => {
  it('given any balance and held money, when it is computed, then it is neither negative nor above the balance', () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(cents, cents, (balanceCents, heldCents) => {
        const withdrawable = withdrawableCents(balanceCents, heldCents);
        expect(withdrawable).toBeGreaterThanOrEqual(0);
        expect(withdrawable).toBeLessThanOrEqual(Math.max(0, balanceCents));
        if (withdrawable > 0) expect(balanceCents - withdrawable).toBeGreaterThanOrEqual(heldCents);
      }),
    );
  });
});

describe('withdrawalBlock', () => {
  const terms: WithdrawalTerms = {
    ...{ amountCents: 100, withdrawnCents: 900, perDayCents: 1_000 },
    ...{ payoutSourceSinceUs: 1_000, newSourceWaitUs: 500, notBeforeUs: 0 },
  };
  it.each<[string, Partial<WithdrawalTerms>, number, ReturnType<typeof withdrawalBlock>]>([
    ['all waits over', {}, 1_500, null],
    ['a source that is too new', {}, 1_499, { kind: 'new source', untilUs: 1_500 }],
    ['a changed password', { notBeforeUs: 2_000 }, 1_999, { kind: 'wait', untilUs: 2_000 }],
    ['a changed password long ago', { notBeforeUs: 2_000 }, 2_000, null],
    ['a cent too much', { amountCents: 101 }, 1_500, { kind: 'amount' }],
  ])('given %s, when a withdrawal is requested, then that decides', (_, change, atUs, block) => {
    expect(withdrawalBlock({ ...terms, ...change }, atUs)).toEqual(block);
  });
});

describe('money of a source', () => {
  const added: WalletEvent = { type: 'FundsAdded', data: { ...at, ...source, chargeKey: 'c' } };
  const credited: WalletEvent = { type: 'FundsCredited', data: { ...at, amountCents: 7, isFromSource: true } };
  const elsewhere: readonly WalletEvent[] = [
    { type: 'FundsAdded', data: { ...at, ...source } },
    { type: 'FundsCredited', data: { ...at, amountCents: 7 } },
    { type: 'FundsDebited', data: { ...at, amountCents: 7, feeCents: 0, chargeKey: 'c' } },
  ];

  it('given money from a source, when it came after the time that counts, then it is held', () => {
    expect([heldCentsOf(added, 99), heldCentsOf(credited, 99), heldCentsOf(added, 100)]).toEqual([5, 7, 0]);
    expect(elsewhere.map((event) => heldCentsOf(event, 0))).toEqual([0, 0, 0]);
  });

  it('given events of a charge, when one is requested, refused or brings money, then its time counts', () => {
    const requested: WalletEvent = { type: 'FundingRequested', data: { ...at, ...source, chargeKey: 'c' } };
    const limited: WalletEvent = {
      type: 'DebitRefused',
      data: { ...at, attempt: 1, reason: 'funding_declined', code: 'limit' },
    };
    expect([requested, limited, added, credited].map(sourceTimeUs)).toEqual([100, 100, 100, 100]);
    const refused: WalletEvent = { type: 'DebitRefused', data: { ...at, attempt: 1 } };
    expect([...elsewhere, refused].map(sourceTimeUs)).toEqual([null, null, null, null]);
  });
});
