import { SettleError, type RequestAction } from '@settle/contracts';
import { approvalDebit, decidePayment, type ExistingPayment, type PaymentCommand } from '@settle/payments-domain';
import type { AppendStep, TransferAction, TransferProgress } from '../transfer/transfer-progress.js';

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

/** Returns the action that approves, denies or cancels. It throws what `decidePayment` refuses, and `insufficient_funds`. */
export function requestAction(type: RequestAction, actor: Actor, atUs: number): TransferAction {
  return { walletIds: [actor.byUserId], decide: (progress) => decide(progress, { type, actor, atUs }) };
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

interface Request {
  readonly type: RequestAction;
  readonly actor: Actor;
  readonly atUs: number;
}

function decide(progress: TransferProgress, { type, actor, atUs }: Request): AppendStep | null {
  const { byUserId, targetUserId } = actor;
  const act = { byUserId, targetUserId, atUs };
  if (type === 'cancel') return appendStepFor(progress, { ...act, type, refundId: progress.history.refundId });
  const decision = decidePayment({ ...act, type }, progress.transfer.payment);
  if (decision.kind !== 'debit') return appendStepFor(progress, { ...act, type });
  if (actor.block !== null) throw actor.block;
  debitApprover(progress, actor, atUs);
  return null;
}

function debitApprover(progress: TransferProgress, { byUserId, sourceId, appId }: Actor, atUs: number): void {
  const { transfer } = progress;
  const { payment } = transfer;
  if (payment.status === 'none') return;
  const command = approvalDebit({ ...transfer, payment }, byUserId, { sourceId, atUs, appId });
  if (command !== null && !progress.applyCommand(byUserId, command)) throw insufficientFunds();
}

/** Throws unless the approval has settled the payment: another user may have ended it before the debit, or funds were missing. */
export function refuseUnlessApproved(payment: ExistingPayment, { byUserId, targetUserId }: Actor): void {
  if (payment.status === 'pending') throw insufficientFunds();
  const outcome = decidePayment({ type: 'approve', byUserId, targetUserId, atUs: payment.facts.atUs }, payment);
  if (outcome.kind === 'refused') throw new SettleError(outcome.code, outcome.message);
}

function insufficientFunds(): SettleError {
  return new SettleError('insufficient_funds', 'Your balance does not cover this request. Add money, then approve it.');
}

function appendStepFor({ transfer }: TransferProgress, command: PaymentCommand): AppendStep | null {
  const decision = decidePayment(command, transfer.payment);
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
