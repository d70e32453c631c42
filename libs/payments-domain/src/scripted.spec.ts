import { nextStep } from './next-step.js';
import { NO_PAYMENT, evolvePayment, type PaymentState } from './payment.js';
import { contextWith, createdIn, paymentIn, transferWith } from '../test/samples.fixture.js';
import { scriptedBalanceCents, scriptedOutcome } from './scripted.js';
import { decidePayment } from './payment-decisions.js';

describe("the sandbox's test user", () => {
  it.each([
    ['pay', 10, 'settled', 990],
    ['pay', 20, 'failed', 1000],
    ['pay', 30, 'pending', 970],
    ['charge', 10, 'settled', 1010],
    ['charge', 20, 'pending', 1000],
    ['pay', 40, null, 1000],
    ['pay', 1, null, 1000],
    ['charge', 30, null, 1000],
  ] as const)('given a %s of %s cents, when it is looked up, then it is %s and the balance %s', (...row) => {
    const [action, amountCents, outcome, balanceCents] = row;
    expect(scriptedOutcome({ action, amountCents })).toBe(outcome);
    expect(scriptedBalanceCents({ action, amountCents })).toBe(balanceCents);
  });

  it.each([
    ['pay', 10, 'PaymentSettled'],
    ['pay', 20, 'PaymentFailed'],
    ['charge', 10, 'PaymentSettled'],
  ] as const)(
    'given a %s of %s cents that was created, when it goes on, then %s follows and nothing else',
    (...row) => {
      const [action, amountCents, type] = row;
      const created = createdIn('scripted', { action, amountCents });
      let payment: PaymentState = evolvePayment(NO_PAYMENT, created);
      const step = nextStep(transferWith(payment), contextWith('card'));
      if (step.kind !== 'payment') throw new Error(step.kind);
      expect(step.event.type).toBe(type);
      payment = evolvePayment(payment, step.event);
      expect(nextStep(transferWith(payment), contextWith('card'))).toEqual({ kind: 'idle', status: 'done' });
    },
  );

  it('given a pay that stays pending, when it is cancelled or expires, then no wallet and no refund has a part', () => {
    const target = { type: 'email', userId: null, address: 'payee@example.com' } as const;
    const facts = { action: 'pay', amountCents: 30, target } as const;
    const pending = paymentIn('scripted', 'pending', { facts });
    expect(nextStep(transferWith(pending), contextWith('card'))).toEqual({ kind: 'idle', status: 'pending' });
    const cancel = { type: 'cancel', byUserId: 'ann', targetUserId: null, refundId: 'r', atUs: 9 } as const;
    const expire = { type: 'expire', targetUserId: null, refundId: 'r', dueAfterUs: 1, atUs: 9_000_000 } as const;
    for (const command of [cancel, expire]) {
      const decision = decidePayment(command, pending);
      if (decision.kind !== 'append') throw new Error(decision.kind);
      expect(decision.event.data).toMatchObject({ refundId: null });
      const ended = evolvePayment(pending, decision.event);
      expect(nextStep(transferWith(ended), contextWith('card'))).toEqual({ kind: 'idle', status: 'done' });
    }
    const claim = { type: 'claim', claimantId: 'cyd', refundId: 'r', atUs: 9 } as const;
    expect(decidePayment(claim, pending)).toMatchObject({ kind: 'refused', code: 'not_permitted' });
  });
});
