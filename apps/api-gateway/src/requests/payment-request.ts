import { SettleError, type CreatePayment, type PaymentTarget, type RequestAction } from '@settle/contracts';
import {
  isBlank,
  missingParameter,
  readAmountCents,
  readAudience,
  readEmailTarget,
  readNote,
  readPhoneTarget,
  readRequestAction,
  readUserIdTarget,
} from './parameter-rules.js';
import type { RequestParameters } from './request-parameters.js';

/** The request of POST /payments. `amountCents` is positive; `action` gives the direction. */
export type PaymentRequest = Pick<CreatePayment, 'target' | 'note' | 'amountCents' | 'action' | 'audience'>;

/**
 * Reads the parameters of POST /payments. Used for every payment in place of `PaymentRequestBody`, which defines the
 * same rules at several times the cost; a spec compares both. Errors: those of the catalogue with status 400.
 */
export function readPaymentRequest(parameters: RequestParameters, maxAmountCents: number): PaymentRequest {
  const target = readTarget(parameters);
  if (isBlank(parameters['note'])) throw missingParameter('note');
  const note = readNote(parameters['note'], 'note');
  if (isBlank(parameters['amount'])) throw missingParameter('amount');
  const cents = readAmountCents(parameters['amount'], maxAmountCents);
  const audience = isBlank(parameters['audience']) ? null : readAudience(parameters['audience'], 'audience');
  return { target, note, amountCents: Math.abs(cents), action: cents < 0 ? 'charge' : 'pay', audience };
}

/** Reads the parameters of PUT /payments/:payment. Errors: `missing_parameter`, `invalid_action`. */
export function readActionRequest(parameters: RequestParameters): RequestAction {
  if (isBlank(parameters['action'])) throw missingParameter('action');
  return readRequestAction(parameters['action'], 'action');
}

/** Returns the error in the choice of target, if any: exactly one of the three must be present. */
export function targetProblem(parameters: RequestParameters): SettleError | null {
  const named = ['user_id', 'email', 'phone'].filter((name) => !isBlank(parameters[name])).length;
  if (named === 0) return new SettleError('missing_parameter', 'Send one of user_id, email and phone.');
  return named === 1 ? null : new SettleError('invalid_target', 'Send only one of user_id, email and phone.');
}

function readTarget(parameters: RequestParameters): PaymentTarget {
  const problem = targetProblem(parameters);
  if (problem !== null) throw problem;
  const { user_id: userId, email, phone } = parameters;
  if (!isBlank(userId)) return { type: 'user', value: readUserIdTarget(userId, 'user_id') };
  if (!isBlank(email)) return { type: 'email', value: readEmailTarget(email, 'email') };
  return { type: 'phone', value: readPhoneTarget(phone, 'phone') };
}
