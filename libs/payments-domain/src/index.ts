export { approvalDebit, fundingAnswer, returnAfterRepayment } from './approval.js';
export { feeEntry, walletEntry, type JournalEntry } from './journal.js';
export { feeCentsOf, formatCents, parseAmountCents, type FeeRate } from './money.js';
export { nextStep, payerIdOf, type NextStep, type SourceOrder, type StepContext, type Transfer } from './next-step.js';
export { decidePayment, modeOf, type PaymentCommand, type PaymentDecision, type Refusal } from './payment-decisions.js';
export type {
  CancelReason,
  EventTarget,
  PaymentCancelled,
  PaymentCreated,
  PaymentEvent,
  PaymentExpired,
  PaymentFailed,
  PaymentMode,
  PaymentSettled,
} from './payment-events.js';
export {
  NO_PAYMENT,
  evolvePayment,
  targetUserIdOf,
  type AbandonedPayment,
  type ExistingPayment,
  type FailedPayment,
  type NoPayment,
  type PaymentFacts,
  type PaymentState,
  type PendingPayment,
  type SettledPayment,
} from './payment.js';
export {
  SANDBOX_OPENING_CENTS,
  scriptedBalanceCents,
  scriptedOutcome,
  scriptedOutcomes,
  type ScriptedOutcome,
} from './scripted.js';
export type { WalletEvent } from './wallet-events.js';
export { NO_STEPS, evolveSteps, type StepFact, type WalletSteps } from './wallet-steps.js';
export { NO_WALLET, decideWallet, evolveWallet, type WalletCommand, type WalletState } from './wallet.js';
