import { NO_CHARGE, evolveCharges, isReversed, nextRepaymentKey, openRepayment, type Charges } from './charges.js';
import { NO_DEPOSIT } from './deposit.js';
import {
  chargeResult,
  payoutResult,
  providerRequest,
  repaymentResult,
  type ProviderObject,
} from './provider-answers.js';
import {
  chargeChange,
  depositAnswer,
  lateRepaymentAnswer,
  payoutAnswer,
  payoutChange,
  repaymentChange,
} from './provider-changes.js';
import { NO_REVERSAL, evolveReversal, nextReversalStep, reversalEvents, type ReversalState } from './reversal.js';
import type { StepFact } from './wallet-steps.js';
import { NO_WITHDRAWAL } from './withdrawal.js';

const SECOND_US = 1_000_000;
const expected = { amountCents: 500, isMissingFinal: false };
const final = { ...expected, isMissingFinal: true };
const shown = <State extends string>(
  state: State,
  facts: Partial<ProviderObject<State>> = {},
): ProviderObject<State> => ({
  ...{ state, id: 'x', amountCents: 500, currency: 'USD', code: null },
  ...facts,
});

describe('providerRequest', () => {
  const call = { beginBeforeUs: 30 * SECOND_US };

  it.each([
    [0, false, 'put', false, false],
    [29, false, 'put', false, false],
    [30, false, 'get', false, false],
    [60, false, 'get', false, true],
    [100, false, 'get', true, true],
    [0, true, 'get', true, false],
  ] as const)(
    'given second %d, ended: %s, when it is asked, then: %s, cancels %s, 404 final %s',
    (at, isEnded, ...how) => {
      const [method, cancels, isMissingFinal] = how;
      const request = providerRequest({ ...call, isEnded }, at * SECOND_US, 100 * SECOND_US);
      expect(request).toEqual({ method, cancels, isMissingFinal });
    },
  );
});

describe('answers', () => {
  it('given a charge, when its answer is read, then only a state or a final 404 is a no', () => {
    expect(chargeResult('unknown', final).kind).toBe('pending');
    expect(chargeResult('missing', expected).kind).toBe('pending');
    expect(chargeResult('missing', final)).toMatchObject({ refusal: { reason: 'funding_declined' } });
    expect(chargeResult(shown('action_required'), final).kind).toBe('pending');
    expect(chargeResult(shown('approved'), expected)).toEqual({ kind: 'approved', providerId: 'x' });
    expect(chargeResult(shown('declined', { code: 'limit' }), expected)).toMatchObject({ refusal: { code: 'limit' } });
    expect(chargeResult(shown('cancelled'), expected)).toMatchObject({ refusal: { reason: 'funding_cancelled' } });
  });

  it('given another amount or currency, when an answer is read, then it is a contradiction', () => {
    const [amount, currency] = [shown('pending', { amountCents: 499 }), shown('pending', { currency: 'EUR' })];
    for (const read of [chargeResult, payoutResult, repaymentResult]) {
      expect(read(amount, expected)).toEqual({ kind: 'contradiction', contradiction: 'other_amount' });
      expect(read(currency, expected)).toEqual({ kind: 'contradiction', contradiction: 'other_currency' });
    }
  });

  it('given a repayment or payout, when its answer is read, then a pending repayment is accepted already', () => {
    expect(repaymentResult(shown('pending'), expected).kind).toBe('accepted');
    expect(repaymentResult(shown('returned'), expected).kind).toBe('refused');
    expect(repaymentResult('missing', expected).kind).toBe('unknown');
    expect(repaymentResult('missing', final).kind).toBe('missing');
    expect(payoutResult(shown('pending'), expected).kind).toBe('pending');
    expect(payoutResult('missing', final).kind).toBe('failed');
    expect(payoutResult(shown('returned'), expected)).toEqual({ kind: 'returned', code: 'other' });
  });

  it('given a deposit or withdrawal that is not waiting, when an answer comes, then nothing follows', () => {
    expect(depositAnswer(NO_DEPOSIT, { kind: 'approved', providerId: 'x' }, 1)).toBeNull();
    expect(payoutAnswer(NO_WITHDRAWAL, { kind: 'paid', providerId: 'x' }, 1)).toEqual([]);
    const change = payoutChange(NO_WITHDRAWAL, { kind: 'paid', providerId: 'x' });
    expect(change).toEqual({ kind: 'contradiction', contradiction: 'not_requested' });
  });
});

describe('changes of a charge', () => {
  const chargeKey = 'p:ann:1';
  const owner = {
    walletId: 'ann',
    paymentId: 'p',
    fundingId: null,
    chargeKey,
    attempt: 1,
    sourceId: 'card',
    totalCents: 500,
  };
  const refused: StepFact = { type: 'DebitRefused', data: { chargeKey } };
  const added: StepFact = { type: 'FundsAdded', data: { chargeKey } };
  const requested: StepFact = { type: 'RepaymentRequested', data: { chargeKey, key: 'k', beginBeforeUs: 9 } };
  const accepted: StepFact = { type: 'FundsWithdrawn', data: { chargeKey, repaymentKey: 'k' } };
  const reversed: StepFact = { type: 'FundsReversed', data: { chargeKey, reversalId: 'v' } };
  const won: StepFact = { type: 'ReversalReturned', data: { chargeKey, reversalId: 'v' } };
  const chargeAfter = (...facts: StepFact[]) =>
    facts.reduce<Charges>(evolveCharges, new Map()).get(chargeKey) ?? NO_CHARGE;
  const approved = { kind: 'approved', providerId: 'x' } as const;

  it.each([
    [[], 'advance'],
    [[added], 'applied'],
    [[refused], 'wallet'],
    [[refused, requested], 'repay'],
    [[refused, requested, added], 'applied'],
  ] as const)('given a charge after %j, when it is approved, then: %s', (facts, kind) => {
    const charge = chargeAfter(...facts);
    expect(chargeChange(owner, { charge, isRefused: charge.isRefused }, { result: approved, atUs: 1 }).kind).toBe(kind);
  });

  it('given money in the wallet, when its charge is declined, then it is a contradiction', () => {
    const result = { kind: 'refused', refusal: { reason: 'funding_declined', code: 'other' } } as const;
    const step = chargeChange(owner, { charge: chargeAfter(added), isRefused: false }, { result, atUs: 1 });
    expect(step).toEqual({ kind: 'contradiction', contradiction: 'declined_after_approval' });
  });

  it('given late money, when its repayment is answered, then it is added and withdrawn, added alone, or tried again', () => {
    const charge = chargeAfter(refused, requested);
    const after = (answer: 'accepted' | 'refused' | 'missing') =>
      lateRepaymentAnswer(owner, charge, { key: 'k', answer, atUs: 1 });
    expect(after('accepted')).toMatchObject({ type: 'add-late', repaymentKey: 'k' });
    expect(after('refused')).toMatchObject({ type: 'add-late', repaymentKey: null });
    expect(after('missing')).toMatchObject({ type: 'request-repayment', key: `${chargeKey}:late:2` });
  });

  it.each([
    [[added, requested], 'refused', 'advance'],
    [[added, requested, accepted], 'accepted', 'applied'],
    [[added, requested, accepted], 'refused', 'wallet'],
    [[added], 'accepted', 'contradiction'],
  ] as const)('given a charge after %j, when its repayment is %s, then: %s', (facts, kind, next) => {
    const step = repaymentChange(owner, chargeAfter(...facts), { key: 'k', result: { kind }, atUs: 1 });
    expect(step.kind).toBe(next);
  });

  it('given reversals, when one is won, then the charge counts as reversed only for the others', () => {
    expect(isReversed(chargeAfter(added, reversed))).toBe(true);
    expect(isReversed(chargeAfter(added, reversed, won))).toBe(false);
    expect(nextRepaymentKey(chargeAfter(added, requested), 'k')).toBe('k:2');
    expect(openRepayment(chargeAfter(added, requested, accepted))).toBeUndefined();
  });

  it('given a reversal first seen closed, when it is followed, then both events are stored and the wallet follows', () => {
    const opened = { chargeKey, userId: 'ann', paymentId: 'p', fundingId: null, amountCents: 500 };
    const events = reversalEvents(NO_REVERSAL, { state: 'won', opened }, 1);
    expect(events.map(({ type }) => type)).toEqual(['ReversalOpened', 'ReversalClosed']);
    const state = events.reduce<ReversalState>(evolveReversal, NO_REVERSAL);
    const next = (...facts: StepFact[]) => nextReversalStep('v', { state, charge: chargeAfter(...facts) }, 1);
    expect(next().kind).toBe('charge-first');
    expect(next(added)).toMatchObject({ command: { type: 'reverse', isWon: false } });
    expect(next(added, reversed)).toMatchObject({ command: { type: 'reverse', isWon: true } });
    expect(next(added, reversed, won)).toEqual({ kind: 'idle' });
  });
});
