import { createHash, randomBytes } from 'node:crypto';
import { DEMO_APP } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { call, type Fields } from './client.js';
import { newBrowser, signIn, type Authorization } from './sign-in.js';
import type { WireUser } from './wire.js';

/** The body of the token endpoint: tokens or an error. */
export interface WireTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  /** The scopes of the access token, separated by spaces. */
  readonly scope: string;
  readonly user: WireUser;
  readonly balance: number | null;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface TokenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly tokens: WireTokens;
}

export const DEMO_CREDENTIALS = { client_id: DEMO_APP.clientId, client_secret: DEMO_APP.clientSecret };

/** Returns a verifier and its challenge (RFC 7636). */
export function newPkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, parameters: { code_challenge: challenge, code_challenge_method: 'S256' } };
}

/** Signs a user in, who grants all scopes unless they were granted before. Returns the parameters that the app receives. */
export async function authorize(username: string, request: Authorization): Promise<URLSearchParams> {
  const browser = newBrowser();
  const page = await signIn(browser, username, { response_type: 'code', ...request });
  const back = page.forms.length === 0 ? page : await browser.submit(page, {}, 'Allow');
  return back.url.searchParams;
}

/** Obtains a code for the demo app. */
export async function obtainCode(username = 'alice', request: Authorization = {}): Promise<string> {
  const back = await authorize(username, { scope: 'make_payments access_profile access_balance', ...request });
  const code = back.get('code');
  if (code === null) throw new Error(`No code came back: ${back.toString()}`);
  return code;
}

export async function requestTokens(form: Fields, headers: Record<string, string> = {}): Promise<TokenResponse> {
  const { status, headers: observed, body } = await call('/oauth/access_token', { method: 'POST', form, headers });
  return { status, headers: observed, tokens: body as unknown as WireTokens };
}

/** Obtains tokens for the demo app. */
export async function obtainTokens(username = 'alice', request: Authorization = {}): Promise<WireTokens> {
  const code = await obtainCode(username, request);
  const named = request.redirect_uri === undefined ? {} : { redirect_uri: request.redirect_uri };
  const { status, tokens } = await requestTokens({ ...DEMO_CREDENTIALS, ...named, code });
  if (status !== 200) throw new Error(`No tokens: ${JSON.stringify(tokens)}`);
  return tokens;
}

/** Obtains tokens of bob for an app without a secret. */
export async function obtainPublicClientTokens(clientId: string): Promise<WireTokens> {
  const { verifier, parameters } = newPkce();
  const request = { client_id: clientId, scope: 'make_payments access_profile', ...parameters };
  const code = (await authorize('bob', request)).get('code') ?? '';
  return (await requestTokens({ client_id: clientId, code, code_verifier: verifier })).tokens;
}

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

/** Returns the status of a call with this token. */
export const fetchStatus = async (token: string) => (await call('/me', { token })).status;
/** Returns status and error code of a token response. */
export const readRefusal = ({ status, tokens }: TokenResponse) => [status, tokens.error?.code];

/**
 * Resolves once every gateway rejects the token; the calls go to the gateways in turn. Returns when the last call that a
 * gateway accepted was sent, in ms of `performance.now()`, or 0: on a busy machine the rejections themselves take long.
 */
export async function expectRevoked(token: string, refusal = [401, 'revoked_token']): Promise<number> {
  let acceptedSentAtMs = 0;
  await eventually(async () => {
    for (let n = 0; n < 4; n += 1) {
      const sentAtMs = performance.now();
      const { status, body } = await call('/me', { token });
      if (status === 200) acceptedSentAtMs = sentAtMs;
      expect([status, body.error?.code]).toEqual(refusal);
    }
  });
  return acceptedSentAtMs;
}
