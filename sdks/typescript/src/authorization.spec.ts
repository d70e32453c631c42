import { createHash } from 'node:crypto';
import { APP, apiForTest, inTurn, ok, rejection, stopApis } from '../test/scripted-api.fixture.js';
import { authorizationUrl, createPkce, exchangeCode } from './index.js';

afterEach(stopApis);

describe('the authorization of an app', () => {
  it('given scopes and a challenge, when the address is built, then it has all parameters of the server-side flow', () => {
    const request = { baseUrl: 'http://localhost:3000/v1', clientId: 'app-1', scopes: ['a', 'b'], state: 's&1' };
    const url = new URL(
      authorizationUrl({ ...request, codeChallenge: 'c', redirectUri: 'https://app.example/back?x=1' }),
    );
    expect([url.origin + url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      'http://localhost:3000/v1/oauth/authorize',
      {
        ...{ response_type: 'code', client_id: 'app-1', scope: 'a b', state: 's&1' },
        ...{ redirect_uri: 'https://app.example/back?x=1', code_challenge: 'c', code_challenge_method: 'S256' },
      },
    ]);
    expect(authorizationUrl(request)).not.toContain('code_challenge');
  });

  it('given a verifier, when its challenge is compared, then it is the digest of RFC 7636', async () => {
    const { codeVerifier, codeChallenge } = await createPkce();
    expect(codeVerifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(codeChallenge).toBe(createHash('sha256').update(codeVerifier).digest('base64url'));
  });

  it('given a code, when it is exchanged, then tokens, user, balance and granted scopes are returned', async () => {
    const tokens = { access_token: 'a', refresh_token: 'r', expires_in: 1, token_type: 'bearer', scope: 'a b' };
    const api = await apiForTest(inTurn(ok({ ...tokens, user: { id: '1' }, balance: 100 })));
    const app = { baseUrl: api.baseUrl, ...APP };
    expect(await exchangeCode(app, 'code-1', { codeVerifier: 'v', redirectUri: 'https://app.example/' })).toEqual({
      tokens: { accessToken: 'a', refreshToken: 'r' },
      user: { id: '1' },
      balance: '100.00',
      scopes: ['a', 'b'],
    });
    expect(Object.fromEntries(new URLSearchParams(api.received[0]!.body))).toEqual({
      ...{ client_id: 'app-1', client_secret: 'secret-1', grant_type: 'authorization_code', code: 'code-1' },
      ...{ code_verifier: 'v', redirect_uri: 'https://app.example/' },
    });
  });

  it('given a code without a response, when it is exchanged, then it is not sent again', async () => {
    const api = await apiForTest(inTurn('close', rejection(400, 'invalid_grant')));
    await expect(exchangeCode({ baseUrl: api.baseUrl, ...APP }, 'code-1')).rejects.toThrow('No response');
    expect(api.received).toHaveLength(1);
  });
});
