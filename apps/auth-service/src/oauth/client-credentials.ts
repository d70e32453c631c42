import { SettleError } from '@settle/contracts';
import { orRefusal } from '../http/page-response.js';
import { decodeParameter } from '../http/query-parameters.js';
import type { FormFields } from './form-body.js';

/** The credentials with which an app authenticates. */
export interface ClientCredentials {
  readonly clientId: string;
  /** Null: not sent. */
  readonly secret: string | null;
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Reads the client's credentials from the `Authorization: Basic` header or the form (RFC 6749 2.3.1). Errors:
 * `invalid_client` if client_id is missing or the header is malformed; `invalid_request` if both carry credentials.
 */
export function readClientCredentials(form: FormFields, authorization: string | undefined): ClientCredentials {
  const clientId = form.get('client_id');
  const secret = form.get('client_secret') ?? null;
  if (authorization === undefined) {
    if (clientId === undefined) throw new SettleError('invalid_client', 'The client_id is missing. Send client_id.');
    return { clientId, secret };
  }
  const inHeader = readBasic(authorization);
  if (secret !== null || (clientId !== undefined && clientId !== inHeader.clientId)) {
    throw new SettleError(
      'invalid_request',
      'Send the client credentials either in the header or in the form, not both.',
    );
  }
  return inHeader;
}

function readBasic(authorization: string): ClientCredentials {
  const [, encoded = ''] = BASIC.exec(authorization) ?? [];
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  const clientId = decode(pair.slice(0, Math.max(colon, 0)));
  const secret = decode(pair.slice(colon + 1));
  if (!clientId || secret === null) {
    throw new SettleError(
      'invalid_client',
      'The Authorization header is malformed. Send "Basic" with client_id and client_secret.',
    );
  }
  return { clientId, secret: secret === '' ? null : secret };
}

/** Returns the decoded text, or null if it is malformed. */
function decode(text: string): string | null {
  const plain = orRefusal(() => decodeParameter(text));
  return plain instanceof SettleError ? null : plain;
}
