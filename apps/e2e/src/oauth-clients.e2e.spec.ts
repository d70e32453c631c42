import { createRequire } from 'node:module';
import { DEMO_APP } from '@settle/contracts';
import * as openid from 'openid-client';
import OAuth2Strategy from 'passport-oauth2';
import { AuthorizationCode } from 'simple-oauth2';
import { baseUrl, call } from './client.js';
import { requestGrantApp } from './grant-app.fixture.js';
import { expectRevoked, fetchStatus } from './server-side-flow.fixture.js';
import { allowAsCarol, callbackUrl } from './sign-in.js';
import type { WireMe } from './wire.js';

const SCOPE = 'access_profile make_payments';

describe('openid-client', () => {
  const discovered = () =>
    openid.discovery(new URL(new URL(baseUrl()).origin), DEMO_APP.clientId, DEMO_APP.clientSecret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  // Shows token-51
  it('given the metadata, when the client authorizes, refreshes and revokes with PKCE, then every step succeeds', async () => {
    const config = await discovered();
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callbackUrl(),
      scope: SCOPE,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const back = await allowAsCarol(url.href);
    const checks = { pkceCodeVerifier, expectedState };
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    expect(await fetchStatus(tokens.access_token)).toBe(200);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect([refreshed.expiresIn(), refreshed.scope]).toEqual([expect.any(Number), 'make_payments access_profile']);
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
    await expectRevoked(refreshed.access_token);
    await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({
      code: 'OAUTH_RESPONSE_IS_NOT_CONFORM',
      cause: expect.objectContaining({ status: 400 }) as object,
    });
  });
});

describe('simple-oauth2', () => {
  const client = (place: 'header' | 'body') =>
    new AuthorizationCode({
      client: { id: DEMO_APP.clientId, secret: DEMO_APP.clientSecret },
      auth: {
        tokenHost: new URL(baseUrl()).origin,
        authorizePath: '/v1/oauth/authorize',
        tokenPath: '/v1/oauth/access_token',
        revokePath: '/v1/oauth/revoke',
      },
      options: { authorizationMethod: place },
    });

  it.each(['header', 'body'] as const)(
    'given its secret in the %s, when the client authorizes, refreshes and revokes, then every step succeeds',
    async (place) => {
      const oauth = client(place);
      const request = { redirect_uri: callbackUrl(), scope: SCOPE, state: 's' };
      const back = await allowAsCarol(oauth.authorizeURL(request));
      const code = back.searchParams.get('code') ?? '';
      const tokens = await oauth.getToken({ code, redirect_uri: request.redirect_uri });
      const refreshed = await tokens.refresh();
      expect(await fetchStatus(String(refreshed.token.access_token))).toBe(200);
      await refreshed.revoke('refresh_token');
      await expectRevoked(String(refreshed.token.access_token));
      await expect(oauth.getToken({ code, redirect_uri: request.redirect_uri })).rejects.toMatchObject({
        output: { statusCode: 400 },
        data: { payload: { error: { code: 'invalid_grant' } } },
      });
    },
  );
});

describe('passport-oauth2', () => {
  type Outcome = { readonly user?: { readonly token: string }; readonly error?: Error; readonly url?: string };

  /** The session in which the client keeps state and verifier. */
  const session = {};
  const strategy = () =>
    new OAuth2Strategy(
      {
        authorizationURL: `${baseUrl()}/oauth/authorize`,
        tokenURL: `${baseUrl()}/oauth/access_token`,
        clientID: DEMO_APP.clientId,
        clientSecret: DEMO_APP.clientSecret,
        callbackURL: callbackUrl(),
        scope: SCOPE,
        state: true,
        pkce: true,
      },
      (token: string, _refresh: string, _profile: object, done: (error: null, user: object) => void) =>
        done(null, { token }),
    );
  const authenticate = (query: Record<string, string>): Promise<Outcome> =>
    new Promise((resolve) => {
      const actions = {
        success: (user: { token: string }) => resolve({ user }),
        error: (error: Error) => resolve({ error }),
        fail: (info: { message?: string }) => resolve({ error: new Error(info.message) }),
        redirect: (url: string) => resolve({ url }),
      };
      Object.assign(Object.create(strategy()) as OAuth2Strategy, actions).authenticate({
        query,
        session,
      } as unknown as Parameters<OAuth2Strategy['authenticate']>[0]);
    });

  it('given state and PKCE, when the client authorizes, then the user is signed in; it reports a code that is used', async () => {
    const { url = '' } = await authenticate({});
    const back = Object.fromEntries((await allowAsCarol(url)).searchParams);
    const kept = structuredClone(session);
    const { user, error } = await authenticate(back);
    expect([error, await fetchStatus(user?.token ?? '')]).toEqual([undefined, 200]);
    Object.assign(session, kept);
    const again = await authenticate(back);
    expect(again.error).toMatchObject({ name: 'TokenError', code: { code: 'invalid_grant' } });
    await expectRevoked(user?.token ?? '');
  });
});

describe('passport-venmo', () => {
  const VenmoStrategy = (createRequire(import.meta.url)('passport-venmo') as { Strategy: typeof OAuth2Strategy })
    .Strategy;
  type Profile = { readonly id: string; readonly username: string; readonly balance: number; readonly email: string };
  type Outcome = {
    readonly token?: string;
    readonly profile?: Profile;
    readonly error?: unknown;
    readonly url?: string;
  };

  const authenticate = (query: Record<string, string>): Promise<Outcome> =>
    new Promise((resolve) => {
      const options = {
        authorizationURL: `${baseUrl()}/oauth/authorize`,
        tokenURL: `${baseUrl()}/oauth/access_token`,
        profileURL: `${baseUrl()}/me`,
        clientID: DEMO_APP.clientId,
        clientSecret: DEMO_APP.clientSecret,
        callbackURL: callbackUrl(),
        scope: ['access_profile', 'access_email', 'access_balance', 'access_feed'],
      };
      const strategy = new VenmoStrategy(
        options,
        (token: string, _refresh: string, profile: object, done: (error: null, user: object) => void) =>
          done(null, { token, profile }),
      );
      const actions = {
        success: (user: Outcome) => resolve(user),
        error: (error: unknown) => resolve({ error }),
        fail: () => resolve({ error: 'denied' }),
        redirect: (url: string) => resolve({ url }),
      };
      const request = { query } as unknown as Parameters<OAuth2Strategy['authenticate']>[0];
      Object.assign(strategy, actions).authenticate(request);
    });

  // Shows token-51
  it('given its three addresses alone, when a user signs in, then the client has the profile, e-mail and balance', async () => {
    const { url = '' } = await authenticate({});
    const {
      token = '',
      profile,
      error,
    } = await authenticate(Object.fromEntries((await allowAsCarol(url)).searchParams));
    expect([error, await fetchStatus(token)]).toEqual([undefined, 200]);
    const me = await call<WireMe>('/me', { token });
    const { balance, user } = me.body.data;
    expect(profile).toMatchObject({ id: user.id, username: 'carol', email: user.email });
    // The client omits a balance of zero.
    expect(profile?.balance ?? 0).toBe(balance);
    expect(await authenticate({ error: 'access_denied' })).toEqual({ error: 'denied' });
  });
});

describe('grant', () => {
  // Shows token-51
  it('given its provider venmo at these addresses, when a user signs in, then the client has tokens; it reports a code that is used', async () => {
    const { location, cookie } = await requestGrantApp('/connect/venmo');
    const { search } = await allowAsCarol(location);
    const { response } = await requestGrantApp(`/connect/venmo/callback${search}`, cookie);
    expect(response).toEqual(
      expect.objectContaining({
        access_token: expect.any(String) as string,
        refresh_token: expect.any(String) as string,
      }),
    );
    expect(await fetchStatus(response.access_token ?? '')).toBe(200);
    const again = await requestGrantApp(`/connect/venmo/callback${search}`, cookie);
    expect(again.response.error).toMatchObject({ error: { code: 'invalid_grant' } });
  });
});
