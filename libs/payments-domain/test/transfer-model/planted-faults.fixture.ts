import type { PaymentMode } from '../../src/payment-events.js';
import type { WalletSteps } from '../../src/wallet-steps.js';
import { APPROVALS, RULES, TWO_APPROVERS, type Deed, type Rules, type Scenario } from './scenario.fixture.js';

/** A rule broken on purpose: the walk must show it, or it could never fail. */
export interface Fault {
  readonly rules: Partial<Rules>;
  /** The condition on worlds in which the fault matters often enough. */
  readonly focus?: Partial<Scenario>;
}

const { nextStep, areConcurrent, decideWallet, decidePayment, approvalDebit, fundingAnswer, eventId } = RULES;
type Step = typeof nextStep;
type KnownSteps = ReadonlyMap<string, WalletSteps>;

/** Credits as soon as the money is there: a claim or a cancel may still win. */
const creditFirst: Step = (transfer, context) => {
  const step = nextStep(transfer, context);
  if (step.kind !== 'payment' || step.event.type !== 'PaymentSettled') return step;
  const { paymentId, payment } = transfer;
  if (payment.status !== 'pending') return step;
  const { action, actorId, amountCents, target } = payment.facts;
  const walletId = action === 'pay' ? (target.userId ?? 'bob') : actorId;
  if (transfer.steps.get(walletId)?.isCredited === true) return step;
  return { kind: 'wallet', walletId, command: { type: 'credit', paymentId, amountCents, atUs: context.atUs } };
};

const settleUnpaid: Step = (transfer, context) => {
  const step = nextStep(transfer, context);
  const isDebit = step.kind === 'wallet' && step.command.type === 'debit';
  if (!isDebit) return step;
  return { kind: 'payment', event: { type: 'PaymentSettled', data: { targetUserId: 'bob', atUs: context.atUs } } };
};

/** Takes the lack of a source for a refusal, without asking the wallet. */
const failUnasked: Step = (transfer, context) => {
  const step = nextStep(transfer, context);
  const isDebit = step.kind === 'wallet' && step.command.type === 'debit' && step.command.sourceId === null;
  if (!isDebit || transfer.payment.status !== 'pending' || transfer.payment.facts.action !== 'pay') return step;
  return { kind: 'payment', event: { type: 'PaymentFailed', data: { reason: 'insufficient_funds', atUs: 1 } } };
};

/** Replaces the step of that kind, or that moves a wallet so, by the end of all work. */
const without =
  (kind: string): Step =>
  (transfer, context) => {
    const step = nextStep(transfer, context);
    const isOmitted = step.kind === kind || (step.kind === 'wallet' && step.command.type === kind);
    return isOmitted ? { kind: 'idle', status: 'done' } : step;
  };

/** The payer of a settled payment is not distinguished: each debit counts as the payer's. */
const keepEveryDebit: Step = (transfer, context) => {
  const step = nextStep(transfer, context);
  const givesBack = step.kind === 'repay' || (step.kind === 'wallet' && step.command.type === 'return');
  return transfer.payment.status === 'settled' && givesBack ? { kind: 'idle', status: 'done' } : step;
};

/** Gives money of a source back to the balance without asking the source. */
const neverRepay: Step = (transfer, context) => {
  const step = nextStep(transfer, context);
  if (step.kind !== 'repay' || transfer.payment.status === 'none') return step;
  const { payment } = transfer;
  const command = RULES.returnAfterRepayment({ ...transfer, payment }, step.walletId, {
    isRepaid: false,
    atUs: context.atUs,
  });
  return command === null ? step : { kind: 'wallet', walletId: step.walletId, command };
};

const forgetting =
  (fact: 'isDebited' | 'isRefused' | 'isCredited' | 'isReturned' | 'isAwaitingSource'): Step =>
  (transfer, context) => {
    return nextStep({ ...transfer, steps: forget(transfer.steps, fact) }, context);
  };

function forget(steps: KnownSteps, fact: keyof WalletSteps): KnownSteps {
  return new Map([...steps].map(([walletId, known]) => [walletId, { ...known, [fact]: false }]));
}

const debitBesideQuestion: Rules['approvalDebit'] = (transfer, walletId, asked) =>
  approvalDebit({ ...transfer, steps: forget(transfer.steps, 'isAwaitingSource') }, walletId, asked);

const anyAttempt: Rules['fundingAnswer'] = (transfer, walletId, answer) => {
  const attempt = transfer.steps.get(walletId)?.attempt ?? answer.attempt;
  return fundingAnswer(transfer, walletId, { ...answer, attempt });
};

/** An approval is paid with ten cents more than there are. */
const overdraw: Rules['decideWallet'] = (command, wallet) => {
  if (command.type !== 'debit' || command.isCreation) return decideWallet(command, wallet);
  return decideWallet(command, { ...wallet, balanceCents: wallet.balanceCents + 10 });
};

const cancelSettled: Rules['decidePayment'] = (command, payment) => {
  if (payment.status !== 'settled' || command.type !== 'cancel') return decidePayment(command, payment);
  return decidePayment(command, { status: 'pending', facts: payment.facts });
};

const namelessEnd: Rules['eventId'] = (streamKey, event) =>
  event.type === 'PaymentSettled' ? `${streamKey} ${event.type}` : eventId(streamKey, event);

/**
 * In this mode the payee is credited at the same time as it is settled. The sources of this walk answer at once; the walk in
 * `funding-model` shows what a credit before `PaymentSettled` breaks after a charge.
 */
const creditBesideSettledIn =
  (mode: PaymentMode): Rules['areConcurrent'] =>
  ({ payment, ...transfer }, previous, step) => {
    const isCredit = step.kind === 'wallet' && step.command.type === 'credit';
    if (payment.status !== 'settled' || !isCredit) return false;
    return payment.facts.mode === mode || areConcurrent({ payment, ...transfer }, previous, step);
  };

/** Worlds where a charge that a trusted friend's wallet refused at first is approved while others end it. */
const REFUSED_THEN_APPROVED: Partial<Scenario> = {
  ...APPROVALS,
  ...{ adapter: 'subset', isTrusted: true, lossRate: 0, othersRate: 0, unitLimit: 5 },
  deeds: [
    { type: 'create' },
    ...Array.from({ length: 3 }, (): Deed[] => [
      { type: 'approve', by: 'bob' },
      { type: 'cancel' },
      { type: 'expire' },
    ]).flat(),
  ],
};

const settledBesideDebit: Rules['areConcurrent'] = (transfer, previous, step) =>
  step.kind === 'payment' || areConcurrent(transfer, previous, step);

const debitBesideCreated: Rules['areConcurrent'] = (transfer, previous, step) =>
  step.kind === 'wallet' || areConcurrent(transfer, previous, step);

export const FAULTS: Readonly<Record<string, Fault>> = {
  'the payee is credited before it is settled': { rules: { nextStep: creditFirst } },
  'a payment is settled before the debit': { rules: { nextStep: settleUnpaid } },
  'a payment fails without a refusal of the wallet': { rules: { nextStep: failUnasked } },
  'a settled payment is not credited': { rules: { nextStep: without('credit') } },
  'a debit that lost stays': { rules: { nextStep: without('return') } },
  'a settled payment keeps the debits of two approvers': { rules: { nextStep: keepEveryDebit }, focus: TWO_APPROVERS },
  'only the wallets of the parties are read': { rules: { readsEveryWallet: false }, focus: TWO_APPROVERS },
  'a charge without an answer is left': { rules: { nextStep: without('charge') } },
  'a repayment is left': { rules: { nextStep: without('repay') } },
  'the source is not paid back': { rules: { nextStep: neverRepay } },
  'the refund payment is forgotten': { rules: { nextStep: without('refund') } },
  'a debit is forgotten': { rules: { nextStep: forgetting('isDebited') } },
  'a refusal is forgotten': { rules: { nextStep: forgetting('isRefused') } },
  'a credit is forgotten': { rules: { nextStep: forgetting('isCredited') } },
  'a return is forgotten': { rules: { nextStep: forgetting('isReturned') } },
  'an open question to a source is forgotten': { rules: { nextStep: forgetting('isAwaitingSource') } },
  'an approval debits beside a source that was asked': {
    rules: { approvalDebit: debitBesideQuestion },
    focus: APPROVALS,
  },
  'an answer is taken for another attempt': { rules: { fundingAnswer: anyAttempt }, focus: APPROVALS },
  'a wallet pays what it does not have': { rules: { decideWallet: overdraw } },
  'an ended payment ends again': { rules: { decidePayment: cancelSettled } },
  'a payment is ended before its creation is finished': { rules: { finishesFirst: false } },
  'silence is taken for a no': { rules: { takesSilenceForNo: true } },
  'ends that name different people have one id': { rules: { eventId: namelessEnd } },
  'who creates does not look for the payment': { rules: { looksBeforeCreating: false } },
  'the payee of a hold is credited beside its end': {
    rules: { areConcurrent: creditBesideSettledIn('hold') },
    focus: { adapter: 'subset', action: 'pay', targetId: null },
  },
  'the payee of a request is credited beside its end': {
    rules: { areConcurrent: creditBesideSettledIn('request') },
    focus: { adapter: 'subset', action: 'charge', isTrusted: false },
  },
  'the payee of a trusted is credited beside its end': {
    rules: { areConcurrent: creditBesideSettledIn('trusted') },
    focus: REFUSED_THEN_APPROVED,
  },
  'a payment is settled beside its debit': {
    rules: { areConcurrent: settledBesideDebit },
    focus: { adapter: 'subset' },
  },
  'a wallet is debited beside the creation': {
    rules: { areConcurrent: debitBesideCreated },
    focus: { adapter: 'subset' },
  },
  "steps are taken on another's wallet, known from the journal alone": { rules: { leavesOthersSteps: false } },
};
