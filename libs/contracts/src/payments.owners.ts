import { requestContract } from './message.js';
import { id, message, oneOf } from './message-fields.js';
import { ENVIRONMENTS } from './payment-enums.js';
import { TOPICS } from './topics.js';

/** Asks the owner of this wallet to append the steps of a payment on it. Sent between instances of payments-service. */
export class ContinuePayment extends message({
  paymentId: id,
  walletId: id,
  environment: oneOf(ENVIRONMENTS),
}) {}

export interface ContinuedPayment {
  /** Log position of the steps; a reader that has passed it sees them. */
  readonly position: number;
}

/** Keyed by the wallet's user. Never waits for another owner. Errors: `service_unavailable`, `outcome_unknown`. */
export const continuePayment = requestContract<ContinuePayment, ContinuedPayment>(
  TOPICS.paymentsCommands,
  'payments.continue',
);

/** Settles the pays held for the verified addresses of this user. Sent between instances of payments-service. */
export class ClaimHeld extends message({
  userId: id,
  environment: oneOf(ENVIRONMENTS),
}) {}

export interface ClaimsStarted {
  readonly userId: string;
}

/** Keyed by the user. Responds at once; the worker's sweep retries claims that fail. */
export const claimHeld = requestContract<ClaimHeld, ClaimsStarted>(TOPICS.paymentsCommands, 'payments.claim');
