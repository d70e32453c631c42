import { SettleError } from '@settle/contracts';
import type { QueryParameters } from '../http/query-parameters.js';
import type { FormFields } from './form-body.js';

const BEARER = /^bearer +([^\s,]+)$/i;

/** The places of a request that may carry an access token. */
export interface TokenSources {
  readonly query: QueryParameters;
  readonly form: FormFields;
  readonly authorization: string | undefined;
}

/** Returns the access token of a request. Errors: `missing_token`; `invalid_request` if it is sent more than once. */
export function readPresentedToken({ query, form, authorization }: TokenSources): string {
  const [, bearer] = BEARER.exec(authorization ?? '') ?? [];
  const candidates = [bearer, ...(query.get('access_token') ?? []), form.get('access_token')];
  const [token = '', ...others] = candidates.filter((candidate) => candidate !== undefined);
  if (others.length > 0) {
    throw new SettleError('invalid_request', 'The access token was sent more than once. Send it in one place.');
  }
  if (token !== '') return token;
  throw new SettleError('missing_token', 'Send an access token: as access_token, or as "Authorization: Bearer".');
}
