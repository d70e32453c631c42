import { SettleError } from '@settle/contracts';
import type { QueryParameters } from '../authorize/query-parameters.js';
import type { FormFields } from './form-body.js';

const BEARER = /^bearer +([^\s,]+)$/i;

/** Where an access token may stand in a request. */
export interface TokenPlaces {
  readonly query: QueryParameters;
  readonly form: FormFields;
  readonly authorization: string | undefined;
}

/** The one access token of a request. Errors: `missing_token`; `invalid_request` when it stands in two places. */
export function readShownToken({ query, form, authorization }: TokenPlaces): string {
  const [, borne] = BEARER.exec(authorization ?? '') ?? [];
  const inForm = form.get('access_token');
  const shown = [borne, ...(query.get('access_token') ?? []), inForm].filter((token) => token !== undefined);
  const [token = '', ...others] = shown;
  if (others.length > 0) {
    throw new SettleError('invalid_request', 'The access token stands in two places: send it in one.');
  }
  if (token !== '') return token;
  throw new SettleError('missing_token', 'Send an access token: as access_token, or as "Authorization: Bearer".');
}
