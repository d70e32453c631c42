import { nextStep, payerIdOf, type NextStep } from './next-step.js';
import type { PaymentMode } from './payment-events.js';
import { NO_PAYMENT } from './payment.js';
import {
  ENDS,
  NOW_US,
  contextWith,
  createdIn,
  paymentIn,
  transferWith,
  type StepName,
} from '../test/samples.fixture.js';

type Steps = Readonly<Record<string, readonly StepName[]>>;
type End = keyof typeof ENDS;

/** `debit ann`, `settled bob`, `return ann`, `charge bob`, `pending`: the step in two words. */
function inShort(step: NextStep): string {
  switch (step.kind) {
    case 'idle':
      return step.status;
    case 'wallet':
      return `${step.command.type} ${step.walletId}`;
    case 'charge':
    case 'repay':
      return `${step.kind} ${step.walletId}`;
    case 'refund':
      return 'refund';
    case 'payment':
      return step.event.type === 'PaymentSettled' ? `settled ${step.event.data.targetUserId}` : step.event.type;
  }
}

const funded: readonly StepName[] = ['asked', 'added', 'debited'];

describe('nextStep', () => {
  it.each<[PaymentMode, End, Steps, string]>([
    ['transfer', 'pending', {}, 'debit ann'],
    ['transfer', 'pending', { ann: ['asked'] }, 'charge ann'],
    ['transfer', 'pending', { ann: ['refused'] }, 'PaymentFailed'],
    ['transfer', 'pending', { ann: ['asked', 'refused'] }, 'PaymentFailed'],
    ['transfer', 'pending', { ann: ['debited'] }, 'settled bob'],
    ['transfer', 'pending', { ann: funded }, 'settled bob'],
    ['transfer', 'failed', { ann: ['refused'] }, 'done'],
    ['transfer', 'settled', { ann: ['debited'] }, 'credit bob'],
    ['transfer', 'settled', { ann: ['debited'], bob: ['credited'] }, 'done'],

    ['hold', 'pending', {}, 'debit ann'],
    ['hold', 'pending', { ann: ['asked'] }, 'charge ann'],
    ['hold', 'pending', { ann: ['refused'] }, 'PaymentFailed'],
    ['hold', 'pending', { ann: ['debited'] }, 'pending'],
    ['hold', 'settled', { ann: ['debited'] }, 'credit bob'],
    ['hold', 'settled', { ann: ['debited'], bob: ['credited'] }, 'done'],
    ['hold', 'cancelled', { ann: ['debited'] }, 'return ann'],
    ['hold', 'expired', { ann: ['debited'] }, 'return ann'],
    ['hold', 'claimedByPayer', { ann: ['debited'] }, 'return ann'],
    ['hold', 'expired', { ann: funded }, 'repay ann'],
    ['hold', 'cancelled', { ann: ['debited', 'returned'] }, 'refund'],

    ['request', 'pending', {}, 'pending'],
    ['request', 'pending', { bob: ['asked'] }, 'charge bob'],
    ['request', 'pending', { bob: ['asked', 'declined'] }, 'pending'],
    ['request', 'pending', { bob: ['debited'] }, 'settled bob'],
    ['request', 'settled', { bob: ['debited'] }, 'credit ann'],
    ['request', 'settled', { ann: ['credited'], bob: ['debited'] }, 'done'],
    ['request', 'settled', { ann: ['credited'], bob: ['debited'], cyd: ['debited'] }, 'return cyd'],
    ['request', 'settled', { ann: ['credited'], bob: ['debited'], cyd: funded }, 'repay cyd'],
    ['request', 'settled', { ann: ['credited'], bob: ['debited'], cyd: ['asked'] }, 'charge cyd'],
    ['request', 'settled', { ann: ['credited'], bob: ['debited'], cyd: ['debited', 'returned'] }, 'done'],
    ['request', 'denied', {}, 'done'],
    ['request', 'denied', { bob: ['asked'] }, 'charge bob'],
    ['request', 'cancelled', { bob: ['debited'] }, 'return bob'],
    ['request', 'cancelled', { bob: ['debited', 'returned'], cyd: ['debited'] }, 'return cyd'],
    ['request', 'expired', { bob: ['debited', 'returned'] }, 'done'],

    ['trusted', 'pending', {}, 'debit bob'],
    ['trusted', 'pending', { bob: ['asked'] }, 'charge bob'],
    ['trusted', 'pending', { bob: ['refused'] }, 'pending'],
    ['trusted', 'pending', { bob: ['refused', 'asked'] }, 'charge bob'],
    ['trusted', 'pending', { bob: ['debited'] }, 'settled bob'],
    ['trusted', 'pending', { bob: ['refused', 'debited'] }, 'settled bob'],
    ['trusted', 'settled', { bob: ['debited'] }, 'credit ann'],
    ['trusted', 'settled', { ann: ['credited'], bob: ['debited'] }, 'done'],
    ['trusted', 'cancelled', { bob: ['refused', 'debited'] }, 'return bob'],
    ['trusted', 'denied', { bob: ['refused'] }, 'done'],

    ['refund', 'pending', {}, 'done'],
    ['refund', 'settled', {}, 'done'],
  ])('given a %s that is %s with %j, when it is brought forward, then: %s', (mode, end, steps, next) => {
    const refundId = mode === 'hold' ? 'r' : null;
    expect(inShort(nextStep(transferWith(paymentIn(mode, end, { refundId }), steps), contextWith(null)))).toBe(next);
  });

  it('given no payment, when it is brought forward, then nothing is to be done', () => {
    expect(nextStep(transferWith(NO_PAYMENT), contextWith(null))).toEqual({ kind: 'idle', status: 'done' });
  });

  it('given a creation, when the payer is debited, then from the source that the payer has now', () => {
    const money = { paymentId: 'p', amountCents: 1000, feeCents: 25 };
    const command = { type: 'debit', ...money, sourceId: 'card', attempt: 1, isCreation: true, atUs: NOW_US };
    const step = nextStep(transferWith(paymentIn('transfer', 'pending')), contextWith('card'));
    expect(step).toEqual({ kind: 'wallet', walletId: 'ann', command });
  });

  it('given a question to a source, when it is put, then the key names payment, wallet and attempt', () => {
    const order = { sourceId: 'card', attempt: 1, totalCents: 1025 };
    const asked = transferWith(paymentIn('hold', 'pending'), { ann: ['asked'] });
    expect(nextStep(asked, contextWith(null))).toEqual({ kind: 'charge', walletId: 'ann', key: 'p:ann:1', order });
    const funded = transferWith(paymentIn('hold', 'expired'), { ann: ['asked', 'added', 'debited'] });
    expect(nextStep(funded, contextWith(null))).toEqual({
      ...{ kind: 'repay', walletId: 'ann', key: 'p:ann:refund', order },
    });
  });

  it('given a source that declined an approval paid from the balance next, when it is returned, then not to it', () => {
    const lost = transferWith(paymentIn('request', 'cancelled'), { bob: ['asked', 'declined', 'debited'] });
    expect(inShort(nextStep(lost, contextWith(null)))).toBe('return bob');
  });

  it('given a hold that went back, when its refund payment is written, then it is the payer to the payer, settled', () => {
    const hold = paymentIn('hold', 'cancelled', { refundId: 'r' });
    const step = nextStep(transferWith(hold, { ann: ['debited', 'returned'] }), contextWith(null));
    const target = { type: 'user', userId: 'ann', address: null } as const;
    const facts = { target, feeCents: 0, audience: 'private', refundOf: 'p', atUs: 2_000 } as const;
    const settled = { type: 'PaymentSettled', data: { targetUserId: 'ann', atUs: 2_000 } };
    expect(step).toEqual({ kind: 'refund', refundId: 'r', events: [createdIn('refund', facts), settled] });
  });

  it.each([
    ['its refund payment is written', 'r', true],
    ['its end names no refund payment', null, false],
  ])('given a hold that went back, when %s, then nothing is to be done', (_when, refundId, isRefundWritten) => {
    const hold = paymentIn('hold', 'expired', { refundId });
    const transfer = transferWith(hold, { ann: ['debited', 'returned'] }, isRefundWritten);
    expect(inShort(nextStep(transfer, contextWith(null)))).toBe('done');
  });
});

describe('payerIdOf', () => {
  it('given a pay or a charge, when the payer is asked for, then it is the actor of the one, the other of the other', () => {
    expect(payerIdOf(createdIn('hold').data, null)).toBe('ann');
    expect(payerIdOf(createdIn('transfer').data, 'bob')).toBe('ann');
    expect(payerIdOf(createdIn('trusted').data, 'bob')).toBe('bob');
    expect(payerIdOf(createdIn('request').data, null)).toBeNull();
  });
});
