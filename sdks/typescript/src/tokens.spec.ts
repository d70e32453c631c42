import {
  apiForTest,
  inTurn,
  ok,
  rejection,
  type Reply,
  type ReceivedRequest,
  stopApis,
} from '../test/scripted-api.fixture.js';
import type { Tokens } from './index.js';

const ME = ok({ data: { balance: 1 } });
const EXPIRED = rejection(401, 'expired_token');
const SECOND = { accessToken: 'access-2', refreshToken: 'refresh-2' };
const SECOND_PAIR = ok({ access_token: 'access-2', refresh_token: 'refresh-2', expires_in: 1, token_type: 'bearer' });

const isTokenRequest = ({ url }: ReceivedRequest) => url === '/v1/oauth/access_token';

/** Responds like an API for which only `access-2` is valid, and to token requests with `token`, one after another. */
function acceptingSecond(...token: readonly Reply[]) {
  let requests = 0;
  return (request: ReceivedRequest): Reply => {
    if (isTokenRequest(request)) return inTurn(...token)(request, requests++);
    return request.headers.authorization === 'Bearer access-2' ? ME : EXPIRED;
  };
}

afterEach(stopApis);

describe('an access token that expired', () => {
  it('given many concurrent calls, when all are rejected, then it is refreshed once, stored before it is used, and all succeed', async () => {
    const api = await apiForTest(acceptingSecond(SECOND_PAIR));
    const stored: Tokens[] = [];
    const usedBeforeStored: string[] = [];
    const onTokens = async (tokens: Tokens) => {
      await new Promise((resolve) => setImmediate(resolve));
      usedBeforeStored.push(
        ...api.received.map(({ headers }) => headers.authorization ?? '').filter((one) => one.endsWith('2')),
      );
      stored.push(tokens);
    };
    const settle = api.client({ onTokens });
    const all = await Promise.all(Array.from({ length: 30 }, () => settle.me()));
    expect(all).toHaveLength(30);
    const refreshes = api.received.filter(isTokenRequest);
    expect(refreshes.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      { client_id: 'app-1', client_secret: 'secret-1', grant_type: 'refresh_token', refresh_token: 'refresh-1' },
    ]);
    expect([stored, usedBeforeStored, settle.tokens]).toEqual([[SECOND], [], SECOND]);
  });

  it('given a payment, when its token is refreshed, then it is sent again with the same key', async () => {
    const api = await apiForTest(acceptingSecond(SECOND_PAIR));
    await api.client().payments.create({ user_id: '1', amount: '1', note: 'n' });
    const keys = api.received.filter((one) => !isTokenRequest(one)).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.any(String), keys[0]]);
  });

  it('given a refresh whose response is lost, when a call waits for it, then the same refresh token is sent again', async () => {
    const api = await apiForTest(acceptingSecond('close', rejection(503, 'service_unavailable'), SECOND_PAIR));
    await api.client().me();
    const refreshes = api.received
      .filter(isTokenRequest)
      .map(({ body }) => new URLSearchParams(body).get('refresh_token'));
    expect(refreshes).toEqual(['refresh-1', 'refresh-1', 'refresh-1']);
  });

  it('given another process that has refreshed, when a call is rejected, then the stored tokens are used', async () => {
    const api = await apiForTest(acceptingSecond(SECOND_PAIR));
    const settle = api.client({ loadTokens: () => Promise.resolve(SECOND) });
    await settle.me();
    expect([api.received.filter(isTokenRequest), settle.tokens]).toEqual([[], SECOND]);
  });

  it('given tokens that cannot be stored, when they are refreshed, then the call fails and the client has the tokens', async () => {
    const api = await apiForTest(acceptingSecond(SECOND_PAIR));
    const settle = api.client({ onTokens: () => Promise.reject(new Error('The disk is full.')) });
    await expect(settle.me()).rejects.toThrow('The disk is full.');
    expect(settle.tokens).toEqual(SECOND);
    await settle.me();
  });
});

describe('an authorization that has ended', () => {
  it('given a refresh token that is rejected, when a call is made, then its error is invalid_grant', async () => {
    const api = await apiForTest(acceptingSecond(rejection(400, 'invalid_grant')));
    await expect(api.client().me()).rejects.toMatchObject({ code: 'invalid_grant', status: 400 });
    expect(api.received).toHaveLength(2);
  });

  it('given an access token that is rejected after a refresh, when a call is made, then it is not refreshed again', async () => {
    const api = await apiForTest((request) =>
      isTokenRequest(request) ? SECOND_PAIR : rejection(401, 'revoked_token'),
    );
    await expect(api.client().me()).rejects.toMatchObject({ code: 'revoked_token', status: 401 });
    expect(api.received.filter(isTokenRequest)).toHaveLength(1);
  });

  it('given no refresh token, when a call is rejected, then its error says why', async () => {
    const api = await apiForTest(acceptingSecond(SECOND_PAIR));
    await expect(api.client({ tokens: { accessToken: 'access-1' } }).me()).rejects.toMatchObject({
      code: 'expired_token',
    });
    expect(api.received).toHaveLength(1);
  });

  it('given a refresh that does not end, when the time of the call is over, then a payment has not taken effect', async () => {
    const api = await apiForTest(acceptingSecond(SECOND_PAIR));
    const settle = api.client({ timeoutMs: 2_000, onTokens: () => new Promise(() => undefined) });
    const creating = settle.payments.create({ user_id: '1', amount: '1', note: 'n' });
    await expect(creating).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('given a client, when it revokes, then it sends the refresh token with the credentials of the app', async () => {
    const api = await apiForTest(inTurn('close', ok({})));
    await api.client().revoke();
    expect(api.received.map(({ url, body }) => [url, body])).toEqual(
      Array(2).fill(['/v1/oauth/revoke', 'client_id=app-1&client_secret=secret-1&token=refresh-1']),
    );
  });
});
