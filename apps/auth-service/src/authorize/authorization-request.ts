import type { Scope } from '@settle/contracts';
import { appendParameters } from '../http/query-parameters.js';
import type { App } from '../tables/app.entity.js';

/** A token for the client-side flow, or an authorization code for the server-side flow. */
export type ResponseType = 'token' | 'code';

/** A validated request of an app to act for a user. */
export interface AuthorizationRequest {
  readonly app: App;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  /** The code challenge of method S256, or null if the app sent none. */
  readonly challenge: string | null;
  readonly scopes: readonly Scope[];
  /** Null if the app sent none. */
  readonly state: string | null;
  /** The original query string, which the pages pass on. */
  readonly query: string;
}

/** Where the response to an authorization request goes. */
export type ResponseTarget = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

/** The error codes that an app receives at its redirect URI. */
export type AuthorizationErrorCode =
  'access_denied' | 'invalid_request' | 'invalid_scope' | 'unauthorized_client' | 'unsupported_response_type';

/** An error that the app receives at its validated redirect URI. */
export class AuthorizationRequestError extends Error {
  constructor(
    readonly code: AuthorizationErrorCode,
    readonly target: ResponseTarget,
    description: string,
  ) {
    super(description);
    this.name = 'AuthorizationRefused';
  }
}

/** Returns the redirect URI with the response parameters, the unchanged state, and the issuer (RFC 9207). */
export function buildResponseUrl(
  { redirectUri, state }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
  issuer: string,
): string {
  return appendParameters(redirectUri, { ...parameters, ...(state !== null && { state }), iss: issuer });
}
