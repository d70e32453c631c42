import { requestContract } from './message.js';
import { id, message, oneOf } from './message-fields.js';
import { ENVIRONMENTS } from './payment-enums.js';
import { TOPICS } from './topics.js';

/** Do the steps of a payment on this wallet, which is yours. Sent by instances of payments-service to each other. */
export class ContinuePayment extends message({
  paymentId: id,
  walletId: id,
  environment: oneOf(ENVIRONMENTS),
}) {}

export interface ContinuedPayment {
  /** A reader that has passed this log position sees the steps. */
  readonly position: number;
}

/** Keyed by the wallet's user. Never waits for another owner. Errors: `service_unavailable`, `outcome_unknown`. */
export const continuePayment = requestContract<ContinuePayment, ContinuedPayment>(
  TOPICS.paymentsCommands,
  'payments.continue',
);

/** Settle what is held for the proven addresses of this user. Sent by instances of payments-service to each other. */
export class ClaimHeld extends message({
  userId: id,
  environment: oneOf(ENVIRONMENTS),
}) {}

export interface ClaimsBegun {
  readonly userId: string;
}

/** Keyed by the user. Answers at once; what fails is found by the worker's sweep. */
export const claimHeld = requestContract<ClaimHeld, ClaimsBegun>(TOPICS.paymentsCommands, 'payments.claim');
