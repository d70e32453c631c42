import { approvalDebit, repaymentAnswer } from './approval.js';
import { fundingCalls, isFundingOpen } from './funding-calls.js';
import { fundingAccount, payoutEntry, payoutsAccount, walletAccount, walletEntry } from './journal.js';
import { nextStep, type Transfer } from './next-step.js';
import { evolvePayment } from './payment.js';
import { decidePayment } from './payment-decisions.js';
import { decideWallet } from './wallet.js';
import type { WalletEvent } from './wallet-events.js';
import { NO_STEPS, evolveSteps } from './wallet-steps.js';
import { NOW_US, contextWith, paymentIn, transferWith } from '../test/samples.fixture.js';

const context = { ...contextWith('card'), usesProvider: true };
const fact = { paymentId: 'p', amountCents: 1025, sourceId: 'card', attempt: 1, balanceCents: 0, atUs: 2_000 };
const key = 'p:ann:1';
const asked: WalletEvent = { type: 'FundingRequested', data: { ...fact, chargeKey: key, beginBeforeUs: 30 } };
const paid: readonly WalletEvent[] = [
  asked,
  { type: 'FundsAdded', data: { ...fact, chargeKey: key } },
  { type: 'FundsDebited', data: { ...fact, amountCents: 1000, feeCents: 25, chargeKey: key } },
];
const reversed: WalletEvent = { type: 'FundsReversed', data: { ...fact, reversalId: 'v', chargeKey: key } };
const intent: WalletEvent = {
  type: 'RepaymentRequested',
  data: { ...fact, chargeKey: key, key: 'p:ann:refund', beginBeforeUs: 40 },
};
const after = <Known extends Transfer>(transfer: Known, walletId: string, events: readonly WalletEvent[]): Known => ({
  ...transfer,
  steps: new Map([...transfer.steps, [walletId, events.reduce(evolveSteps, NO_STEPS)]]),
});

describe('a payment whose charge is open', () => {
  it('given an open charge, when the payment has ended, then it is only cancelled and read', () => {
    const pending = after(transferWith(paymentIn('hold', 'pending')), 'ann', [asked]);
    expect(nextStep(pending, context)).toMatchObject({ kind: 'charge', key, beginBeforeUs: 30, isEnded: false });
    const ended = after(transferWith(paymentIn('hold', 'cancelled')), 'ann', [asked]);
    expect(nextStep(ended, context)).toMatchObject({ kind: 'charge', key, isEnded: true });
    expect(isFundingOpen(ended, 'ann')).toBe(true);
  });

  it('given an open charge of another approver, when a request is settled, then the credit does not wait for it', () => {
    const settled = after(transferWith(paymentIn('request', 'settled'), { bob: ['debited'] }), 'cyd', [asked]);
    expect(nextStep(settled, context)).toMatchObject({ kind: 'wallet', walletId: 'ann', command: { type: 'credit' } });
    expect(fundingCalls(settled, context)).toMatchObject([{ kind: 'charge', walletId: 'cyd' }]);
  });

  it('given limits that do not admit a charge, when a payment would need it, then it is refused without one', () => {
    const limited = { ...context, admitsCharge: () => false };
    const step = nextStep(transferWith(paymentIn('transfer', 'pending')), limited);
    if (step.kind !== 'wallet') throw new Error('No debit');
    const [refused, ...others] = decideWallet(step.command, { isOpen: true, balanceCents: 0 });
    const because = { reason: 'funding_declined', code: 'limit' };
    expect([refused, others]).toMatchObject([{ type: 'DebitRefused', data: because }, []]);
    expect(refused?.data).not.toHaveProperty('chargeKey');
    // The balance pays whatever the limits are.
    expect(decideWallet(step.command, { isOpen: true, balanceCents: 9_999 })).toMatchObject([{ type: 'FundsDebited' }]);
    const request = { ...transferWith(paymentIn('request', 'pending')), payment: paymentIn('request', 'pending') };
    const approval = approvalDebit(request, 'bob', { ...limited, sourceId: 'card', appId: 'app' });
    expect(approval).toMatchObject({ isAboveLimit: true });
    expect(approval && decideWallet(approval, { isOpen: true, balanceCents: 0 })).toEqual([]);
  });

  it('given a payment that a source paid, when it settles, then the settlement and the credit carry the mark', () => {
    const mark = { isFromSource: true };
    const pay = after(transferWith(paymentIn('transfer', 'pending')), 'ann', paid);
    const settles = nextStep(pay, context);
    expect(settles).toMatchObject({ event: { type: 'PaymentSettled', data: mark } });
    if (settles.kind !== 'payment') throw new Error('It does not settle');
    const settled = { ...pay, payment: evolvePayment(pay.payment, settles.event) };
    const credit = nextStep(settled, context);
    expect(credit).toMatchObject({ walletId: 'bob', command: { type: 'credit', ...mark } });
    if (credit.kind !== 'wallet') throw new Error('It does not credit');
    const [credited] = decideWallet(credit.command, { isOpen: true, balanceCents: 0 });
    expect(credited).toMatchObject({ type: 'FundsCredited', data: mark });
    const claim = { type: 'claim', claimantId: 'bob', refundId: 'r', atUs: NOW_US } as const;
    const held = paymentIn('hold', 'pending');
    expect(decidePayment({ ...claim, ...mark }, held)).toMatchObject({ event: { data: mark } });
    expect(decidePayment(claim, held)).not.toHaveProperty('event.data.isFromSource');
  });

  it('given open funding, when users and the sweep act, then nothing is refunded, claimed or attempted twice', () => {
    const open = { isFundingOpen: true, atUs: NOW_US };
    const hold = paymentIn('hold', 'pending');
    const cancel = { type: 'cancel', byUserId: 'ann', targetUserId: null, refundId: 'r', ...open } as const;
    const expire = { type: 'expire', targetUserId: null, refundId: 'r', dueAfterUs: 0, ...open } as const;
    for (const command of [cancel, expire]) {
      expect(decidePayment(command, hold)).toMatchObject({ event: { data: { refundId: null } } });
    }
    const claim = { type: 'claim', claimantId: 'bob', refundId: 'r', ...open } as const;
    expect(decidePayment(claim, hold)).toMatchObject({ kind: 'refused', code: 'not_permitted' });
    const approve = { type: 'approve', byUserId: 'bob', targetUserId: 'bob', refundId: 'r', ...open } as const;
    expect(decidePayment(approve, paymentIn('request', 'pending'))).toEqual({ kind: 'already' });
  });

  it.each([
    ['funding_declined', { chargeKey: key, reason: 'funding_declined', code: 'limit' }],
    ['funding_cancelled', { chargeKey: key, reason: 'funding_cancelled', code: 'other' }],
    ['insufficient_funds', {}],
  ] as const)('given a creation that was refused, when it ends, then it failed because of %s', (reason, refusal) => {
    const refused: WalletEvent = { type: 'DebitRefused', data: { ...fact, ...refusal } };
    const events: readonly WalletEvent[] = reason === 'insufficient_funds' ? [refused] : [asked, refused];
    const step = nextStep(after(transferWith(paymentIn('transfer', 'pending')), 'ann', events), context);
    expect(step).toMatchObject({ kind: 'payment', event: { type: 'PaymentFailed', data: { reason } } });
  });

  it('given a provider, when a creation or an approval begins, then the attempt names its charge', () => {
    const step = nextStep(transferWith(paymentIn('transfer', 'pending')), context);
    expect(step).toMatchObject({ command: { type: 'debit', chargeKey: key } });
    const approval = { sourceId: 'card', atUs: NOW_US, appId: 'app', usesProvider: true };
    const command = approvalDebit(transferWith(paymentIn('request', 'pending')), 'bob', approval);
    expect(command).toMatchObject({ chargeKey: 'p:bob:1' });
    if (command === null) return;
    const events = decideWallet(command, { isOpen: true, balanceCents: 0 });
    const beginBeforeUs = NOW_US + 30_000_000;
    expect(events).toMatchObject([{ type: 'FundingRequested', data: { chargeKey: 'p:bob:1', beginBeforeUs } }]);
    // After a reversal the balance may be negative: the source is not asked for it.
    expect(decideWallet(command, { isOpen: true, balanceCents: -1 })).toEqual([]);
    expect(
      decideWallet({ ...command, isCreation: true } as typeof command, { isOpen: true, balanceCents: -1 }),
    ).toMatchObject([{ type: 'DebitRefused' }]);
  });

  it('given a charge that only a contradiction names, when a creation or an approval begins, then its attempt is above it', () => {
    const orphans = { ...context, orphanAttemptOf: (userId: string) => (userId === 'cyd' ? 0 : 2) };
    const creation = nextStep(transferWith(paymentIn('transfer', 'pending')), orphans);
    expect(creation).toMatchObject({ command: { attempt: 3, chargeKey: 'p:ann:3', isCreation: true } });
    const approve = (userId: string, payment: Parameters<typeof approvalDebit>[0]) =>
      approvalDebit(payment, userId, { ...orphans, sourceId: 'card', appId: 'app' });
    const requested = transferWith(paymentIn('request', 'pending'), { dan: ['asked', 'declined'] });
    expect(approve('bob', requested)).toMatchObject({ attempt: 3, chargeKey: 'p:bob:3' });
    expect(approve('dan', requested)).toMatchObject({ attempt: 3 });
    expect(approve('cyd', requested)).toMatchObject({ attempt: 1 });
  });
});

describe('the return of a charged debit', () => {
  const cancelled = transferWith(paymentIn('hold', 'cancelled'));

  it('given a debit that a charge paid, when it is returned, then the intent comes before the repayment', () => {
    const command = { type: 'request-repayment', chargeKey: key, key: 'p:ann:refund' };
    expect(nextStep(after(cancelled, 'ann', paid), context)).toMatchObject({ kind: 'wallet', command });
    const step = nextStep(after(cancelled, 'ann', [...paid, intent]), context);
    expect(step).toMatchObject({ kind: 'repay', key: 'p:ann:refund', chargeKey: key, beginBeforeUs: 40 });
  });

  it('given a debit that a source paid before there was a provider, when it is returned, then it stays as balance', () => {
    const earlier: readonly WalletEvent[] = [
      { type: 'FundingRequested', data: fact },
      { type: 'FundsAdded', data: fact },
      { type: 'FundsDebited', data: { ...fact, amountCents: 1000, feeCents: 25 } },
    ];
    const command = { type: 'return', repaidSourceId: null };
    expect(nextStep(after(cancelled, 'ann', earlier), context)).toMatchObject({ kind: 'wallet', command });
  });

  it('given a reversed charge, when the debit is returned, then it goes to the balance, unless a repayment is in progress', () => {
    const command = { type: 'return', repaidSourceId: null };
    expect(nextStep(after(cancelled, 'ann', [...paid, reversed]), context)).toMatchObject({ command });
    const step = nextStep(after(cancelled, 'ann', [...paid, intent, reversed]), context);
    expect(step.kind).toBe('repay');
  });

  it('given a repayment, when it is answered, then it is withdrawn, kept, or requested under the next key', () => {
    const known = after(cancelled, 'ann', [...paid, intent]);
    const answered = (answer: 'accepted' | 'refused' | 'missing', transfer = known, asKey = 'p:ann:refund') =>
      repaymentAnswer(transfer, 'ann', { key: asKey, answer, atUs: NOW_US });
    expect(answered('accepted')).toMatchObject({ repaidSourceId: 'card', repayment: { key: 'p:ann:refund' } });
    expect(answered('refused')).toMatchObject({ type: 'return', repaidSourceId: null });
    expect(answered('missing')).toMatchObject({ type: 'request-repayment', key: 'p:ann:refund:2' });
    expect(answered('missing', after(cancelled, 'ann', [...paid, intent, reversed]))).toMatchObject({ type: 'return' });
    expect(answered('accepted', known, 'other')).toBeNull();
  });
});

describe('the journal of withdrawals and reversals', () => {
  const out = { paymentId: null, fundingId: 'w', amountCents: 500, balanceCents: 0, atUs: 1 };
  const back = { type: 'WithdrawalReversed', data: { ...out, wasPaid: false } } as const;
  const wallet = walletAccount('ann');

  it.each<[WalletEvent, string, string]>([
    [{ type: 'FundsWithdrawn', data: { ...out, sourceId: 'bank' } }, wallet, payoutsAccount('w')],
    [back, payoutsAccount('w'), wallet],
    [{ ...back, data: { ...back.data, wasPaid: true } }, fundingAccount('ann'), wallet],
    [
      { type: 'FundsWithdrawn', data: { ...out, sourceId: 'card', chargeKey: 'w', repaymentKey: 'w:late' } },
      wallet,
      fundingAccount('ann'),
    ],
    [reversed, wallet, fundingAccount('ann')],
    [{ ...reversed, type: 'ReversalReturned' }, fundingAccount('ann'), wallet],
    [intent, wallet, wallet],
  ])('given %j, when it is entered, then from %s to %s', (event, debitAccount, creditAccount) => {
    expect(walletEntry('ann', event)).toMatchObject({ debitAccount, creditAccount });
  });

  it('given a paid withdrawal, when it is entered, then the money leaves the ledger', () => {
    const facts = { userId: 'ann', amountCents: 500, sourceId: 'bank', booking: null, needsReview: false, atUs: 1 };
    const entry = { debitAccount: payoutsAccount('w'), creditAccount: fundingAccount('ann'), amountCents: 500 };
    expect(payoutEntry('w', facts)).toEqual(entry);
  });
});
