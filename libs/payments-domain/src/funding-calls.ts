import { NO_CHARGE, chargeKeyOf, isReversed, nextRepaymentKey, openRepayment } from './charges.js';
import { payerIdOf, type NextStep, type StepContext, type Transfer } from './next-step.js';
import { totalCentsOf, type ExistingPayment } from './payment.js';
import type { WalletCommand } from './wallet.js';
import type { WalletSteps } from './wallet-steps.js';

export type ChargeCall = Extract<NextStep, { kind: 'charge' }>;
export type RepayCall = Extract<NextStep, { kind: 'repay' }>;

/**
 * Returns every funding call that a payment waits for. `nextStep` names the first one; the others must not wait for
 * days until that one is answered.
 */
export function fundingCalls(transfer: Transfer, context: StepContext): readonly (ChargeCall | RepayCall)[] {
  const { payment } = transfer;
  if (payment.status === 'none') return [];
  const returns = returnSteps(transfer, payment, context);
  return [...openCharges(transfer, payment), ...returns.filter((step) => step.kind === 'repay')];
}

/** Returns whether the wallet's source has not answered to the payment's newest attempt. */
export function isFundingOpen({ steps }: Transfer, walletId: string): boolean {
  return steps.get(walletId)?.isAwaitingSource === true;
}

/** A charge without an answer is asked about until it has one, whatever became of the payment since. */
export function openCharges({ paymentId, steps }: Transfer, payment: ExistingPayment): readonly ChargeCall[] {
  const isEnded = payment.status !== 'pending';
  const calls: ChargeCall[] = [];
  // A loop: it runs at each step of every payment, and most have no charge.
  for (const [walletId, { isAwaitingSource, sourceId, attempt, beginBeforeUs }] of steps) {
    if (!isAwaitingSource || sourceId === null) continue;
    const key = chargeKeyOf(paymentId, walletId, attempt);
    const order = { sourceId, attempt, totalCents: totalCentsOf(payment.facts) };
    const call: ChargeCall = { kind: 'charge', walletId, key, order };
    calls.push(beginBeforeUs === null ? call : { ...call, beginBeforeUs, isEnded });
  }
  return calls;
}

/** Returns the next step of each debit that did not settle the payment; appends come before funding calls. */
export function returnSteps(
  transfer: Transfer,
  payment: ExistingPayment,
  context: StepContext,
): readonly (Extract<NextStep, { kind: 'wallet' }> | RepayCall)[] {
  if (payment.status === 'pending' || payment.status === 'failed') return [];
  const keptByPayerId = payment.status === 'settled' ? payerIdOf(payment.facts, payment.targetUserId) : null;
  const appends: Extract<NextStep, { kind: 'wallet' }>[] = [];
  const calls: RepayCall[] = [];
  for (const [walletId, steps] of transfer.steps) {
    if (!steps.isDebited || steps.isReturned || walletId === keptByPayerId) continue;
    const step = returnStep(transfer.paymentId, payment, { walletId, steps, context });
    if (step.kind === 'wallet') appends.push(step);
    else calls.push(step);
  }
  return [...appends, ...calls];
}

/** A debit returns to where its money came from; a reversed charge is not repaid, so its money stays as balance. */
function returnStep(
  paymentId: string,
  payment: ExistingPayment,
  { walletId, steps, context }: { walletId: string; steps: WalletSteps; context: StepContext },
): Extract<NextStep, { kind: 'wallet' }> | RepayCall {
  const { amountCents, feeCents } = payment.facts;
  const { atUs, usesProvider = false } = context;
  const give: WalletCommand = { type: 'return', paymentId, amountCents, feeCents, repaidSourceId: null, atUs };
  const { sourceId, attempt } = steps;
  if (!steps.isFromSource || sourceId === null) return { kind: 'wallet', walletId, command: give };
  const chargeKey = steps.debitChargeKey ?? chargeKeyOf(paymentId, walletId, attempt);
  const charge = steps.charges.get(chargeKey) ?? NO_CHARGE;
  const key = `${paymentId}:${walletId}:refund`;
  const order = { sourceId, attempt, totalCents: totalCentsOf(payment.facts) };
  const open = openRepayment(charge);
  if (open !== undefined) {
    return { kind: 'repay', walletId, key: open.key, order, chargeKey, beginBeforeUs: open.beginBeforeUs };
  }
  if (isReversed(charge)) return { kind: 'wallet', walletId, command: give };
  if (!usesProvider) return { kind: 'repay', walletId, key, order };
  // No provider knows a charge from before there was one: its money stays as balance.
  if (steps.debitChargeKey === null) return { kind: 'wallet', walletId, command: give };
  const intent = { paymentId, fundingId: null, chargeKey, key: nextRepaymentKey(charge, key), atUs };
  return { kind: 'wallet', walletId, command: { type: 'request-repayment', ...intent } };
}
