import { formatDollars } from '@settle/contracts';
import type { WalletEvent } from '@settle/payments-domain';

/**
 * Describes what an event of a wallet's stream did to its owner's balance, without a full stop.
 * @param owner name of the owner
 */
export function describeWalletEvent(event: WalletEvent, owner: string): string {
  return `${owner}: ${describeStep(event)}; balance ${formatDollars(event.data.balanceCents)}`;
}

function describeStep(event: WalletEvent): string {
  switch (event.type) {
    case 'WalletOpened':
      return 'wallet opened';
    case 'FundingRequested':
      return `charge of ${formatDollars(event.data.amountCents)} requested from the source ${event.data.sourceId} (attempt ${event.data.attempt}${keyOf(event.data.chargeKey)})`;
    case 'FundsAdded':
      return `${formatDollars(event.data.amountCents)} came in from the source ${event.data.sourceId}${lateOf(event.data.isLate)}`;
    case 'FundingDeclined':
      return `the source brought no money (attempt ${event.data.attempt}${reasonOf(event.data)})`;
    case 'FundsDebited':
      return `${amountOf(event.data)} debited`;
    case 'DebitRefused':
      return `debit refused: balance and source do not cover it (attempt ${event.data.attempt}${reasonOf(event.data)})`;
    case 'FundsCredited':
      return `${formatDollars(event.data.amountCents)} credited`;
    case 'FundsReturned':
      return `${amountOf(event.data)} returned, because the payment was not settled`;
    case 'RepaymentRequested':
      return `repayment of the charge ${event.data.chargeKey} requested from the payment provider`;
    case 'FundsWithdrawn':
      return `${formatDollars(event.data.amountCents)} left to the source ${event.data.sourceId}`;
    case 'WithdrawalReversed':
      return `${formatDollars(event.data.amountCents)} came back: a repayment or payout failed`;
    case 'FundsReversed':
      return `${formatDollars(event.data.amountCents)} taken back by the reversal ${event.data.reversalId}`;
    case 'ReversalReturned':
      return `${formatDollars(event.data.amountCents)} returned: the reversal ${event.data.reversalId} was won`;
  }
}

function amountOf({ amountCents, feeCents }: { readonly amountCents: number; readonly feeCents: number }): string {
  const fee = feeCents === 0 ? '' : ` and a fee of ${formatDollars(feeCents)}`;
  return `${formatDollars(amountCents)}${fee}`;
}

function keyOf(chargeKey: string | undefined): string {
  return chargeKey === undefined ? '' : `, key ${chargeKey}`;
}

function lateOf(isLate: boolean | undefined): string {
  return isLate === true ? ', after the charge had been refused' : '';
}

function reasonOf({ reason, code }: { readonly reason?: string; readonly code?: string }): string {
  return [reason, code].map((text) => (text === undefined ? '' : `, ${text}`)).join('');
}
