import { SettleError, type RequestAction } from '@settle/contracts';
import {
  approvalDebit,
  decidePayment,
  isFundingOpen,
  isPaidBySource,
  payerIdOf,
  type PaymentCommand,
  type PaymentDecision,
  type StepContext,
} from '@settle/payments-domain';
import type { AppendStep, TransferAction, TransferProgress } from '../transfer/transfer-progress.js';
import type { TransferResult } from '../transfer/transfer-runner.js';

/** The data about the acting user that a decision on a payment needs. */
export interface Actor {
  readonly byUserId: string;
  /** User who owns the payment's target now; null if no user does. */
  readonly targetUserId: string | null;
  /** Funding source of the user who acts. */
  readonly sourceId: string | null;
  /** Error that keeps money from moving between the two users now; null if it may move. */
  readonly block: SettleError | null;
  /** App through which the user acts. */
  readonly appId: string;
}

/** A command on an existing payment, without what its wallets say about it. */
type ActCommand = Exclude<PaymentCommand, { type: 'create' }>;

/** Returns the action of a user. It throws what `decidePayment` refuses, and `insufficient_funds`. */
export function requestAction(type: RequestAction, actor: Actor, atUs: number, commandId: string): TransferAction {
  const { byUserId, targetUserId, block } = actor;
  const decide = (progress: TransferProgress, context: StepContext): AppendStep | null => {
    const { refundId } = progress.history;
    const decision = decisionOn(progress, { type, byUserId, targetUserId, refundId, atUs });
    if (decision.kind !== 'debit') return appendOf(decision);
    if (block !== null) throw block;
    debitApprover(progress, actor, { ...context, atUs });
    return null;
  };
  return { walletIds: [byUserId], decide, commandId };
}

/** Returns the action that expires a payment which was not approved or claimed in time. */
export function expiryAction(targetUserId: string | null, dueAfterUs: number, atUs: number): TransferAction {
  return {
    walletIds: [],
    decide: (progress) =>
      appendStepFor(progress, { type: 'expire', targetUserId, dueAfterUs, atUs, refundId: progress.history.refundId }),
  };
}

/** Returns the action that gives a held pay to the user who has verified its address. */
export function claimAction(claimantId: string, atUs: number): TransferAction {
  return {
    walletIds: [claimantId],
    decide: (progress) =>
      appendStepFor(progress, { type: 'claim', claimantId, atUs, refundId: progress.history.refundId }),
  };
}

function debitApprover(progress: TransferProgress, { byUserId, sourceId, appId }: Actor, context: StepContext): void {
  const { transfer } = progress;
  const { payment } = transfer;
  if (payment.status === 'none') return;
  const command = approvalDebit({ ...transfer, payment }, byUserId, { ...context, sourceId, appId });
  if (command === null || progress.applyCommand(byUserId, command)) return;
  throw command.type === 'debit' && command.isAboveLimit && sourceId !== null ? sourceLimited() : insufficientFunds();
}

/**
 * Throws unless the action has taken effect or waits for the user's source: another user may have ended the payment
 * before the debit, or funds were missing.
 */
export function refuseUnlessEffective(
  type: RequestAction,
  { payment, calls }: Pick<TransferResult, 'payment' | 'calls'>,
  { byUserId, targetUserId }: Actor,
): void {
  if (payment.status === 'pending') {
    if (calls.some(({ walletId }) => walletId === byUserId)) return;
    throw insufficientFunds();
  }
  // The payment has ended, so that no refund of it begins here.
  const outcome = decidePayment({ type, byUserId, targetUserId, refundId: '', atUs: payment.facts.atUs }, payment);
  if (outcome.kind === 'refused') throw new SettleError(outcome.code, outcome.message);
}

function sourceLimited(): SettleError {
  return new SettleError(
    'insufficient_funds',
    'Your balance does not cover this request, and a daily limit of your card or bank account is reached. Approve it later.',
  );
}

function insufficientFunds(): SettleError {
  return new SettleError('insufficient_funds', 'Your balance does not cover this request. Add money, then approve it.');
}

function appendStepFor(progress: TransferProgress, command: ActCommand): AppendStep | null {
  return appendOf(decisionOn(progress, command));
}

/** An approval depends on the approver's own source, everything else on the payer's. */
function decisionOn({ transfer }: TransferProgress, command: ActCommand): PaymentDecision {
  const { payment } = transfer;
  if (payment.status === 'none') return decidePayment(command, payment);
  const { facts } = payment;
  const walletId = command.type === 'approve' ? command.byUserId : payerIdOf(facts, facts.target.userId);
  const steps = walletId === null ? undefined : transfer.steps.get(walletId);
  const isFromSource = steps !== undefined && isPaidBySource(steps);
  const isOpen = walletId !== null && isFundingOpen(transfer, walletId);
  return decidePayment({ ...command, isFundingOpen: isOpen, isFromSource }, payment);
}

function appendOf(decision: PaymentDecision): AppendStep | null {
  switch (decision.kind) {
    case 'append':
      return { kind: 'payment', event: decision.event };
    case 'refused':
      throw new SettleError(decision.code, decision.message);
    case 'already':
    case 'debit':
      return null;
  }
}
