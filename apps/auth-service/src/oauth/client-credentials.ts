import { SettleError } from '@settle/contracts';
import type { FormFields } from './form-body.js';

/** How an app says who it is. */
export interface ClientCredentials {
  readonly clientId: string;
  /** Null: it sent none. */
  readonly secret: string | null;
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Reads who asks, from the header `Authorization: Basic` or from the form, never from both (RFC 6749 2.3.1).
 * Errors: `invalid_client` when nobody is named or the header cannot be read; `invalid_request` when both say it.
 */
export function readClientCredentials(form: FormFields, authorization: string | undefined): ClientCredentials {
  const named = form.get('client_id');
  const secret = form.get('client_secret') ?? null;
  if (authorization === undefined) {
    if (named === undefined) throw new SettleError('invalid_client', 'Say which app asks: send client_id.');
    return { clientId: named, secret };
  }
  const inHeader = readBasic(authorization);
  if (secret !== null || (named !== undefined && named !== inHeader.clientId)) {
    throw new SettleError('invalid_request', 'The app is named in two places: use the header or the form.');
  }
  return inHeader;
}

function readBasic(authorization: string): ClientCredentials {
  const [, encoded = ''] = BASIC.exec(authorization) ?? [];
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  const clientId = decoded(pair.slice(0, Math.max(colon, 0)));
  const secret = decoded(pair.slice(colon + 1));
  if (!clientId || secret === null) {
    throw new SettleError(
      'invalid_client',
      'The Authorization header is not "Basic" with client_id and client_secret.',
    );
  }
  return { clientId, secret: secret === '' ? null : secret };
}

/** Null when it cannot be decoded. */
function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text.replaceAll('+', ' '));
    return plain.includes('\0') ? null : plain;
  } catch {
    return null;
  }
}
