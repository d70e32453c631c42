import { Deadline } from './deadline.js';
import { exchange } from './exchange.js';
import { repeat } from './repeat.js';
import type { App, TokenResponse, Tokens, User } from './types.js';

/**
 * A refresh token may be sent again for 10 s after its first use, in case the response was lost. Later it counts as stolen,
 * and the whole authorization is revoked.
 */
const REFRESH_TIMEOUT_MS = 8_000;
const REFRESH_ATTEMPTS = 4;
const CODE_TIMEOUT_MS = 15_000;

export interface AuthorizationRequest {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Compare it with the one that comes back, to know that this browser started the authorization. */
  readonly state: string;
  /** The one of `createPkce`. Required for an app without a secret. */
  readonly codeChallenge?: string;
  /** Without it, the app's first address. */
  readonly redirectUri?: string;
}

/** The tokens that a code was exchanged for, and the user who authorized the app. */
export interface Authorization {
  readonly tokens: Tokens;
  readonly user: User;
  /** A decimal string; null without the scope `access_balance`. */
  readonly balance: string | null;
  /** The granted scopes. An earlier version of Settle sent null if all requested ones were granted. */
  readonly scopes: readonly string[] | null;
}

export interface Pkce {
  /** Keep it where only this user's browser session finds it, and pass it to `exchangeCode`. */
  readonly codeVerifier: string;
  readonly codeChallenge: string;
}

/** Returns a new verifier and its challenge (RFC 7636). */
export async function createPkce(): Promise<Pkce> {
  const codeVerifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  return { codeVerifier, codeChallenge: base64Url(new Uint8Array(digest)) };
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** Returns the address to which the app sends the user's browser. It comes back with `code` and `state`, or with `error`. */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { codeChallenge, redirectUri } = request;
  const parameters = {
    response_type: 'code',
    client_id: request.clientId,
    scope: request.scopes.join(' '),
    state: request.state,
    ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
    ...(codeChallenge === undefined ? {} : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
  };
  return `${request.baseUrl}/oauth/authorize?${new URLSearchParams(parameters).toString()}`;
}

/**
 * Exchanges the code that came back for tokens. A code has one attempt: after any error start a new authorization. Errors:
 * `SettleError`, for example `invalid_grant`; `ConnectionError` if no response arrives within 15 s.
 */
export async function exchangeCode(
  app: App,
  code: string,
  more: { readonly codeVerifier?: string; readonly redirectUri?: string } = {},
): Promise<Authorization> {
  const { codeVerifier, redirectUri } = more;
  const response = await postForm(app, '/oauth/access_token', new Deadline(CODE_TIMEOUT_MS), {
    grant_type: 'authorization_code',
    code,
    ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
  });
  const { user, balance, scope } = response as TokenResponse;
  return { tokens: tokensOf(response), user, balance, scopes: scope?.split(' ') ?? null };
}

/** Returns the next tokens. Errors: `SettleError`, `invalid_grant` if the authorization has ended; `ConnectionError`. */
export async function refreshTokens(app: App, refreshToken: string): Promise<Tokens> {
  const deadline = new Deadline(REFRESH_TIMEOUT_MS);
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return tokensOf(await repeat(() => postForm(app, '/oauth/access_token', deadline, form), REFRESH_ATTEMPTS, deadline));
}

/** Ends the authorization: all of its tokens are rejected within a second. Errors: `SettleError`, `ConnectionError`. */
export async function revokeTokens(app: App, tokens: Tokens): Promise<void> {
  const deadline = new Deadline(REFRESH_TIMEOUT_MS);
  const form = { token: tokens.refreshToken ?? tokens.accessToken };
  await repeat(() => postForm(app, '/oauth/revoke', deadline, form), REFRESH_ATTEMPTS, deadline);
}

function tokensOf(response: unknown): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken } = response as TokenResponse;
  return { accessToken, refreshToken };
}

function postForm(app: App, path: string, deadline: Deadline, fields: Record<string, string>): Promise<unknown> {
  const secret = app.clientSecret === undefined ? {} : { client_secret: app.clientSecret };
  const body = new URLSearchParams({ client_id: app.clientId, ...secret, ...fields }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return exchange({ method: 'POST', url: app.baseUrl + path, headers, body }, deadline);
}
