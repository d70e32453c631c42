import { createHash } from 'node:crypto';
import {
  aliceProfile,
  call,
  startGatewayUnderTest,
  type Answer,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';

const HOUR_LONG = { perSecond: 1, burst: 3_600 };

let gateway: GatewayUnderTest;
afterEach(() => gateway.close());

async function start(overrides: Parameters<typeof startGatewayUnderTest>[1]): Promise<void> {
  gateway = await startGatewayUnderTest(() => ['access_profile'], overrides);
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call(gateway.url + path, { headers });
const me = (token: string): Promise<Answer> => get('/v1/me', { authorization: `Bearer ${token}` });
const told = ({ headers }: Answer): (string | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => headers.get(name));

async function oneByOne(count: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < count; index++) answers.push(await ask());
  return answers;
}

describe('rate limits', () => {
  it('given a token at its limit, when it asks on, then 429 says when to come again, and another token goes on', async () => {
    await start({ rateLimits: { perToken: { perSecond: 0.01, burst: 3 }, perApp: HOUR_LONG, perAddress: HOUR_LONG } });
    const answers = await oneByOne(4, () => me('busy'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(told)).toEqual([
      ['3', '2', '100', null],
      ['3', '1', '200', null],
      ['3', '0', '300', null],
      ['3', '0', '300', '100'],
    ]);
    expect(answers[3]?.json.error).toEqual({
      code: 'rate_limited',
      message: 'Too many requests with this access token. Wait 100 s, then send this one again.',
    });
    expect((await me('quiet')).status).toBe(200);
  });

  // Shows limit-10
  it('given an app at its limit, when it asks with another token, then 429 says when to come again, and another app goes on', async () => {
    await start({
      rateLimits: { perToken: HOUR_LONG, perApp: { perSecond: 0.01, burst: 3 }, perAddress: HOUR_LONG },
    });
    gateway.appIds.set(createHash('sha256').update('of-another-app').digest('hex'), 'another-app');
    const answers = [await me('a'), await me('b'), await me('c'), await me('d')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(told)[0]).toEqual(['3', '2', '100', null]);
    expect(answers.map(told)[3]).toEqual(['3', '0', '300', '100']);
    expect(answers[3]?.json.error).toEqual({
      code: 'rate_limited',
      message: 'Too many requests by this app. Wait 100 s, then send this one again.',
    });
    expect((await me('of-another-app')).status).toBe(200);
  });

  // Shows limit-4
  it('given an address at its limit, when anything is asked from it, then it is refused before all else', async () => {
    await start({ rateLimits: { perToken: HOUR_LONG, perApp: HOUR_LONG, perAddress: { perSecond: 0.01, burst: 4 } } });
    const statuses = [await get('/nowhere'), await me('t'), await get('/account'), await get('/')];
    expect(statuses.map(({ status }) => status)).toEqual([404, 200, 200, 200]);
    expect(told(statuses[1] as Answer)).toEqual(['4', '2', '200', null]);
    for (const path of ['/nowhere', '/v1/me', '/account', '/', '/v1/%zz']) {
      const refused = await get(path);
      expect([refused.status, refused.json.error?.code, ...told(refused)]).toEqual([
        429,
        'rate_limited',
        '4',
        '0',
        '400',
        '100',
      ]);
    }
  });

  it('given tokens that are none, when they are tried, then they count for the address alone', async () => {
    gateway = await startGatewayUnderTest(() => null, {
      rateLimits: { perToken: HOUR_LONG, perApp: HOUR_LONG, perAddress: HOUR_LONG },
    });
    const [first, second] = await oneByOne(2, () => me('guess'));
    expect([first?.status, told(first as Answer)[1], told(second as Answer)[1]]).toEqual([401, '3599', '3598']);
  });

  it('given a proxy that is trusted, when it says where requests came from, then each address has its own', async () => {
    await start({
      trustedProxies: 1,
      rateLimits: { perToken: HOUR_LONG, perApp: HOUR_LONG, perAddress: { perSecond: 0.01, burst: 1 } },
    });
    const from = (address: string): Promise<Answer> => get('/', { 'x-forwarded-for': `198.51.100.9, ${address}` });
    expect((await from('203.0.113.1')).status).toBe(200);
    expect((await from('203.0.113.2')).status).toBe(200);
    expect((await from('203.0.113.1')).status).toBe(429);
  });

  // Shows limit-25
  it('given no proxy that is trusted, when a caller claims another address, then it counts for its own', async () => {
    await start({ rateLimits: { perToken: HOUR_LONG, perApp: HOUR_LONG, perAddress: { perSecond: 0.01, burst: 1 } } });
    expect((await get('/', { 'x-forwarded-for': '203.0.113.1' })).status).toBe(200);
    expect((await get('/', { 'x-forwarded-for': '203.0.113.2' })).status).toBe(429);
  });

  it('given that they are off, when a caller asks, then nothing is said of limits', async () => {
    await start({ rateLimits: null });
    expect(told(await me('t'))).toEqual([null, null, null, null]);
  });
});
