import { hash } from 'node:crypto';
import { SettleError } from '@settle/contracts';
import { isBlank } from '../parameters/parameter-rules.js';
import type { RequestParameters } from '../parameters/request-parameters.js';

/** Returns the hash that represents a token everywhere outside this request. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

const BEARER = /^bearer(?: +(.*))?$/i;

/**
 * Returns the access token of a request: a parameter (query, form or JSON field) or the `Authorization` header.
 * Errors: `missing_token`; `invalid_request` if it is in two places or is not text.
 */
export function findAccessToken(parameters: RequestParameters, authorization: string | undefined): string {
  const named = parameters['access_token'];
  const borne = authorization === undefined ? undefined : bearerToken(authorization);
  if (!isBlank(borne) && !isBlank(named)) {
    throw new SettleError('invalid_request', 'The access token stands in two places: send it in one.');
  }
  const token = isBlank(borne) ? named : borne;
  if (typeof token === 'string' && token !== '') return token;
  if (!isBlank(token)) throw new SettleError('invalid_request', 'access_token must be text.');
  throw new SettleError('missing_token', 'Send an access token: as access_token, or as "Authorization: Bearer".');
}

/** Returns the token of an `Authorization` header; undefined for another scheme. Error: `invalid_request`. */
export function bearerToken(authorization: string): string | undefined {
  // Node joins several headers of one name by commas, which no token has.
  if (authorization.includes(',')) {
    throw new SettleError('invalid_request', 'Authorization is repeated or holds more than a token: send it once.');
  }
  const match = BEARER.exec(authorization);
  return match === null ? undefined : (match[1] ?? '').trim();
}
