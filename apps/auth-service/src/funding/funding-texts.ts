import {
  SettleError,
  type FundingItem,
  type FundingReason,
  type FundingStatus,
  type SourceView,
} from '@settle/contracts';

export const NO_PROVIDER =
  'No payment provider is connected to this server, so money cannot be added or withdrawn here.';

export type KindOfMoney = FundingItem['kind'];

export const KIND_TEXTS: Readonly<Record<KindOfMoney, string>> = {
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  charge: 'Payment from your card or account',
  reversal: 'Disputed payment',
};

const BACK_IN_BALANCE = 'The money is in your balance.';

/** Says for each status where the money is. */
export const STATUS_TEXTS: Readonly<Record<KindOfMoney, Readonly<Record<FundingStatus, string>>>> = {
  deposit: {
    pending: 'In progress. The money is in your balance once the provider confirms it.',
    review: 'In progress. We check it first.',
    settled: 'Added to your balance.',
    failed: 'Not added. Your balance is unchanged.',
    cancelled: 'Cancelled. Your balance is unchanged.',
    returned: 'Returned to your card or account.',
    reversed: 'Disputed. The money has left your balance.',
  },
  withdrawal: {
    pending: 'In progress. It can take a few days to arrive.',
    review: 'We check it before it is paid out. You need not do anything.',
    settled: 'Paid out.',
    failed: `Not paid out. ${BACK_IN_BALANCE}`,
    cancelled: `Cancelled. ${BACK_IN_BALANCE}`,
    returned: `Sent back by the bank. ${BACK_IN_BALANCE}`,
    reversed: `Sent back by the bank. ${BACK_IN_BALANCE}`,
  },
  charge: {
    pending: 'Not yet funded. The payment is made once the provider confirms it.',
    review: 'Not yet funded. We check it first.',
    settled: 'Charged.',
    failed: 'Declined. No money was taken.',
    cancelled: 'Cancelled. No money was taken.',
    returned: 'Returned to your card or account.',
    reversed: 'Disputed. The money has left your balance.',
  },
  reversal: {
    pending: 'The dispute is open.',
    review: 'The dispute is open.',
    settled: `The dispute was decided for you. ${BACK_IN_BALANCE}`,
    failed: 'The dispute has ended.',
    cancelled: `The dispute was withdrawn. ${BACK_IN_BALANCE}`,
    returned: `The dispute was decided for you. ${BACK_IN_BALANCE}`,
    reversed: 'The owner of the card or account disputed a payment. The money has left your balance.',
  },
};

/** Returns where the money of an item is. */
export function describeStatus({ kind, status, reason }: Pick<FundingItem, 'kind' | 'status' | 'reason'>): string {
  // The user cancelled the payment before it was funded. No bank declined it.
  const isCancelled = status === 'failed' && reason === 'cancelled';
  return STATUS_TEXTS[kind][isCancelled ? 'cancelled' : status];
}

/** Why money did not move, and what the user can do. */
export const REASON_TEXTS: Readonly<Record<FundingReason, string>> = {
  declined: 'The bank or card company declined it. Ask them, or use a different card or account.',
  insufficient: 'The card or account does not have enough money. Use a different one, or a smaller amount.',
  expired_card: 'The card has expired. Remove it and add the new one.',
  suspected_fraud: 'The bank or card company refused it for your safety. Ask them, or use a different card or account.',
  action_timeout: 'You did not confirm it in time. Try again, and confirm it on the page of your bank.',
  limit: 'It exceeds a limit of the card or account. Use a smaller amount, or try again tomorrow.',
  other: 'The provider refused it. Try again later, or use a different card or account.',
  cancelled: 'It was cancelled before it was done.',
  not_covered: 'Your balance did not cover it. Withdraw a smaller amount.',
  owner_frozen: 'Your account is frozen. Ask support to lift it.',
  refused_by_operator: 'We refused it after a check. Ask support for the reason.',
};

/** Returns a source as the user knows it, such as "Visa ending in 4242". */
export function nameSource({ brand, lastFour }: Pick<SourceView, 'brand' | 'lastFour'>): string {
  const name = brand ?? 'Card or account';
  return lastFour === null ? name : `${name} ending in ${lastFour}`;
}

/** Returns what was refused and what to do, for the form that was sent. */
export function describeRefusal({ code, message }: SettleError): string {
  switch (code) {
    case 'service_unavailable':
      return 'The payment provider is not available. Nothing was begun and nothing is lost: send the form again later.';
    case 'outcome_unknown':
      return 'No answer came in time. The list below shows whether it was done. Sending this form again does not do it twice.';
    case 'account_frozen':
      return 'Your account is frozen, so no money can be added or withdrawn. Ask support to lift it.';
    case 'resource_not_found':
      return 'The provider does not have this any more. Look at the list, and start again if it is not there.';
    default:
      return message;
  }
}
