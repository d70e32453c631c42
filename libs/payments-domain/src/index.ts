export { approvalDebit, fundingAnswer, repaymentAnswer, returnAfterRepayment } from './approval.js';
export { fundingCalls, isFundingOpen, type ChargeCall, type RepayCall } from './funding-calls.js';
export type { Contradiction, DepositAccepted, FundingRefusal } from './funding-events.js';
export { feeEntry, walletEntry, type JournalEntry } from './journal.js';
export { feeCentsOf, formatCents, parseAmountCents, type FeeRate } from './money.js';
export { nextStep, payerIdOf, type NextStep, type SourceOrder, type StepContext, type Transfer } from './next-step.js';
export { decidePayment, modeOf, type PaymentCommand, type PaymentDecision } from './payment-decisions.js';
export type { EventTarget, PaymentCreated, PaymentEvent, PaymentMode } from './payment-events.js';
export {
  NO_PAYMENT,
  evolvePayment,
  targetUserIdOf,
  type ExistingPayment,
  type PaymentFacts,
  type PaymentState,
} from './payment.js';
export { SANDBOX_OPENING_CENTS, scriptedBalanceCents, scriptedOutcome, scriptedOutcomes } from './scripted.js';
export {
  chargeResult,
  providerRequest,
  repaymentResult,
  type ChargeProviderState,
  type PayoutProviderState,
  type ProviderAnswer,
  type ProviderRequest,
} from './provider-answers.js';
export type { WalletEvent } from './wallet-events.js';
export { NO_STEPS, evolveSteps, type StepFact, type WalletSteps } from './wallet-steps.js';
export { NO_WALLET, decideWallet, evolveWallet, type WalletCommand, type WalletState } from './wallet.js';
