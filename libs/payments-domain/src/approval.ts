import type { Transfer } from './next-step.js';
import type { ExistingPayment } from './payment.js';
import type { WalletCommand } from './wallet.js';
import { NO_STEPS } from './wallet-steps.js';

/**
 * Returns the debit with which `walletId` approves a pending request. Null if the debit exists or its source has not
 * responded: `nextStep` continues then. Without funds `decideWallet` returns no event for it, and the approval fails
 * with `insufficient_funds`.
 */
export function approvalDebit(
  transfer: Transfer & { readonly payment: ExistingPayment },
  walletId: string,
  { sourceId, atUs, appId }: { sourceId: string | null; atUs: number; appId: string },
): WalletCommand | null {
  const steps = transfer.steps.get(walletId) ?? NO_STEPS;
  if (steps.isDebited || steps.isAwaitingSource) return null;
  const { amountCents, feeCents } = transfer.payment.facts;
  const { paymentId } = transfer;
  const attempt = steps.attempt + 1;
  return { type: 'debit', paymentId, amountCents, feeCents, sourceId, attempt, isCreation: false, atUs, appId };
}

/**
 * Returns a source's response to an attempt as a command of the wallet that requested it. Null if the attempt has a
 * response already: a later attempt may be waiting, and this response is not for it.
 */
export function fundingAnswer(
  transfer: Transfer & { readonly payment: ExistingPayment },
  walletId: string,
  { attempt, isApproved, atUs }: { attempt: number; isApproved: boolean; atUs: number },
): WalletCommand | null {
  const steps = transfer.steps.get(walletId) ?? NO_STEPS;
  if (!steps.isAwaitingSource || steps.sourceId === null || steps.attempt !== attempt) return null;
  const { amountCents, feeCents, mode } = transfer.payment.facts;
  const isCreation = mode !== 'request' && !steps.isRefused && attempt === 1;
  const { paymentId } = transfer;
  const { sourceId } = steps;
  return { type: 'fund', paymentId, amountCents, feeCents, sourceId, attempt, isApproved, isCreation, atUs };
}

/**
 * Returns the command that returns a debit after its source responded to the repayment; a refusal leaves the money as
 * balance.
 */
export function returnAfterRepayment(
  transfer: Transfer & { readonly payment: ExistingPayment },
  walletId: string,
  { isRepaid, atUs }: { isRepaid: boolean; atUs: number },
): WalletCommand | null {
  const steps = transfer.steps.get(walletId) ?? NO_STEPS;
  if (!steps.isDebited || steps.isReturned) return null;
  const { amountCents, feeCents } = transfer.payment.facts;
  const repaidSourceId = isRepaid ? steps.sourceId : null;
  const { paymentId } = transfer;
  return { type: 'return', paymentId, amountCents, feeCents, repaidSourceId, atUs };
}
