import { createHash, randomBytes } from 'node:crypto';
import { DEMO_APP } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { call, type Fields } from './client.js';
import { newBrowser, signIn, type Authorization } from './sign-in.js';
import type { WireUser } from './wire.js';

/** What the token endpoint answers: tokens, or a refusal. */
export interface WireTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  /** There when less was allowed than was asked for. */
  readonly scope?: string;
  readonly user: WireUser;
  readonly balance: number | null;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly tokens: WireTokens;
}

export const DEMO_CREDENTIALS = { client_id: DEMO_APP.clientId, client_secret: DEMO_APP.clientSecret };

/** A verifier and its challenge, as RFC 7636 makes them. */
export function newPkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, asked: { code_challenge: challenge, code_challenge_method: 'S256' } };
}

/** Signs a user in, who grants all scopes, or has before; returns what the app receives. */
export async function authorize(username: string, request: Authorization): Promise<URLSearchParams> {
  const browser = newBrowser();
  const page = await signIn(browser, username, { response_type: 'code', ...request });
  const back = page.forms.length === 0 ? page : await browser.submit(page, {}, 'Allow');
  return back.url.searchParams;
}

/** A code for the demo app. */
export async function newCode(username = 'alice', request: Authorization = {}): Promise<string> {
  const back = await authorize(username, { scope: 'make_payments access_profile access_balance', ...request });
  const code = back.get('code');
  if (code === null) throw new Error(`No code came back: ${back.toString()}`);
  return code;
}

export async function askForTokens(form: Fields, headers: Record<string, string> = {}): Promise<TokenAnswer> {
  const { status, headers: answered, body } = await call('/oauth/access_token', { method: 'POST', form, headers });
  return { status, headers: answered, tokens: body as unknown as WireTokens };
}

/** Tokens of the demo app. */
export async function newTokens(username = 'alice', request: Authorization = {}): Promise<WireTokens> {
  const code = await newCode(username, request);
  const named = request.redirect_uri === undefined ? {} : { redirect_uri: request.redirect_uri };
  const { status, tokens } = await askForTokens({ ...DEMO_CREDENTIALS, ...named, code });
  if (status !== 200) throw new Error(`No tokens: ${JSON.stringify(tokens)}`);
  return tokens;
}

/** Tokens of an app without a secret, for bob. */
export async function publicTokens(clientId: string): Promise<WireTokens> {
  const { verifier, asked } = newPkce();
  const request = { client_id: clientId, scope: 'make_payments access_profile', ...asked };
  const code = (await authorize('bob', request)).get('code') ?? '';
  return (await askForTokens({ client_id: clientId, code, code_verifier: verifier })).tokens;
}

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

/** The status of a call with this token. */
export const statusOf = async (token: string) => (await call('/me', { token })).status;
/** The parameters of an error redirect. */
export const refused = ({ status, tokens }: TokenAnswer) => [status, tokens.error?.code];

/** Resolves once every gateway of the shape refuses the token: calls go to one after the other. */
export async function expectDead(token: string): Promise<void> {
  await eventually(async () => {
    for (let n = 0; n < 4; n += 1) {
      const { status, body } = await call('/me', { token });
      expect([status, body.error.code]).toEqual([401, 'revoked_token']);
    }
  });
}
