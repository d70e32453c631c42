import { DECLINED_TEST_CARD, SettleError } from '@settle/contracts';
import { fundingAnswer, returnAfterRepayment, type SourceOrder } from '@settle/payments-domain';
import type { NextWait, TransferProgress } from './transfer-progress.js';

/** Result of a call to a funding source. `unknown`: no response arrived; call again with the same key. */
export type SourceResponse = 'approved' | 'declined' | 'unknown';

/**
 * Moves money between a user's funding source and the ledger. Both calls are idempotent: the same key returns the same
 * response and moves the money once. They never reject; a failure on the way is `unknown`.
 */
export interface FundingSources {
  charge(key: string, order: SourceOrder): Promise<SourceResponse>;
  repay(key: string, order: SourceOrder): Promise<SourceResponse>;
}

/** Cards of the development tools. They hold no money: the card alone decides the response, at every repetition. */
export const testCards: FundingSources = {
  charge: (_key, { sourceId }) => Promise.resolve(sourceId.startsWith(DECLINED_TEST_CARD) ? 'declined' : 'approved'),
  repay: () => Promise.resolve('approved'),
};

/** Without a provider no source can be charged, and money that once came from a card stays as balance. */
export const noSources: FundingSources = {
  charge: () => Promise.resolve('declined'),
  repay: () => Promise.resolve('declined'),
};

/** A funding call that a payment waits for. */
type FundingCall = Extract<NextWait, { kind: 'charge' | 'repay' }>;

/** A definite response of a funding source, to be applied to the wallet that requested it. */
export interface FundingResult {
  readonly kind: FundingCall['kind'];
  readonly walletId: string;
  readonly attempt: number;
  readonly isApproved: boolean;
}

/** Calls a funding source. Error: `outcome_unknown` if it does not respond; the next advance of the payment calls again. */
export async function callFundingSource(
  sources: FundingSources,
  paymentId: string,
  { kind, key, order, walletId }: FundingCall,
): Promise<FundingResult> {
  const response = await (kind === 'charge' ? sources.charge(key, order) : sources.repay(key, order));
  if (response === 'unknown') {
    throw new SettleError('outcome_unknown', `The funding source has not responded. Read payment ${paymentId} later.`);
  }
  return { kind, walletId, attempt: order.attempt, isApproved: response === 'approved' };
}

/** Adds the appends of a funding result, unless another advance of the payment has already applied it. */
export function applyFundingResult(
  progress: TransferProgress,
  { kind, walletId, attempt, isApproved }: FundingResult,
  atUs: number,
): void {
  const { payment } = progress.transfer;
  if (payment.status === 'none') return;
  const transfer = { ...progress.transfer, payment };
  const command =
    kind === 'charge'
      ? fundingAnswer(transfer, walletId, { attempt, isApproved, atUs })
      : returnAfterRepayment(transfer, walletId, { isRepaid: isApproved, atUs });
  if (command !== null) progress.applyCommand(walletId, command);
}
