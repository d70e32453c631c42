export { approvalDebit, fundingAnswer, repaymentAnswer, returnAfterRepayment } from './approval.js';
export { NO_CHARGE, chargeKeyOf, type ChargeState, type Charges } from './charges.js';
export { NO_DEPOSIT, evolveDeposit, type DepositState } from './deposit.js';
export { fundingCalls, isFundingOpen, type ChargeCall, type RepayCall } from './funding-calls.js';
export type {
  Contradiction,
  ContradictionEvent,
  DepositEvent,
  FundingRefusal,
  OperatorDecision,
  ProviderCode,
  ReversalEvent,
  WithdrawalEvent,
} from './funding-events.js';
export { feeEntry, payoutEntry, walletEntry, type JournalEntry } from './journal.js';
export { feeCentsOf, formatCents, parseAmountCents, type FeeRate } from './money.js';
export { nextFundingStep, type FundingContext, type FundingStep, type FundingUnit } from './next-funding-step.js';
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
  chargeResult,
  payoutResult,
  providerRequest,
  repaymentResult,
  type ChargeProviderState,
  type ChargeResult,
  type PayoutProviderState,
  type PayoutResult,
  type ProviderAnswer,
  type ProviderRequest,
  type RepaymentResult,
} from './provider-answers.js';
export {
  chargeChange,
  depositAnswer,
  lateRepaymentAnswer,
  payoutAnswer,
  payoutChange,
  repaymentChange,
  type ChangeStep,
  type ChargeOwner,
} from './provider-changes.js';
export {
  NO_REVERSAL,
  evolveReversal,
  nextReversalStep,
  reversalEvents,
  type ProviderReversal,
  type ReversalState,
  type ReversalStep,
} from './reversal.js';
export {
  SANDBOX_OPENING_CENTS,
  scriptedBalanceCents,
  scriptedOutcome,
  scriptedOutcomes,
  type ScriptedOutcome,
} from './scripted.js';
export type { WalletEvent } from './wallet-events.js';
export {
  NO_FUNDING_STEPS,
  NO_STEPS,
  evolveFundingSteps,
  evolveSteps,
  type FundingSteps,
  type StepData,
  type StepFact,
  type WalletSteps,
} from './wallet-steps.js';
export { NO_WALLET, decideWallet, evolveWallet, type WalletCommand, type WalletState } from './wallet.js';
export {
  NO_WITHDRAWAL,
  decideWithdrawal,
  evolveWithdrawal,
  type WithdrawalCommand,
  type WithdrawalDecision,
  type WithdrawalState,
} from './withdrawal.js';
