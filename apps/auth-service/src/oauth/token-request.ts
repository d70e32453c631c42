import { SettleError } from '@settle/contracts';
import type { FormFields } from './form-body.js';

/** A request to redeem a code; null: not sent. */
export interface CodeRequest {
  readonly kind: 'code';
  readonly code: string;
  readonly redirectUri: string | null;
  readonly verifier: string | null;
}

/** A request to refresh tokens. */
export interface RefreshRequest {
  readonly kind: 'refresh_token';
  readonly refreshToken: string;
  /** Fewer scopes than the user granted; null: all of them. */
  readonly scope: string | null;
}

export type TokenRequest = CodeRequest | RefreshRequest;

/** Fields that are allowed in the form only, not in the query. */
export const TOKEN_FIELDS = [
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'scope',
] as const;

/** The required field of each grant type. */
const FIELD_OF_GRANT = { authorization_code: 'code', refresh_token: 'refresh_token' } as const;

/**
 * Reads a token request (RFC 6749 4.1.3 and 6). `grant_type` may be absent, as `code` or `refresh_token` implies it.
 * Errors: `unsupported_grant_type`; `invalid_request` unless exactly the required one of the two is sent.
 */
export function readTokenRequest(form: FormFields): TokenRequest {
  const grantType = form.get('grant_type');
  if (grantType !== undefined && !Object.hasOwn(FIELD_OF_GRANT, grantType)) {
    throw new SettleError('unsupported_grant_type', 'This grant_type is not offered.');
  }
  const code = form.get('code');
  const refreshToken = form.get('refresh_token');
  const required = FIELD_OF_GRANT[grantType as keyof typeof FIELD_OF_GRANT];
  if (required !== undefined && form.get(required) === undefined) {
    throw new SettleError('invalid_request', `This grant_type requires ${required}.`);
  }
  if ((code === undefined) === (refreshToken === undefined)) {
    throw new SettleError('invalid_request', 'Send either code or refresh_token.');
  }
  if (code === undefined) {
    return { kind: 'refresh_token', refreshToken: refreshToken ?? '', scope: form.get('scope') ?? null };
  }
  const redirectUri = form.get('redirect_uri') ?? null;
  return { kind: 'code', code, redirectUri, verifier: form.get('code_verifier') ?? null };
}
