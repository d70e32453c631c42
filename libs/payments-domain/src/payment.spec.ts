import { REQUEST_ACTIONS } from '@settle/contracts';
import fc from 'fast-check';
import { decidePayment, type PaymentCommand } from './payment-decisions.js';
import type { PaymentEvent, PaymentMode } from './payment-events.js';
import { NO_PAYMENT, evolvePayment, targetUserIdOf, totalCentsOf, type PaymentState } from './payment.js';
import { ENDS, createdIn, paymentIn } from '../test/samples.fixture.js';
import { NO_STEPS, evolveSteps, type StepFact } from './wallet-steps.js';

const MODES: readonly PaymentMode[] = ['transfer', 'hold', 'request', 'trusted', 'refund'];
const people = fc.constantFrom('ann', 'bob', 'cyd');
const anyUser = fc.option(people);
const time = fc.nat({ max: 10_000 });

const ends: fc.Arbitrary<PaymentEvent> = fc.oneof(
  fc.record({ targetUserId: people, atUs: time }).map((data) => ({ type: 'PaymentSettled', data }) as const),
  time.map((atUs) => ({ type: 'PaymentFailed', data: { reason: 'insufficient_funds', atUs } }) as const),
  fc
    .record({ refundId: fc.option(fc.string()), targetUserId: anyUser, atUs: time })
    .map((data) => ({ type: 'PaymentExpired', data }) as const),
  fc
    .record({
      ...{ refundId: fc.option(fc.string()), targetUserId: anyUser, atUs: time },
      reason: fc.constantFrom('denied', 'cancelled_by_actor', 'claimed_by_payer'),
    })
    .map((data) => ({ type: 'PaymentCancelled', data }) as const),
);
const creations = fc.constantFrom(...MODES).map((mode) => createdIn(mode));
const events = fc.oneof(creations, ends);

const commands: fc.Arbitrary<PaymentCommand> = fc.oneof(
  creations.map((created) => ({ type: 'create', created }) as const),
  fc.record({
    ...{ type: fc.constantFrom(...REQUEST_ACTIONS), byUserId: people, targetUserId: anyUser },
    ...{ refundId: fc.string(), atUs: time },
  }),
  fc.record({ type: fc.constant('claim'), claimantId: people, refundId: fc.string(), atUs: time }),
  fc.record({
    ...{ type: fc.constant('expire'), targetUserId: anyUser, refundId: fc.string() },
    ...{ dueAfterUs: time, atUs: time },
  }),
);

const isFinal = ({ status }: PaymentState): boolean => status !== 'none' && status !== 'pending';

describe('evolvePayment', () => {
  it('given any events, when they are folded, then none throws and an ended payment stays as it ended', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 8 }), (sequence) => {
        let payment: PaymentState = NO_PAYMENT;
        for (const event of sequence) {
          const before: PaymentState = payment;
          payment = evolvePayment(payment, event);
          if (isFinal(before)) expect(payment).toBe(before);
          if (before.status !== 'none' && payment.status !== 'none') expect(payment.facts).toBe(before.facts);
        }
        expect(payment.status === 'none').toBe(sequence.every(({ type }) => type !== 'PaymentCreated'));
      }),
      { numRuns: 2000 },
    );
  });

  // Shows act-9
  it('given any payment, when any command comes, then an ended one is never added to and another ends at most once', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 4 }), fc.array(commands, { maxLength: 8 }), (past, sequence) => {
        let payment = past.reduce(evolvePayment, NO_PAYMENT);
        for (const command of sequence) {
          const decision = decidePayment(command, payment);
          if (isFinal(payment)) expect(['already', 'refused']).toContain(decision.kind);
          if (decision.kind !== 'append') continue;
          const after = evolvePayment(payment, decision.event);
          expect(after).not.toBe(payment);
          expect(isFinal(after)).toBe(payment.status === 'pending');
          payment = after;
        }
      }),
      { numRuns: 2000 },
    );
  });

  // Shows act-30
  it('given an end, when it is folded, then the payment knows how, when, for whom and with which refund it ended', () => {
    const hold = evolvePayment(NO_PAYMENT, createdIn('hold'));
    expect(evolvePayment(hold, ENDS.settled)).toMatchObject({
      status: 'settled',
      targetUserId: 'bob',
      endedAtUs: 2_000,
    });
    expect(evolvePayment(hold, ENDS.failed)).toMatchObject({ status: 'failed', endedAtUs: 2_000 });
    const expired: PaymentEvent = { type: 'PaymentExpired', data: { refundId: 'r', targetUserId: null, atUs: 3 } };
    expect(evolvePayment(hold, expired)).toMatchObject({ status: 'expired', reason: 'expired', refundId: 'r' });
    expect(evolvePayment(hold, ENDS.claimedByPayer)).toMatchObject({ status: 'cancelled', reason: 'claimed_by_payer' });
  });
});

describe('targetUserIdOf', () => {
  it('given a target user or an address, when the target is read, then it is the user, the one of the final event, or null', () => {
    expect(targetUserIdOf(paymentIn('transfer', 'pending'))).toBe('bob');
    expect(targetUserIdOf(paymentIn('hold', 'pending'))).toBeNull();
    expect(targetUserIdOf(paymentIn('hold', 'failed'))).toBeNull();
    expect(targetUserIdOf(paymentIn('hold', 'settled'))).toBe('bob');
    expect(targetUserIdOf(paymentIn('hold', 'claimedByPayer'))).toBe('ann');
    expect(targetUserIdOf(paymentIn('request', 'expired'))).toBeNull();
    expect(totalCentsOf(createdIn('hold').data)).toBe(1025);
  });
});

describe('evolveSteps', () => {
  const facts: fc.Arbitrary<StepFact> = fc.oneof(
    fc
      .record({ attempt: fc.nat(), sourceId: fc.string() })
      .map((data) => ({ type: 'FundingRequested', data }) as const),
    fc
      .constantFrom(
        ...(['WalletOpened', 'FundsAdded', 'FundingDeclined', 'FundsDebited', 'DebitRefused'] as const),
        ...(['FundsCredited', 'FundsReturned', 'FundsWithdrawn'] as const),
      )
      .map((type) => ({ type, data: {} })),
  );

  it('given any facts, when they are folded, then none throws and what was done stays done', () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 12 }), (sequence) => {
        let steps = NO_STEPS;
        for (const fact of sequence) {
          const { isDebited, isRefused, isCredited, isReturned } = steps;
          steps = evolveSteps(steps, fact);
          expect(steps.isDebited).toBe(isDebited || fact.type === 'FundsDebited');
          expect(steps.isRefused).toBe(isRefused || fact.type === 'DebitRefused');
          expect(steps.isCredited).toBe(isCredited || fact.type === 'FundsCredited');
          expect(steps.isReturned).toBe(isReturned || fact.type === 'FundsReturned');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
