import { approvalDebit, fundingAnswer, repaymentAnswer } from '../../src/approval.js';
import { fundingCalls } from '../../src/funding-calls.js';
import { nextFundingStep } from '../../src/next-funding-step.js';
import { nextStep } from '../../src/next-step.js';
import { decidePayment } from '../../src/payment-decisions.js';
import { chargeResult, providerRequest } from '../../src/provider-answers.js';
import { chargeChange, payoutAnswer, repaymentChange } from '../../src/provider-changes.js';
import { decideWallet } from '../../src/wallet.js';

/** The rules that move the world: the domain's own functions and the rules of their callers, each replaceable by a fault. */
export interface Rules {
  readonly nextStep: typeof nextStep;
  readonly fundingCalls: typeof fundingCalls;
  readonly decidePayment: typeof decidePayment;
  readonly decideWallet: typeof decideWallet;
  readonly approvalDebit: typeof approvalDebit;
  readonly fundingAnswer: typeof fundingAnswer;
  readonly repaymentAnswer: typeof repaymentAnswer;
  readonly nextFundingStep: typeof nextFundingStep;
  readonly payoutAnswer: typeof payoutAnswer;
  readonly providerRequest: typeof providerRequest;
  readonly chargeResult: typeof chargeResult;
  readonly chargeChange: typeof chargeChange;
  readonly repaymentChange: typeof repaymentChange;
  /** Every PUT carries the `begin_before` that is stored with the intent. */
  readonly sendsStoredBeginBefore: boolean;
  /** The provider refuses to repay a charge with an open or lost reversal. */
  readonly providerRefusesReversed: boolean;
  /** The withdrawal's stream decides before the wallet takes the money back. */
  readonly withdrawalDecidesFirst: boolean;
  /** The deposit's stream decides before the wallet gets the money. */
  readonly depositDecidesFirst: boolean;
  /** Changes are applied to streams that are read at their current end. */
  readonly readsChangesAtEnd: boolean;
  /** The cursor moves after what the change leads to is stored. */
  readonly movesCursorLast: boolean;
  /** Appends to wallets expect the revision that was read. */
  readonly expectsRevisions: boolean;
}

export const RULES: Rules = {
  nextStep,
  fundingCalls,
  decidePayment,
  decideWallet,
  approvalDebit,
  fundingAnswer,
  repaymentAnswer,
  nextFundingStep,
  payoutAnswer,
  providerRequest,
  chargeResult,
  chargeChange,
  repaymentChange,
  sendsStoredBeginBefore: true,
  providerRefusesReversed: true,
  withdrawalDecidesFirst: true,
  depositDecidesFirst: true,
  readsChangesAtEnd: true,
  movesCursorLast: true,
  expectsRevisions: true,
};
