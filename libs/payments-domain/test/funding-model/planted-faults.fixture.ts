import { openCharges } from '../../src/funding-calls.js';
import type { NextStep, Transfer } from '../../src/next-step.js';
import type { ExistingPayment } from '../../src/payment.js';
import { beginBeforeUsAt } from '../../src/provider-answers.js';
import type { WalletSteps } from '../../src/wallet-steps.js';
import { CONTRADICTIONS, DEPOSIT, LATE_REQUESTS, WITHDRAWAL, only } from './focuses.fixture.js';
import { RULES, type Rules } from './rules.fixture.js';
import type { Scenario } from './scenario.fixture.js';

/** A rule broken on purpose: the walk must show it, or it could never fail. */
export interface Fault {
  readonly rules: Partial<Rules>;
  /** The features that worlds need for the fault to matter often enough. */
  readonly focus?: Partial<Scenario>;
}

const { nextStep, fundingCalls, decidePayment, approvalDebit, repaymentAnswer, nextFundingStep, payoutAnswer } = RULES;
const DONE: NextStep = { kind: 'idle', status: 'done' };

/** The steps of every wallet are seen differently. */
function seeing(change: (steps: WalletSteps) => WalletSteps): Partial<Rules> {
  const see = <Seen extends Transfer>(transfer: Seen): Seen => ({
    ...transfer,
    steps: new Map([...transfer.steps].map(([walletId, steps]) => [walletId, change(steps)])),
  });
  return {
    nextStep: (transfer, context) => nextStep(see(transfer), context),
    fundingCalls: (transfer, context) => fundingCalls(see(transfer), context),
    repaymentAnswer: (transfer, walletId, answer) => repaymentAnswer(see(transfer), walletId, answer),
  };
}

/** Steps for which it holds are left out; what is left is an open charge, or nothing. */
function without(
  isOmitted: (step: NextStep, payment: ExistingPayment, steps: WalletSteps | null) => boolean,
): Partial<Rules> {
  const isLeft = (transfer: Transfer, step: NextStep): boolean => {
    const { payment, steps } = transfer;
    const own = 'walletId' in step ? (steps.get(step.walletId) ?? null) : null;
    return payment.status !== 'none' && isOmitted(step, payment, own);
  };
  return {
    nextStep: (transfer, context) => {
      const step = nextStep(transfer, context);
      if (!isLeft(transfer, step) || transfer.payment.status === 'none') return step;
      return openCharges(transfer, transfer.payment)[0] ?? DONE;
    },
    fundingCalls: (transfer, context) => fundingCalls(transfer, context).filter((step) => !isLeft(transfer, step)),
  };
}

const givesBack = (step: NextStep): boolean =>
  step.kind === 'repay' ||
  (step.kind === 'wallet' && (step.command.type === 'return' || step.command.type === 'request-repayment'));

/** The repayment is sent without its intent, and its outcome is stored afterwards. */
const repaymentNotStored: Partial<Rules> = {
  nextStep: (transfer, context) => {
    const step = nextStep(transfer, context);
    if (step.kind !== 'wallet' || step.command.type !== 'request-repayment') return step;
    const { key, chargeKey } = step.command;
    const order = { sourceId: 'card', attempt: 1, totalCents: 10 };
    const beginBeforeUs = beginBeforeUsAt(context.atUs);
    return { kind: 'repay', walletId: step.walletId, key, order, chargeKey, beginBeforeUs };
  },
  repaymentAnswer: (transfer, walletId, { key, answer, atUs }) => {
    const steps = transfer.steps.get(walletId);
    if (answer === 'missing' || steps?.isReturned !== false || steps.debitChargeKey === null) return null;
    const { paymentId } = transfer;
    const { amountCents, feeCents } = transfer.payment.facts;
    const give = { type: 'return', paymentId, amountCents, feeCents, atUs } as const;
    if (answer === 'refused') return { ...give, repaidSourceId: null };
    return { ...give, repaidSourceId: 'card', repayment: { chargeKey: steps.debitChargeKey, key } };
  },
};

/** The payout is sent without its intent, so that it can be cancelled while the provider does not know it yet. */
const payoutNotStored: Partial<Rules> = {
  nextFundingStep: (unit, context) => {
    const step = nextFundingStep(unit, context);
    if (step.kind !== 'withdrawal' || step.event.type !== 'PayoutRequested') return step;
    const { key, beginBeforeUs } = step.event.data;
    const order = { sourceId: 'card', attempt: 1, totalCents: 10 };
    return { kind: 'payout', walletId: 'ann', key, order, beginBeforeUs };
  },
  payoutAnswer: (state, result, atUs) =>
    payoutAnswer(state.status === 'requested' ? { ...state, status: 'sent' } : state, result, atUs),
};

const payoutBeforeWithdrawn: Rules['nextFundingStep'] = (unit, context) =>
  nextFundingStep({ ...unit, steps: { ...unit.steps, isWithdrawn: true } }, context);

/** "Not covered" is decided at any state of the withdrawal, from a wallet that was read too early. */
const refusedOnOldRead: Rules['nextFundingStep'] = (unit, context) => {
  const step = nextFundingStep(unit, context);
  if (step.kind !== 'reload' || unit.kind !== 'withdrawal' || unit.state.status === 'none') return step;
  return nextFundingStep({ ...unit, state: { ...unit.state, status: 'requested', isApproved: false } }, context);
};

/** A deposit whose money is in the wallet is settled afterwards. */
const settleAdded: Rules['nextFundingStep'] = (unit, context) => {
  if (unit.kind !== 'deposit' || unit.state.status !== 'requested' || !unit.steps.isAdded) {
    return nextFundingStep(unit, context);
  }
  return { kind: 'deposit', event: { type: 'DepositSettled', data: { atUs: context.atUs } } };
};

const creditBeforeSettled: Rules['nextStep'] = (transfer, context) => {
  const step = nextStep(transfer, context);
  const { paymentId, payment, steps } = transfer;
  if (step.kind !== 'payment' || payment.status !== 'pending' || payment.facts.mode !== 'transfer') return step;
  const { actorId, amountCents, target } = payment.facts;
  const walletId = target.userId ?? '';
  const isCharged = typeof steps.get(actorId)?.debitChargeKey === 'string';
  if (!isCharged || steps.get(walletId)?.isCredited === true) return step;
  return { kind: 'wallet', walletId, command: { type: 'credit', paymentId, amountCents, atUs: context.atUs } };
};

const keyUsedAgain: Rules['approvalDebit'] = (transfer, walletId, approval) => {
  const command = approvalDebit(transfer, walletId, approval);
  if (command?.type !== 'debit' || command.chargeKey === undefined) return command;
  return { ...command, attempt: 1, chargeKey: `${transfer.paymentId}:${walletId}:1` };
};

const secondAttempt: Partial<Rules> = {
  decidePayment: (command, payment) =>
    decidePayment(command.type === 'approve' ? { ...command, isFundingOpen: false } : command, payment),
  approvalDebit: (transfer, walletId, approval) => {
    const steps = new Map([...transfer.steps].map(([id, known]) => [id, { ...known, isAwaitingSource: false }]));
    return approvalDebit({ ...transfer, steps }, walletId, approval);
  },
};

const claimOpen: Rules['decidePayment'] = (command, payment) =>
  decidePayment(command.type === 'claim' ? { ...command, isFundingOpen: false } : command, payment);

/** Each removes one of the rules on intents, keys and the order of appends. */
const RULES_LEFT_OUT: Readonly<Record<string, Fault>> = {
  payoutNotStored: { rules: payoutNotStored, focus: WITHDRAWAL },
  repaymentNotStored: {
    rules: repaymentNotStored,
    focus: { ...only('hold'), declines: 0, refuses: 0, returns: 0, reverses: 0.8, crashes: 0.02 },
  },
  beginBeforePerRequest: { rules: { sendsStoredBeginBefore: false }, focus: LATE_REQUESTS },
  providerRepaysReversed: { rules: { providerRefusesReversed: false }, focus: { ...only('hold'), reverses: 0.8 } },
  debitWithoutKey: {
    rules: seeing((steps) => {
      const [added] = [...steps.charges].filter(([, charge]) => charge.isAdded);
      return added === undefined ? steps : { ...steps, debitChargeKey: added[0], isFromSource: true };
    }),
    focus: { ...only('request', 'trusted'), ...CONTRADICTIONS, refuses: 0.8, actions: 1 },
  },
  settledNamesNoPayer: {
    rules: without((step, { status }) => status === 'settled' && givesBack(step)),
    focus: { ...only('request', 'request'), balances: { ann: 20, bob: 0, cyd: 20 } },
  },
  walletBeforeWithdrawal: { rules: { withdrawalDecidesFirst: false }, focus: WITHDRAWAL },
  addedBeforeDepositSettled: {
    rules: { depositDecidesFirst: false, nextFundingStep: settleAdded },
    focus: { ...DEPOSIT, ...CONTRADICTIONS },
  },
  refusedOnOldRead: { rules: { nextFundingStep: refusedOnOldRead }, focus: WITHDRAWAL },
  changeTakenOnOldRead: {
    rules: { readsChangesAtEnd: false },
    focus: { ...only('hold'), deposits: DEPOSIT.deposits ?? [], reverses: 0.4, returns: 0.3, staleness: 0.5 },
  },
};

/** Errors of an implementation. */
const ERRORS: Readonly<Record<string, Fault>> = {
  keyUsedAgain: { rules: { approvalDebit: keyUsedAgain }, focus: { ...only('request', 'trusted'), declines: 0.6 } },
  repayReversed: {
    rules: seeing((steps) => ({
      ...steps,
      charges: new Map([...steps.charges].map(([key, charge]) => [key, { ...charge, reversals: new Map() }])),
    })),
    focus: { ...only('hold'), declines: 0, reverses: 0.8 },
  },
  claimOpen: { rules: { decidePayment: claimOpen }, focus: only('hold') },
  payoutBeforeWithdrawn: { rules: { nextFundingStep: payoutBeforeWithdrawn }, focus: WITHDRAWAL },
  lateNotReturned: {
    rules: without((step, payment, steps) => {
      const isEnded = 'refundId' in payment && payment.refundId === null;
      return isEnded && givesBack(step) && typeof steps?.debitChargeKey === 'string';
    }),
    focus: only('transfer', 'hold'),
  },
  creditBeforeSettled: { rules: { nextStep: creditBeforeSettled }, focus: only('transfer') },
  noRevision: { rules: { expectsRevisions: false } },
  unknownIsDeclined: {
    rules: {
      chargeResult: (answer, expected) =>
        RULES.chargeResult(answer === 'unknown' ? 'missing' : answer, { ...expected, isMissingFinal: true }),
    },
    focus: only('transfer', 'hold'),
  },
  cursorFirst: {
    rules: { movesCursorLast: false },
    focus: { ...only('hold'), reverses: 0.8, returns: 0.6, crashes: 0.02, callbacks: 0 },
  },
  contradictionIgnored: {
    rules: {
      chargeChange: (owner, known, change) => {
        const step = RULES.chargeChange(owner, known, change);
        return step.kind === 'wallet' || step.kind === 'repay' ? { kind: 'applied' } : step;
      },
    },
    focus: { ...only('transfer'), ...CONTRADICTIONS },
  },
  acceptedForever: {
    rules: {
      repaymentChange: (owner, charge, change) => {
        const step = RULES.repaymentChange(owner, charge, change);
        return step.kind === 'wallet' ? { kind: 'applied' } : step;
      },
    },
    focus: { ...only('hold'), returns: 0.6, refuses: 0.3 },
  },
  clockDifferenceForgotten: {
    rules: {
      providerRequest: (call, atUs, pendingUs) => ({
        ...RULES.providerRequest(call, atUs, pendingUs),
        isMissingFinal: atUs >= call.beginBeforeUs,
      }),
    },
    focus: LATE_REQUESTS,
  },
  secondAttempt: { rules: secondAttempt, focus: only('request', 'trusted') },
};

export const FAULTS: Readonly<Record<string, Fault>> = { ...RULES_LEFT_OUT, ...ERRORS };
