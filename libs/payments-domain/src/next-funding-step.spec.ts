import { NO_CHARGE } from './charges.js';
import { NO_DEPOSIT, evolveDeposit, type DepositState } from './deposit.js';
import type { DepositEvent, OperatorDecision, WithdrawalEvent } from './funding-events.js';
import { nextFundingStep, type FundingStep } from './next-funding-step.js';
import { NO_FUNDING_STEPS, type FundingSteps } from './wallet-steps.js';
import { NO_WITHDRAWAL, decideWithdrawal, evolveWithdrawal, type WithdrawalState } from './withdrawal.js';

const AT = { atUs: 2 };
const decision: OperatorDecision = { operator: 'olivia', reason: 'checked', reference: 'ticket 7' };
const facts = { userId: 'ann', amountCents: 500, sourceId: 'card', booking: null, atUs: 1 };
const EVENTS = {
  deposit: { type: 'DepositRequested', data: { ...facts, beginBeforeUs: 30 } },
  bookedDeposit: { type: 'DepositRequested', data: { ...facts, booking: decision, beginBeforeUs: 30 } },
  settled: { type: 'DepositSettled', data: AT },
  depositFailed: { type: 'DepositFailed', data: { reason: 'funding_declined', code: 'declined', ...AT } },
  withdrawal: { type: 'WithdrawalRequested', data: { ...facts, needsReview: false } },
  large: { type: 'WithdrawalRequested', data: { ...facts, needsReview: true } },
  booked: { type: 'WithdrawalRequested', data: { ...facts, booking: decision, needsReview: true } },
  approved: { type: 'WithdrawalApproved', data: { decision, ...AT } },
  payout: { type: 'PayoutRequested', data: { key: 'w', beginBeforeUs: 30, ...AT } },
  paid: { type: 'WithdrawalPaid', data: AT },
  failed: { type: 'WithdrawalFailed', data: { reason: 'payout_failed', ...AT } },
  cancelled: { type: 'WithdrawalCancelled', data: { reason: 'cancelled_by_owner', decision: null, ...AT } },
  returned: { type: 'WithdrawalReturned', data: AT },
} satisfies Record<string, DepositEvent | WithdrawalEvent>;
type Name = keyof typeof EVENTS;

const isOfDeposit = (event: DepositEvent | WithdrawalEvent): event is DepositEvent => event.type.startsWith('Deposit');
const withdrawalAfter = (...names: Name[]): WithdrawalState =>
  names
    .map((name): DepositEvent | WithdrawalEvent => EVENTS[name])
    .reduce<WithdrawalState>(
      (state, event) => (isOfDeposit(event) ? state : evolveWithdrawal(state, event)),
      NO_WITHDRAWAL,
    );
const depositAfter = (...names: Name[]): DepositState =>
  names
    .map((name): DepositEvent | WithdrawalEvent => EVENTS[name])
    .reduce<DepositState>((state, event) => (isOfDeposit(event) ? evolveDeposit(state, event) : state), NO_DEPOSIT);

function inShort(step: FundingStep): string {
  switch (step.kind) {
    case 'idle':
      return step.status;
    case 'wallet':
      return step.command.type;
    case 'deposit':
    case 'withdrawal':
      return step.event.type;
    default:
      return step.kind;
  }
}

const context = { atUs: 5, isFrozen: () => false, heldCents: 0 };
const withdrawn = { ...NO_FUNDING_STEPS, isWithdrawn: true };
const back = { ...withdrawn, isTakenBack: true };

describe('nextFundingStep', () => {
  it.each<[Name[], FundingSteps, string]>([
    [[], NO_FUNDING_STEPS, 'done'],
    [['withdrawal'], NO_FUNDING_STEPS, 'withdraw'],
    [['withdrawal'], withdrawn, 'PayoutRequested'],
    [['large'], withdrawn, 'review'],
    [['large', 'approved'], withdrawn, 'PayoutRequested'],
    [['large', 'approved'], NO_FUNDING_STEPS, 'reload'],
    [['booked'], withdrawn, 'WithdrawalPaid'],
    [['withdrawal', 'payout'], NO_FUNDING_STEPS, 'reload'],
    [['withdrawal', 'payout'], withdrawn, 'payout'],
    [['withdrawal', 'payout', 'cancelled'], withdrawn, 'payout'],
    [['withdrawal', 'payout', 'paid'], withdrawn, 'done'],
    [['withdrawal', 'payout', 'failed'], withdrawn, 'take-back'],
    [['withdrawal', 'payout', 'paid', 'returned'], withdrawn, 'take-back'],
    [['withdrawal', 'payout', 'paid', 'returned'], back, 'done'],
    [['withdrawal', 'cancelled'], NO_FUNDING_STEPS, 'done'],
    [['withdrawal', 'cancelled'], withdrawn, 'take-back'],
    [['withdrawal', 'cancelled', 'payout'], back, 'done'],
  ])('given a withdrawal after %j with %j, when it is advanced, then: %s', (names, steps, next) => {
    const unit = { kind: 'withdrawal', id: 'w', state: withdrawalAfter(...names), steps } as const;
    expect(inShort(nextFundingStep(unit, context))).toBe(next);
  });

  it.each<[Name[], boolean, string]>([
    [[], false, 'done'],
    [['deposit'], false, 'charge'],
    [['bookedDeposit'], false, 'DepositSettled'],
    [['deposit', 'settled'], false, 'deposit'],
    [['deposit', 'settled'], true, 'done'],
    [['deposit', 'depositFailed'], false, 'done'],
    [['deposit', 'depositFailed', 'settled'], false, 'done'],
  ])('given a deposit after %j, money added: %s, when it is advanced, then: %s', (names, isAdded, next) => {
    const steps = { ...NO_FUNDING_STEPS, isAdded, charges: new Map([['d', { ...NO_CHARGE, isAdded }]]) };
    const unit = { kind: 'deposit', id: 'd', state: depositAfter(...names), steps } as const;
    expect(inShort(nextFundingStep(unit, context))).toBe(next);
  });

  it('given a frozen owner, when the payout is due, then the withdrawal is cancelled', () => {
    const unit = { kind: 'withdrawal', id: 'w', state: withdrawalAfter('withdrawal'), steps: withdrawn } as const;
    expect(nextFundingStep(unit, { ...context, isFrozen: () => true })).toMatchObject({
      event: { type: 'WithdrawalCancelled', data: { reason: 'owner_frozen' } },
    });
  });
});

describe('decideWithdrawal', () => {
  const cancel = { type: 'cancel', byUserId: 'ann', atUs: 5 } as const;
  const approve = { type: 'approve', decision, atUs: 5 } as const;
  const refuse = { type: 'refuse', decision, atUs: 5 } as const;

  it.each([
    [cancel, ['withdrawal'], true, 'append'],
    [cancel, ['withdrawal', 'payout'], true, 'too-late'],
    [cancel, ['withdrawal', 'cancelled'], true, 'already'],
    [{ ...cancel, byUserId: 'bob' }, ['withdrawal'], true, 'not-owner'],
    [cancel, [], false, 'none'],
    [refuse, ['large', 'approved'], true, 'append'],
    [refuse, ['large', 'approved', 'payout'], true, 'too-late'],
    [approve, ['large'], false, 'not-yet'],
    [approve, ['large'], true, 'append'],
    [approve, ['large', 'approved'], true, 'already'],
    [approve, ['large', 'cancelled'], true, 'too-late'],
  ] as const)('given %j, when the withdrawal is after %j, withdrawn: %s, then: %s', (command, names, isOut, kind) => {
    expect(decideWithdrawal(command, withdrawalAfter(...names), isOut).kind).toBe(kind);
  });
});
