export { approvalDebit, fundingAnswer, repaymentAnswer, returnAfterRepayment } from './approval.js';
export { fundingCalls, isFundingOpen, type ChargeCall, type RepayCall } from './funding-calls.js';
export { areConcurrent } from './concurrent-steps.js';
export { NO_CHARGE, chargeKeyOf, openRepayment, type ChargeState } from './charges.js';
export {
  NO_CONTRADICTION,
  answerOrphanRepayment,
  evolveContradiction,
  newestOrphanRepayment,
  requestOrphanRepayment,
  type ContradictionState,
  type OrphanRepayment,
} from './contradiction.js';
export {
  exceededSourceLimit,
  heldCentsOf,
  sourceTimeUs,
  withdrawableCents,
  withdrawalBlock,
  type SourceLimits,
  type SourceUse,
} from './funding-limits.js';
export { NO_DEPOSIT, evolveDeposit, type DepositState } from './deposit.js';
export type {
  Contradiction,
  ContradictionEvent,
  DepositAccepted,
  DepositEvent,
  FundingRefusal,
  OperatorDecision,
  ReversalEvent,
  WithdrawalEvent,
} from './funding-events.js';
export {
  NO_REVERSAL,
  evolveReversal,
  nextReversalStep,
  reversalEvents,
  type ProviderReversal,
  type ReversalState,
} from './reversal.js';
export {
  NO_WITHDRAWAL,
  decideWithdrawal,
  evolveWithdrawal,
  type WithdrawalCommand,
  type WithdrawalDecision,
  type WithdrawalState,
} from './withdrawal.js';
export { nextUserEvent, statusAfter, type UserEvent, type UserEventType } from './user-lifecycle.js';
export { lostPayoutIntent, nextFundingStep, type FundingStep, type FundingUnit } from './next-funding-step.js';
export { feeEntry, payoutEntry, walletEntry, type JournalEntry } from './journal.js';
export { feeCentsOf, formatCents, parseAmountCents, type FeeRate } from './money.js';
export { nextStep, payerIdOf, type NextStep, type SourceOrder, type StepContext, type Transfer } from './next-step.js';
export { decidePayment, modeOf, type PaymentCommand, type PaymentDecision } from './payment-decisions.js';
export {
  paymentEventName,
  type EventTarget,
  type PaymentCreated,
  type PaymentEvent,
  type PaymentMode,
} from './payment-events.js';
export {
  NO_PAYMENT,
  evolvePayment,
  targetUserIdOf,
  totalCentsOf,
  type ExistingPayment,
  type PaymentFacts,
  type PaymentState,
} from './payment.js';
export { SANDBOX_OPENING_CENTS, scriptedBalanceCents, scriptedOutcome, scriptedOutcomes } from './scripted.js';
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
  beginBeforeUsAt,
  intentUsOf,
  chargeResult,
  payoutResult,
  providerRequest,
  repaymentResult,
  type ChargeProviderState,
  type ChargeResult,
  type PayoutResult,
  type PayoutProviderState,
  type ProviderAnswer,
  type ProviderObject,
  type ProviderRequest,
} from './provider-answers.js';
export type { WalletEvent } from './wallet-events.js';
export {
  NO_FUNDING_STEPS,
  NO_STEPS,
  evolveFundingSteps,
  evolveSteps,
  isPaidBySource,
  type FundingSteps,
  type StepFact,
  type WalletSteps,
} from './wallet-steps.js';
export { NO_WALLET, decideWallet, evolveWallet, type WalletCommand, type WalletState } from './wallet.js';
