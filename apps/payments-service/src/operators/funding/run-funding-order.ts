import { reconcile } from '../reconcile/reconcile.js';
import { bookTransfer } from './book-transfer.js';
import { askProviderSoon } from './make-due.js';
import { cancelCharge } from './cancel-charge.js';
import type { FundingOrder } from './funding-arguments.js';
import type { FundingPlace } from './funding-place.js';
import { listPending } from './list-pending.js';
import { repayOrphan } from './repay-orphan.js';
import { closeContradiction, reviewWithdrawal } from './review.js';

/** Runs an operator's order and returns the exit code. Errors: one line that says why nothing was done. */
export function runFundingOrder(place: FundingPlace, order: FundingOrder): Promise<number> {
  switch (order.type) {
    case 'pending':
      return listPending(place);
    case 'deposit':
    case 'withdraw':
      return bookTransfer(place, order);
    case 'ask':
      return askProviderSoon(place, order);
    case 'cancel':
      return cancelCharge(place, order);
    case 'approve':
    case 'refuse':
      return reviewWithdrawal(place, order);
    case 'close':
      return closeContradiction(place, order);
    case 'repay':
      return repayOrphan(place, order);
    case 'reconcile':
      return reconcile(place, order);
  }
}
