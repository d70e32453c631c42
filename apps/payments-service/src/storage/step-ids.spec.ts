import { newPaymentEvent, newWalletEvent, stepId } from './step-ids.js';

describe('ids of steps', () => {
  it('given a name, when its id is computed, then it is the UUID of version 5 that other implementations compute', () => {
    // Drawn with another implementation, in the namespace of object identifiers.
    expect(stepId('www.example.com')).toBe('a5e87d3b-479e-52da-b98a-db251a851854');
    expect(stepId('x')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('given two ends of one payment, when they differ, then their ids differ', () => {
    const settled = (targetUserId: string) =>
      newPaymentEvent('1', { type: 'PaymentSettled', data: { targetUserId, atUs: 1 } }).id;
    expect(settled('2')).toBe(settled('2'));
    expect(settled('2')).not.toBe(settled('3'));
    const refused = { type: 'PaymentFailed', data: { reason: 'insufficient_funds', atUs: 1 } } as const;
    expect(newPaymentEvent('1', refused).id).not.toBe(settled('2'));
  });

  it('given a step of a wallet, when it is tried again later, then its id is the same', () => {
    const debit = (atUs: number) =>
      newWalletEvent('7', {
        type: 'FundsDebited',
        data: { paymentId: '1', amountCents: 1, feeCents: 0, balanceCents: 0, atUs },
      }).id;
    expect(debit(1)).toBe(debit(2));
  });

  it('given a charge that is requested, when it must begin by another time, then its id is another', () => {
    const facts = { paymentId: '1', attempt: 1, amountCents: 1, sourceId: 's', balanceCents: 0, atUs: 1 };
    const asked = (beginBeforeUs: number) =>
      newWalletEvent('7', { type: 'FundingRequested', data: { ...facts, chargeKey: '1:7:1', beginBeforeUs } }).id;
    expect(asked(1)).toBe(asked(1));
    expect(asked(1)).not.toBe(asked(2));
  });
});
