import { SettleError, type RequestAction } from '@settle/contracts';
import { approvalDebit, decidePayment, type ExistingPayment, type PaymentCommand } from '@settle/payments-domain';
import type { Move, TransferDraft } from '../transfer/transfer-draft.js';
import type { Action } from '../transfer/transfer-steps.js';

/** What a decision about a payment needs to know of its people. */
export interface ActingPeople {
  readonly byUserId: string;
  /** Whose the target is right now. */
  readonly targetUserId: string | null;
  /** The funding source of who acts. */
  readonly sourceId: string | null;
  /** Why money must not move between the two now; null: it may. */
  readonly hindrance: SettleError | null;
  /** Through which they act. */
  readonly appId: string;
}

/** The action behind approve, deny and cancel. It throws what `decidePayment` refuses, and `insufficient_funds`. */
export function requestAction(type: RequestAction, people: ActingPeople, atUs: number): Action {
  const { byUserId } = people;
  return { walletIds: [byUserId], decide: (draft) => decide(draft, { type, people, atUs }) };
}

/** Ends a payment that nobody answered in time. */
export function expiryAction(targetUserId: string | null, dueAfterUs: number, atUs: number): Action {
  return {
    walletIds: [],
    decide: (draft) => moveFor(draft, { type: 'expire', targetUserId, dueAfterUs, atUs, refundId: draft.refundId }),
  };
}

/** Gives a held pay to whoever has proven its address. */
export function claimAction(claimantId: string, atUs: number): Action {
  return {
    walletIds: [claimantId],
    decide: (draft) => moveFor(draft, { type: 'claim', claimantId, atUs, refundId: draft.refundId }),
  };
}

interface Request {
  readonly type: RequestAction;
  readonly people: ActingPeople;
  readonly atUs: number;
}

function decide(draft: TransferDraft, { type, people, atUs }: Request): Move | null {
  const { byUserId, targetUserId } = people;
  const act = { byUserId, targetUserId, atUs };
  if (type === 'cancel') return moveFor(draft, { ...act, type, refundId: draft.refundId });
  const decision = decidePayment({ ...act, type }, draft.transfer.payment);
  if (decision.kind !== 'debit') return moveFor(draft, { ...act, type });
  if (people.hindrance !== null) throw people.hindrance;
  debitApprover(draft, people, atUs);
  return null;
}

function debitApprover(draft: TransferDraft, { byUserId, sourceId, appId }: ActingPeople, atUs: number): void {
  const { transfer } = draft;
  const { payment } = transfer;
  if (payment.status === 'none') return;
  const command = approvalDebit({ ...transfer, payment }, byUserId, { sourceId, atUs, appId });
  if (command !== null && !draft.command(byUserId, command)) throw insufficientFunds();
}

/** A debit that had to be waited for may find its payment ended by another, and goes back; or there was none to be had. */
export function refuseUnlessApproved(payment: ExistingPayment, { byUserId, targetUserId }: ActingPeople): void {
  if (payment.status === 'pending') throw insufficientFunds();
  const outcome = decidePayment({ type: 'approve', byUserId, targetUserId, atUs: payment.facts.atUs }, payment);
  if (outcome.kind === 'refused') throw new SettleError(outcome.code, outcome.message);
}

/** The approver can pay neither from the balance nor from a source. */
function insufficientFunds(): SettleError {
  return new SettleError('insufficient_funds', 'Your balance does not cover this request. Add money, then approve it.');
}

function moveFor({ transfer }: TransferDraft, command: PaymentCommand): Move | null {
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
