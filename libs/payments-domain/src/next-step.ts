import { chargeKeyOf } from './charges.js';
import { openCharges, returnSteps } from './funding-calls.js';
import { totalCentsOf, type ExistingPayment, type PaymentFacts, type PaymentState } from './payment.js';
import type { PaymentCreated, PaymentEvent, PaymentSettled } from './payment-events.js';
import { scriptedOutcome } from './scripted.js';
import type { WalletCommand } from './wallet.js';
import { NO_STEPS, isPaidBySource, type WalletSteps } from './wallet-steps.js';

/** A payment and the steps of its wallets: everything that the next step depends on. */
export interface Transfer {
  readonly paymentId: string;
  readonly payment: PaymentState;
  /** By wallet; a wallet without steps of the payment is missing. */
  readonly steps: ReadonlyMap<string, WalletSteps>;
  /** Whether the refund payment that the end names is written. */
  readonly isRefundWritten: boolean;
}

export type NextStep =
  | { readonly kind: 'payment'; readonly event: PaymentEvent }
  | { readonly kind: 'wallet'; readonly walletId: string; readonly command: WalletCommand }
  /**
   * Charge the source, outside any lock; the key makes repetitions harmless. With a provider `providerRequest` says how
   * to ask: `beginBeforeUs` is that of the stored intent, `isEnded` that the payment has ended and the charge must not begin.
   */
  | {
      readonly kind: 'charge';
      readonly walletId: string;
      readonly key: string;
      readonly order: SourceOrder;
      readonly beginBeforeUs?: number;
      readonly isEnded?: boolean;
    }
  /** Repay the source; the wallet's event follows. With a provider `RepaymentRequested` is stored, with this key. */
  | {
      readonly kind: 'repay';
      readonly walletId: string;
      readonly key: string;
      readonly order: SourceOrder;
      readonly chargeKey?: string;
      readonly beginBeforeUs?: number;
    }
  /** Write the payment that shows the refund. */
  | { readonly kind: 'refund'; readonly refundId: string; readonly events: readonly [PaymentCreated, PaymentSettled] }
  /** Nothing to do until a user acts, or ever. */
  | { readonly kind: 'idle'; readonly status: 'pending' | 'done' };

export interface SourceOrder {
  readonly sourceId: string;
  readonly attempt: number;
  readonly totalCents: number;
}

/** Input of a decision: the payer's source as known now, and the time. */
export interface StepContext {
  readonly sourceIdOf: (userId: string) => string | null;
  readonly atUs: number;
  /** Whether sources belong to a provider, so that the intent of each call is stored before it. */
  readonly usesProvider?: boolean;
  /** Whether the limits of a user's source admit a charge of these cents; absent: there are none. */
  readonly admitsCharge?: (userId: string, totalCents: number) => boolean;
  /** Newest attempt of the payment that the provider has of a user and only a contradiction names; absent: there is none. */
  readonly orphanAttemptOf?: (userId: string) => number;
}

const PENDING: NextStep = { kind: 'idle', status: 'pending' };
const DONE: NextStep = { kind: 'idle', status: 'done' };

/** Returns the payer: the actor of a pay, the target of a charge. Null while a charged address has no owner. */
export function payerIdOf(facts: PaymentFacts, targetUserId: string | null): string | null {
  return facts.action === 'pay' ? facts.actorId : targetUserId;
}

/**
 * Returns the next append or funding call that advances a payment, from its history alone. Command handlers and the
 * worker that completes payments call it until it returns `idle`; no other code moves money. Appends come before calls to
 * a provider, whose answer may take days; `fundingCalls` names all calls of a payment.
 */
export function nextStep(transfer: Transfer, context: StepContext): NextStep {
  const { payment } = transfer;
  if (payment.status === 'none' || payment.facts.mode === 'refund') return DONE;
  if (payment.facts.mode === 'scripted') return asScripted(payment, context);
  const charges = openCharges(transfer, payment);
  // A source from before there was a provider answers at once, so it is asked first.
  const instant = charges.find(({ beginBeforeUs }) => beginBeforeUs === undefined);
  if (instant !== undefined) return instant;
  const step = withoutCharges(transfer, payment, context);
  return step.kind === 'idle' || step.kind === 'repay' ? (charges[0] ?? step) : step;
}

function withoutCharges(transfer: Transfer, payment: ExistingPayment, context: StepContext): NextStep {
  switch (payment.status) {
    case 'pending':
      return whilePending(transfer, payment.facts, context);
    case 'settled':
      return creditStep(transfer, payment, context) ?? returnSteps(transfer, payment, context)[0] ?? DONE;
    case 'failed':
      return DONE;
    case 'expired':
    case 'cancelled':
      return returnSteps(transfer, payment, context)[0] ?? refundStep(transfer, payment) ?? DONE;
  }
}

/** A payment with the sandbox's test user, which never changes a wallet. */
function asScripted({ status, facts }: ExistingPayment, { atUs }: StepContext): NextStep {
  if (status !== 'pending') return DONE;
  const outcome = scriptedOutcome(facts);
  if (outcome === 'failed') return { kind: 'payment', event: failed(null, atUs) };
  const targetUserId = facts.target.userId;
  if (outcome === 'settled' && targetUserId !== null) return { kind: 'payment', event: settled(targetUserId, atUs) };
  return PENDING;
}

function whilePending(transfer: Transfer, facts: PaymentFacts, context: StepContext): NextStep {
  const { atUs } = context;
  switch (facts.mode) {
    case 'transfer':
    case 'hold':
      return whileActorPays(transfer, facts, context);
    case 'trusted':
      return whileFriendPays(transfer, facts, context);
    case 'request':
      return settledByDebit(transfer, atUs);
    case 'refund':
    case 'scripted':
      return DONE;
  }
}

function whileActorPays(transfer: Transfer, facts: PaymentFacts, context: StepContext): NextStep {
  const steps = transfer.steps.get(facts.actorId) ?? NO_STEPS;
  if (steps.isRefused) return { kind: 'payment', event: failed(steps.refusedBecause, context.atUs) };
  if (steps.isAwaitingSource) return PENDING;
  if (!steps.isDebited) return debit(transfer, facts, facts.actorId, context);
  // A held pay waits for the user who verifies the address.
  if (facts.target.userId === null) return PENDING;
  return { kind: 'payment', event: settled(facts.target.userId, context.atUs, isPaidBySource(steps)) };
}

/** If a friend cannot fund a trusted charge, it becomes a request. */
function whileFriendPays(transfer: Transfer, facts: PaymentFacts, context: StepContext): NextStep {
  const friendId = facts.target.userId;
  const steps = (friendId === null ? undefined : transfer.steps.get(friendId)) ?? NO_STEPS;
  const isUndecided = !steps.isDebited && !steps.isRefused && !steps.isAwaitingSource;
  if (friendId !== null && isUndecided) return debit(transfer, facts, friendId, context);
  return settledByDebit(transfer, context.atUs);
}

/** A debited approver settles the request; without a debit it waits. */
function settledByDebit(transfer: Transfer, atUs: number): NextStep {
  for (const [walletId, steps] of transfer.steps) {
    if (!steps.isDebited || steps.isReturned) continue;
    return { kind: 'payment', event: settled(walletId, atUs, isPaidBySource(steps)) };
  }
  return PENDING;
}

function creditStep(
  { paymentId, steps }: Transfer,
  { facts, targetUserId, isFromSource }: Extract<ExistingPayment, { status: 'settled' }>,
  { atUs }: StepContext,
): NextStep | null {
  const payeeId = facts.action === 'pay' ? targetUserId : facts.actorId;
  if (steps.get(payeeId)?.isCredited) return null;
  const command: WalletCommand = { type: 'credit', paymentId, amountCents: facts.amountCents, atUs };
  return { kind: 'wallet', walletId: payeeId, command: isFromSource ? { ...command, isFromSource } : command };
}

/** Returns the payment that shows the refund of a held pay; null if there is none to write. */
function refundStep(
  transfer: Transfer,
  payment: Extract<ExistingPayment, { refundId: string | null }>,
): NextStep | null {
  const { refundId, facts, endedAtUs } = payment;
  if (refundId === null || transfer.isRefundWritten) return null;
  const target = { type: 'user', userId: facts.actorId, address: null } as const;
  const created: PaymentCreated = {
    type: 'PaymentCreated',
    data: {
      ...facts,
      mode: 'refund',
      target,
      feeCents: 0,
      audience: 'private',
      refundOf: transfer.paymentId,
      atUs: endedAtUs,
    },
  };
  return { kind: 'refund', refundId, events: [created, settled(facts.actorId, endedAtUs)] };
}

function debit(transfer: Transfer, facts: PaymentFacts, walletId: string, context: StepContext): NextStep {
  const { paymentId } = transfer;
  const { amountCents, feeCents } = facts;
  const attempt = nextAttempt(NO_STEPS, walletId, context);
  const command: WalletCommand = {
    type: 'debit',
    paymentId,
    amountCents,
    feeCents,
    sourceId: context.sourceIdOf(walletId),
    attempt,
    isCreation: true,
    ...(context.usesProvider === true && { chargeKey: chargeKeyOf(paymentId, walletId, attempt) }),
    ...(context.admitsCharge?.(walletId, totalCentsOf(facts)) === false && { isAboveLimit: true }),
    atUs: context.atUs,
  };
  return { kind: 'wallet', walletId, command };
}

/** Returns the next attempt to charge a user: above all earlier ones, those of orphan charges included. */
export function nextAttempt(
  { attempt }: Pick<WalletSteps, 'attempt'>,
  walletId: string,
  { orphanAttemptOf }: Pick<StepContext, 'orphanAttemptOf'>,
): number {
  return Math.max(attempt, orphanAttemptOf?.(walletId) ?? 0) + 1;
}

function settled(targetUserId: string, atUs: number, isFromSource = false): PaymentSettled {
  const data = { targetUserId, atUs };
  return { type: 'PaymentSettled', data: isFromSource ? { ...data, isFromSource } : data };
}

function failed(refusedBecause: WalletSteps['refusedBecause'], atUs: number): PaymentEvent {
  return { type: 'PaymentFailed', data: { reason: refusedBecause ?? 'insufficient_funds', atUs } };
}
