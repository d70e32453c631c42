import { DEMO_APP, DEMO_PASSWORD } from '@settle/contracts';
import * as openid from 'openid-client';
import OAuth2Strategy from 'passport-oauth2';
import { AuthorizationCode } from 'simple-oauth2';
import { baseUrl } from './client.js';
import { expectDead, statusOf } from './server-side-flow.fixture.js';
import { callbackUrl, newBrowser } from './sign-in.js';

const SCOPE = 'access_profile make_payments';

/** Follows an address that a client made, as somebody's browser, to the app's own address. */
async function followed(url: string): Promise<URL> {
  const browser = newBrowser();
  const page = await browser.submit(await browser.open(url), { username: 'carol', password: DEMO_PASSWORD });
  return page.forms.length === 0 ? page.url : (await browser.submit(page, {}, 'Allow')).url;
}

describe('openid-client', () => {
  const discovered = () =>
    openid.discovery(new URL(new URL(baseUrl()).origin), DEMO_APP.clientId, DEMO_APP.clientSecret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it('given the metadata, when it goes through flow, PKCE, refresh and revocation, then all of it works', async () => {
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
    const back = await followed(url.href);
    const checks = { pkceCodeVerifier, expectedState };
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    expect(await statusOf(tokens.access_token)).toBe(200);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect([refreshed.expiresIn(), refreshed.scope]).toEqual([expect.any(Number), 'make_payments access_profile']);
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
    await expectDead(refreshed.access_token);
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
    'given its secret in the %s, when it goes through flow, refresh and revocation, then all of it works',
    async (place) => {
      const oauth = client(place);
      const asked = { redirect_uri: callbackUrl(), scope: SCOPE, state: 's' };
      const back = await followed(oauth.authorizeURL(asked));
      const code = back.searchParams.get('code') ?? '';
      const tokens = await oauth.getToken({ code, redirect_uri: asked.redirect_uri });
      const refreshed = await tokens.refresh();
      expect(await statusOf(String(refreshed.token.access_token))).toBe(200);
      await refreshed.revoke('refresh_token');
      await expectDead(String(refreshed.token.access_token));
      await expect(oauth.getToken({ code, redirect_uri: asked.redirect_uri })).rejects.toMatchObject({
        output: { statusCode: 400 },
        data: { payload: { error: { code: 'invalid_grant' } } },
      });
    },
  );
});

describe('passport-oauth2', () => {
  type Outcome = { readonly user?: { readonly token: string }; readonly error?: Error; readonly url?: string };

  /** The session of its own, in which it keeps state and verifier. */
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

  it('given state and PKCE, when it goes through the flow, then it signs in; a code that is used it reports', async () => {
    const { url = '' } = await authenticate({});
    const back = Object.fromEntries((await followed(url)).searchParams);
    const kept = structuredClone(session);
    const { user, error } = await authenticate(back);
    expect([error, await statusOf(user?.token ?? '')]).toEqual([undefined, 200]);
    Object.assign(session, kept);
    const again = await authenticate(back);
    expect(again.error).toMatchObject({ name: 'TokenError', code: { code: 'invalid_grant' } });
    await expectDead(user?.token ?? '');
  });
});
