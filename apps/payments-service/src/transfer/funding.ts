import { SettleError } from '@settle/contracts';
import {
  fundingAnswer,
  repaymentAnswer,
  returnAfterRepayment,
  type FundingRefusal,
  type SourceOrder,
} from '@settle/payments-domain';
import type { FundingCall, TransferProgress } from './transfer-progress.js';

/** Result of a call to a funding source. `unknown`: no response arrived; call again with the same key. */
export type SourceResponse = 'approved' | 'declined' | 'unknown';

/**
 * Moves money between a user's funding source and the ledger where no provider is set. Both calls are idempotent: the same
 * key returns the same response and moves the money once. They never reject; a failure on the way is `unknown`.
 */
export interface FundingSources {
  charge(key: string, order: SourceOrder): Promise<SourceResponse>;
  repay(key: string, order: SourceOrder): Promise<SourceResponse>;
}

/** Without a provider no source can be charged, and money that once came from a card stays as balance. */
export const noSources: FundingSources = {
  charge: () => Promise.resolve('declined'),
  repay: () => Promise.resolve('declined'),
};

/** A definite answer to a funding call, to be applied to the wallet that requested it. */
export type FundingResult =
  | {
      readonly kind: 'charge';
      readonly walletId: string;
      readonly attempt: number;
      readonly isApproved: boolean;
      /** Id of the provider's charge; absent without a provider. */
      readonly providerId?: string;
      /** Why the provider's charge brought no money; absent without a provider. */
      readonly refusal?: FundingRefusal;
    }
  | { readonly kind: 'repay'; readonly walletId: string; readonly isRepaid: boolean }
  /** The provider's answer to the repayment of this key. */
  | {
      readonly kind: 'repayment';
      readonly walletId: string;
      readonly key: string;
      readonly answer: 'accepted' | 'refused' | 'missing';
    };

/**
 * Calls a funding source where no provider is set. Error: `outcome_unknown` if it does not respond, and for a call that a
 * provider was asked for: only that provider can answer it. The next advance of the payment calls again.
 */
export async function callFundingSource(
  sources: FundingSources,
  paymentId: string,
  { kind, key, order, walletId, beginBeforeUs }: FundingCall,
): Promise<FundingResult> {
  const call = () => (kind === 'charge' ? sources.charge(key, order) : sources.repay(key, order));
  const response = beginBeforeUs === undefined ? await call() : 'unknown';
  if (response === 'unknown') {
    throw new SettleError('outcome_unknown', `The funding source has not responded. Read payment ${paymentId} later.`);
  }
  const isApproved = response === 'approved';
  if (kind === 'charge') return { kind, walletId, attempt: order.attempt, isApproved };
  return { kind, walletId, isRepaid: isApproved };
}

/**
 * Adds the appends of a funding result, unless another advance of the payment has already applied it, or the wallet now
 * belongs to another instance, which asks for itself.
 */
export function applyFundingResult(progress: TransferProgress, result: FundingResult, atUs: number): void {
  const { payment } = progress.transfer;
  const { walletId } = result;
  if (payment.status === 'none' || !progress.tails.has(walletId)) return;
  const transfer = { ...progress.transfer, payment };
  const command = commandOf(transfer, result, atUs);
  if (command !== null) progress.applyCommand(walletId, command);
}

function commandOf(transfer: Parameters<typeof fundingAnswer>[0], result: FundingResult, atUs: number) {
  const { walletId } = result;
  switch (result.kind) {
    case 'charge':
      return fundingAnswer(transfer, walletId, { ...answerOf(result), atUs });
    case 'repay':
      return returnAfterRepayment(transfer, walletId, { isRepaid: result.isRepaid, atUs });
    case 'repayment':
      return repaymentAnswer(transfer, walletId, { key: result.key, answer: result.answer, atUs });
  }
}

/** Without what only a provider says, the events are those from before there was one. */
function answerOf({ attempt, isApproved, providerId, refusal }: Extract<FundingResult, { kind: 'charge' }>) {
  return {
    attempt,
    isApproved,
    ...(providerId !== undefined && { providerId }),
    ...(refusal !== undefined && { refusal }),
  };
}
