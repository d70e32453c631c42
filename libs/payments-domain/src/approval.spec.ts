import { approvalDebit, fundingAnswer, returnAfterRepayment } from './approval.js';
import { nextStep } from './next-step.js';
import { contextWith, NOW_US, paymentIn, transferWith, type StepName } from '../test/samples.fixture.js';
import { NO_STEPS, evolveSteps } from './wallet-steps.js';

const request = paymentIn('request', 'pending');
const money = { paymentId: 'p', amountCents: 1000, feeCents: 25, atUs: NOW_US };
const yes = { attempt: 1, isApproved: true, atUs: NOW_US };

describe('approvalDebit', () => {
  const approval = (...steps: StepName[]) =>
    approvalDebit(transferWith(request, { bob: steps }), 'bob', { sourceId: 'card', atUs: NOW_US, appId: 'app' });
  const debit = { type: 'debit', ...money, sourceId: 'card', isCreation: false, appId: 'app' };

  it('given a wallet without a step, when it approves, then amount and fee are debited as the first attempt', () => {
    expect(approval()).toEqual({ ...debit, attempt: 1 });
    expect(approvalDebit(transferWith(request), 'cyd', { sourceId: null, atUs: NOW_US, appId: 'app' })).toEqual({
      ...debit,
      ...{ sourceId: null, attempt: 1 },
    });
  });

  it('given a source that declined, when its owner approves again, then it is the next attempt', () => {
    expect(approval('asked', 'declined')).toEqual({ ...debit, attempt: 2 });
    expect(approval('asked', 'refused')).toEqual({ ...debit, attempt: 2 });
  });

  it('given a debit that stands, when its owner approves again, then no other follows', () => {
    expect(approval('debited')).toBeNull();
    expect(approval('debited', 'returned')).toBeNull();
  });

  it('given a source that has not answered, when its owner approves again, then it is asked, not debited beside', () => {
    expect(approval('asked')).toBeNull();
    const asked = transferWith(request, { bob: ['asked'] });
    expect(nextStep(asked, contextWith('card'))).toMatchObject({ kind: 'charge', key: 'p:bob:1' });
  });
});

describe('fundingAnswer', () => {
  const asked = (mode: 'transfer' | 'hold' | 'trusted' | 'request', ...steps: StepName[]) =>
    transferWith(paymentIn(mode, 'pending'), { bob: steps });

  it.each([
    ['transfer', ['asked'], true],
    ['hold', ['asked'], true],
    ['trusted', ['asked'], true],
    ['trusted', ['refused', 'asked'], false],
    ['request', ['asked'], false],
  ] as const)('given a %s with %j, when the source answers, then for its creation: %s', (mode, steps, isCreation) => {
    const fund = { type: 'fund', ...money, sourceId: 'card', attempt: 1, isApproved: true, isCreation };
    expect(fundingAnswer(asked(mode, ...steps), 'bob', yes)).toEqual(fund);
  });

  it('given a creation whose attempt is above that of an orphan charge, when it is declined, then the creation is', () => {
    const data = { paymentId: 'p', amountCents: 1025, sourceId: 'card', attempt: 2, balanceCents: 0, atUs: NOW_US };
    const steps = evolveSteps(NO_STEPS, { type: 'FundingRequested', data });
    const transfer = { ...asked('transfer'), steps: new Map([['ann', steps]]) };
    const answer = { attempt: 2, isApproved: false, atUs: NOW_US };
    expect(fundingAnswer(transfer, 'ann', answer)).toMatchObject({ attempt: 2, isCreation: true });
  });

  it('given an answer that is stored, or none awaited, when it comes again, then nothing follows', () => {
    for (const steps of [[], ['asked', 'declined'], ['asked', 'refused'], ['asked', 'added', 'debited']] as const) {
      expect(fundingAnswer(asked('trusted', ...steps), 'bob', yes)).toBeNull();
    }
    expect(fundingAnswer(asked('request', 'asked'), 'cyd', yes)).toBeNull();
  });

  it('given a later attempt that waits, when an answer to an earlier one comes late, then it is not taken for it', () => {
    const first = asked('request', 'asked', 'declined');
    const data = { paymentId: 'p', attempt: 2, amountCents: 1025, sourceId: 'card', balanceCents: 0, atUs: NOW_US };
    const bob = evolveSteps(first.steps.get('bob')!, { type: 'FundingRequested', data });
    const second = { ...first, steps: new Map([['bob', bob]]) };
    expect(fundingAnswer(second, 'bob', { ...yes, isApproved: false })).toBeNull();
    expect(fundingAnswer(second, 'bob', { ...yes, attempt: 2 })).toMatchObject({ attempt: 2, isApproved: true });
  });

  it('given a payment that has ended meanwhile, when the source says yes, then the money is taken in all the same', () => {
    const late = transferWith(paymentIn('request', 'cancelled'), { bob: ['asked'] });
    expect(fundingAnswer(late, 'bob', yes)).toMatchObject({ type: 'fund', isApproved: true });
  });
});

describe('returnAfterRepayment', () => {
  const ended = paymentIn('hold', 'cancelled');
  const funded = transferWith(ended, { ann: ['asked', 'added', 'debited'] });

  it.each([
    [true, 'card'],
    [false, null],
  ])('given a source that takes it back: %s, when the debit is returned, then to the source %s', (isRepaid, source) => {
    const back = { type: 'return', ...money, repaidSourceId: source };
    expect(returnAfterRepayment(funded, 'ann', { isRepaid, atUs: NOW_US })).toEqual(back);
  });

  it('given no debit or a return that stands, when the source answers again, then nothing follows', () => {
    const answer = { isRepaid: true, atUs: NOW_US };
    expect(returnAfterRepayment(transferWith(ended, { ann: ['asked'] }), 'ann', answer)).toBeNull();
    const returned = transferWith(ended, { ann: ['asked', 'added', 'debited', 'returned'] });
    expect(returnAfterRepayment(returned, 'ann', answer)).toBeNull();
    expect(returnAfterRepayment(funded, 'bob', answer)).toBeNull();
  });
});
