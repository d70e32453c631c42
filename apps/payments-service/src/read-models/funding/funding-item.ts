import type { FundingItem, FundingReason, FundingStatus } from '@settle/contracts';
import type { FundingRow } from './funding-row.js';

/** A page of the provider on which the user must do something. */
export type FundingPage = NonNullable<FundingItem['nextAction']>;

/** A deposit, withdrawal or reversal as `funding` has it, or the charge of a payment. */
export interface ShownFunding extends Pick<FundingRow, 'id' | 'paymentId' | 'status' | 'createdUs' | 'act'> {
  readonly kind: FundingItem['kind'];
  readonly amountCents: number;
  /** A `FundingReason`. */
  readonly reason: string | null;
  readonly page: FundingPage | null;
}

/** Returns the row as its owner sees it. */
export function fundingItemOf(row: ShownFunding): FundingItem {
  const { kind, id, amountCents, status: stored, reason, createdUs: createdAtUs, page } = row;
  const status = STATUSES[kind](row);
  return {
    ...{ kind, id, amountCents, status, createdAtUs },
    reason: reason as FundingReason | null,
    paymentId: kind === 'charge' ? row.paymentId : null,
    nextAction: status === 'pending' ? page : null,
    canCancel: kind === 'withdrawal' && stored === 'requested',
  };
}

type StatusOf = (row: Pick<ShownFunding, 'status' | 'act'>) => FundingStatus;

const STATUSES: Readonly<Record<FundingItem['kind'], StatusOf>> = {
  deposit: incomingStatus,
  charge: incomingStatus,
  withdrawal: withdrawalStatus,
  // The money of a reversal that was won is balance again.
  reversal: ({ status }) => (status === 'won' ? 'returned' : 'reversed'),
};

/** Until its money is in the wallet it is pending. */
function incomingStatus({ status, act }: Pick<ShownFunding, 'status' | 'act'>): FundingStatus {
  if (status === 'failed' || status === 'returned') return status;
  return status === 'settled' && act === null ? 'settled' : 'pending';
}

function withdrawalStatus({ status, act }: Pick<ShownFunding, 'status' | 'act'>): FundingStatus {
  switch (status) {
    case 'paid':
      return 'settled';
    case 'failed':
    case 'cancelled':
    case 'returned':
      return status;
    default:
      return act === 'review' ? 'review' : 'pending';
  }
}
