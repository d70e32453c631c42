import { areConcurrent } from './concurrent-steps.js';
import type { NextStep } from './next-step.js';
import type { PaymentMode } from './payment-events.js';
import { ENDS, paymentIn, transferWith, type StepName } from '../test/samples.fixture.js';

const SETTLED: NextStep = { kind: 'payment', event: ENDS.settled };
const EXPIRED: NextStep = { kind: 'payment', event: ENDS.expired };
const credit = (walletId: string): NextStep => ({
  ...{ kind: 'wallet', walletId },
  command: { type: 'credit', paymentId: 'p', amountCents: 1000, atUs: 2_000 },
});
const giveBack: NextStep = {
  ...{ kind: 'wallet', walletId: 'ann' },
  command: { type: 'return', paymentId: 'p', amountCents: 1000, feeCents: 25, repaidSourceId: null, atUs: 2_000 },
};

describe('areConcurrent', () => {
  it.each<[PaymentMode, Readonly<Record<string, readonly StepName[]>>, boolean]>([
    ['transfer', { ann: ['debited'] }, true],
    ['transfer', { ann: ['asked', 'added', 'debited'] }, false],
    ['transfer', { ann: ['asked', 'debited'] }, false],
    ['transfer', {}, false],
    ['hold', { ann: ['debited'] }, false],
    ['request', { bob: ['debited'] }, false],
    ['trusted', { bob: ['debited'] }, false],
    ['refund', { ann: ['debited'] }, false],
    ['scripted', { ann: ['debited'] }, false],
  ])(
    'given a %s with the steps %j, when the credit follows its settlement, then concurrent: %s',
    (mode, steps, expected) => {
      const payee = mode === 'request' || mode === 'trusted' ? 'ann' : 'bob';
      expect(areConcurrent(transferWith(paymentIn(mode, 'settled'), steps), SETTLED, credit(payee))).toBe(expected);
    },
  );

  it('given any other pair of steps, when one follows the other, then they are not concurrent', () => {
    const settled = transferWith(paymentIn('transfer', 'settled'), { ann: ['debited'] });
    expect(areConcurrent(settled, credit('bob'), SETTLED)).toBe(false);
    expect(areConcurrent(settled, giveBack, credit('bob'))).toBe(false);
    expect(areConcurrent(settled, SETTLED, giveBack)).toBe(false);
    expect(areConcurrent(transferWith(paymentIn('transfer', 'expired'), { ann: ['debited'] }), EXPIRED, giveBack)).toBe(
      false,
    );
  });
});
