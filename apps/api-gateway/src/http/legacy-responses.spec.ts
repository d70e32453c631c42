import { createHash } from 'node:crypto';
import { SettleError } from '@settle/contracts';
import { aliceProfile, call, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest((hash) => {
    if (hash === hashOf('expired')) throw new SettleError('expired_token', 'It has expired.', { legacyAnswers: true });
    return ['access_profile'];
  });
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
  gateway.legacyTokens.add(hashOf('former'));
});
afterAll(() => gateway.close());

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const ask = (token: string, path = '/v1/me') =>
  call(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe('legacy answers at the gateway', () => {
  it.each([
    ['former', '2023-11-14T22:13:20.000001'],
    ['other', '2023-11-14T22:13:20.000001Z'],
  ])(
    'given a token of the %s app, when it is used twice, then the datetimes are of its form',
    async (token, joined) => {
      for (const time of ['asked for', 'kept']) {
        const { json } = await ask(token);
        const { user } = json.data as { user: { date_joined: string } };
        expect([time, user.date_joined]).toEqual([time, joined]);
      }
    },
  );

  it.each([
    ['former', '/v1/payments', 'POST', '260'],
    ['former', '/v1/payments/7', 'GET', '283'],
    ['former', '/v1/payments?limit=x', 'GET', '240'],
    ['other', '/v1/payments?limit=x', 'GET', 'invalid_limit'],
    ['expired', '/v1/me', 'GET', '265'],
  ])(
    'given a token that is %s, when %s is refused, then the code is of its form',
    async (token, path, method, code) => {
      const answer = await call(gateway.url + path, { method, headers: { authorization: `Bearer ${token}` } });
      expect(answer.json.error?.code).toBe(code);
    },
  );
});
