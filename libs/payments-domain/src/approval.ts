import { NO_CHARGE, chargeKeyOf, isReversed, nextRepaymentKey, openRepayment } from './charges.js';
import type { FundingRefusal } from './funding-events.js';
import { nextAttempt, type StepContext, type Transfer } from './next-step.js';
import { totalCentsOf, type ExistingPayment } from './payment.js';
import type { WalletCommand } from './wallet.js';
import { NO_STEPS } from './wallet-steps.js';

type ExistingTransfer = Transfer & { readonly payment: ExistingPayment };

interface ApprovalContext extends Omit<StepContext, 'sourceIdOf'> {
  readonly sourceId: string | null;
  readonly appId: string;
}

interface FundingAnswer {
  readonly attempt: number;
  readonly isApproved: boolean;
  readonly atUs: number;
  readonly providerId?: string;
  readonly refusal?: FundingRefusal;
}

/**
 * Returns the debit with which `walletId` approves a pending request. Null if the debit exists or its source has not
 * responded: `nextStep` continues then. Without funds `decideWallet` returns no event for it, and the approval fails
 * with `insufficient_funds`.
 */
export function approvalDebit(
  transfer: ExistingTransfer,
  walletId: string,
  context: ApprovalContext,
): WalletCommand | null {
  const { sourceId, atUs, appId, usesProvider = false, admitsCharge } = context;
  const steps = transfer.steps.get(walletId) ?? NO_STEPS;
  if (steps.isDebited || steps.isAwaitingSource) return null;
  const { amountCents, feeCents } = transfer.payment.facts;
  const { paymentId } = transfer;
  const attempt = nextAttempt(steps, walletId, context);
  const ofCharge = usesProvider ? { chargeKey: chargeKeyOf(paymentId, walletId, attempt) } : {};
  const debit = { type: 'debit', paymentId, amountCents, feeCents, sourceId, attempt, isCreation: false } as const;
  const isAboveLimit = admitsCharge?.(walletId, totalCentsOf(transfer.payment.facts)) === false;
  return { ...debit, ...ofCharge, ...(isAboveLimit && { isAboveLimit }), atUs, appId };
}

/**
 * Returns a source's response to an attempt as a command of the wallet that requested it. Null if the attempt has a
 * response already: a later attempt may be waiting, and this response is not for it.
 */
export function fundingAnswer(
  transfer: ExistingTransfer,
  walletId: string,
  { attempt, isApproved, atUs, ...answer }: FundingAnswer,
): WalletCommand | null {
  const steps = transfer.steps.get(walletId) ?? NO_STEPS;
  if (!steps.isAwaitingSource || steps.sourceId === null || steps.attempt !== attempt) return null;
  const { amountCents, feeCents, mode } = transfer.payment.facts;
  const isCreation = mode !== 'request' && !steps.isRefused;
  const { paymentId } = transfer;
  const { sourceId } = steps;
  const fund = { type: 'fund', paymentId, amountCents, feeCents, sourceId, attempt, isApproved, isCreation } as const;
  if (steps.beginBeforeUs === null) return { ...fund, atUs };
  return { ...fund, chargeKey: chargeKeyOf(paymentId, walletId, attempt), ...answer, atUs };
}

/**
 * Returns the command that returns a debit after its source responded to the repayment; a refusal leaves the money as
 * balance.
 */
export function returnAfterRepayment(
  transfer: ExistingTransfer,
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

/**
 * Returns what follows from the provider's answer to the repayment of that key; null if it is answered already.
 * `accepted`: the debit returns to the source. `refused`: it stays as balance. `missing`: the repayment never began, so
 * the next one is requested, unless the charge is reversed by now.
 */
export function repaymentAnswer(
  transfer: ExistingTransfer,
  walletId: string,
  { key, answer, atUs }: { key: string; answer: 'accepted' | 'refused' | 'missing'; atUs: number },
): WalletCommand | null {
  const steps = transfer.steps.get(walletId) ?? NO_STEPS;
  const { debitChargeKey: chargeKey } = steps;
  const charge = (chargeKey === null ? undefined : steps.charges.get(chargeKey)) ?? NO_CHARGE;
  if (chargeKey === null || steps.isReturned || openRepayment(charge)?.key !== key) return null;
  const { paymentId } = transfer;
  if (answer === 'missing' && !isReversed(charge)) {
    const next = nextRepaymentKey(charge, `${paymentId}:${walletId}:refund`);
    return { type: 'request-repayment', paymentId, fundingId: null, chargeKey, key: next, atUs };
  }
  const { amountCents, feeCents } = transfer.payment.facts;
  const give = { type: 'return', paymentId, amountCents, feeCents, atUs } as const;
  if (answer !== 'accepted') return { ...give, repaidSourceId: null };
  return { ...give, repaidSourceId: steps.sourceId, repayment: { chargeKey, key } };
}
